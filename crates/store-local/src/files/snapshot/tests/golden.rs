//! A golden text of the format: a change requires a new version of the format.

use board::{Member, Profile};
use disk::fixtures::SimDisk;

use super::gifts::small;
use crate::files::record::tests::golden::hex_of;

const KIND: &str = r#"{"settings":{"name":"gifts","rules":{"fields":[{"name":"points","order":"desc","op":"sum"}],"mode":"accumulate","ties":"earliest","packing":null},"rank":"ordinal","windows":[{"period":"all","keep":"forever","close":null,"since":null}],"calendar":{"time_zone":"UTC","day_starts_at":"00:00","week_starts_on":"monday","weeks_count_from":null,"seasons":null},"shards":16,"top":10,"max_staleness":{"secs":0,"nanos":0},"dedupe":{"secs":0,"nanos":0},"score_ttl":null,"retain":null,"publish":null,"public_read":false},"hidden":[]}"#;

const NAME: &str = "snapshot-00000000000000000010.snap";

#[test]
fn a_small_snapshot() {
    let disk = SimDisk::default();
    small().write(&disk).unwrap();
    let header = "6d62736e61707368010000000a00000000000000f11e8c3d";
    let unit = "8f000000d0768db1\
        0004726f6f6def9bafcdf8acd1910110000000000180dfd2c3ccadb0060001000c\
        010103646179cf0f\
        02904e02\
        0102030405060708\
        02904e00\
        03028080bbdd83050388ef99abc5e88c911102\
        03616e6e0207\
        0362656e0107\
        0300000388ef99abc5e88c911101\
        03616e6e0307\
        04\
        000468616c6cef9bafcdf8acd1910110000000000180dfd2c3ccadb00600100f0c\
        04";
    let record = format!(r#"{{"name":"gifts","revision":2,"kind":{KIND}}}"#);
    let deleted = r#"{"name":"old","revision":5,"kind":null}"#;
    let table = [
        "6a040000f2b381d3",
        // One unit of 151 bytes, and one definition of 522 bytes.
        "019701",
        "018a04",
        &hex_of(KIND.as_bytes()),
        // Two kinds.
        "02af04",
        &hex_of(record.as_bytes()),
        "27",
        &hex_of(deleted.as_bytes()),
    ];
    let footer = "af000000000000007e4703aa6d62736e61707368";
    assert_eq!(
        hex_of(&disk.bytes_of(NAME)),
        [header, unit, &table.concat(), footer].concat()
    );
}

#[test]
fn profiles_follow_their_kind() {
    let disk = SimDisk::default();
    let (member, profile) = (Member::new("ann"), Profile::new(r#"{"data":7}"#));
    let mut contents = small();
    contents.parts.clear();
    let kind = contents.definitions[0].name().clone();
    contents.profiles = vec![(kind, vec![(member.unwrap(), profile.unwrap())])];
    contents.write(&disk).unwrap();
    let text = hex_of(&disk.bytes_of(NAME));
    let unit = "0505676966747301\
        03616e6e010a7b2264617461223a377d";
    assert!(text.contains(unit), "{text}");
}
