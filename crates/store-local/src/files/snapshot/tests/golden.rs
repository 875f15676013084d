//! A golden text of the format: a change requires a new version of the format.

use std::time::Duration;

use board::{Activity, KindName, Member, Profile, Timestamp};
use disk::fixtures::SimDisk;

use super::super::part::{put_head, put_profile_of, put_profiles_head};
use super::gifts::{gifts_head, small};
use crate::files::record::tests::golden::hex_of;

const KIND: &str = r#"{"name":"gifts","mode":"accumulate","fields":[{"name":"points","order":"desc","op":"sum"}],"ties":"earliest","rank":"ordinal","windows":[{"period":"all","keep":"forever","close_ms":null,"since_us":null}],"time_zone":"UTC","day_starts_at":"00:00","week_starts_on":"monday","weeks_count_from":null,"seasons":null,"shards":16,"top":10,"max_staleness_ms":0,"dedupe_ms":0,"score_ttl_ms":null,"retain":null,"packed":null,"publish":null,"public_read":false,"hidden":[]}"#;

const NAME: &str = "snapshot-00000000000000000010.snap";

/// Header and footer.
const ENDS: [&str; 2] = [
    "6d62736e61707368010000000a00000000000000f11e8c3d",
    "0201000000000000db631bd16d62736e61707368",
];

#[test]
fn a_small_snapshot() {
    let disk = SimDisk::default();
    small().write(&disk).unwrap();
    assert_eq!(hex_of(&disk.bytes_of(NAME)), text_of_small(ENDS));
}

#[test]
fn profiles_follow_their_kind() {
    let mut out = Vec::new();
    put_profiles_head(&mut out, &KindName::new("gifts").unwrap(), 300);
    assert_eq!(hex_of(&out), "06056769667473ac02");
    out.clear();
    let (member, profile) = (Member::new("ann"), Profile::new(r#"{"data":7}"#));
    put_profile_of(&mut out, &member.unwrap(), &profile.unwrap());
    assert_eq!(hex_of(&out), "03616e6e0a007b2264617461223a377d");
}

#[test]
fn the_head_of_a_board_whose_time_is_bounded() {
    let at = |ms| Some(Timestamp::from_millis(ms));
    let mut head = gifts_head("room", 1, 0);
    head.activity = Activity::new(at(258), at(259), Some(Duration::from_millis(1))).unwrap();
    let mut out = Vec::new();
    put_head(&mut out, &head);
    let expected = "01efcdab89674523010c00000000000000c0573a64b6600600011000010000000004726f6f6d\
        07d0ef030000000000b8f303000000000001";
    assert_eq!(hex_of(&out), expected);
}

fn text_of_small([header, footer]: [&str; 2]) -> String {
    let unit = "e2000000d6519d7c\
        01efcdab89674523010c00000000000000c0573a64b6600600011000010000000004726f6f6d00\
        0202cf0f\
        0388130000000000000201000000020000000300000004000000\
        05000000060000000700000008000000\
        03881300000000000000\
        04028080bbdd830503887766554433221102\
        03616e6e02000000000000000700000000000000\
        0362656e01000000000000000700000000000000\
        040003887766554433221101\
        03616e6e03000000000000000700000000000000\
        05\
        01efcdab89674523010c00000000000000c0573a64b660060001100010000f00000468616c6c00\
        05";
    let record = format!(r#"{{"name":"gifts","revision":2,"kind":{KIND}}}"#);
    let deleted = r#"{"name":"old","revision":5,"kind":null}"#;
    let table = [
        "f5030000782c420b",
        // One unit of 234 bytes with two parts, three rows and two ids; one definition of 462 bytes.
        "01ea01020302",
        "01ce03",
        &hex_of(KIND.as_bytes()),
        // Two kinds.
        "02f303",
        &hex_of(record.as_bytes()),
        "27",
        &hex_of(deleted.as_bytes()),
    ];
    [header, unit, &table.concat(), footer].concat()
}
