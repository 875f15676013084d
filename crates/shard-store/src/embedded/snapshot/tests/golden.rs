//! The format as it is: what changes this text needs a new version of it.

use std::fmt::Write;

use super::given::small;
use super::memory::MemoryDisk;

const KIND: &str = r#"{"name":"gifts","mode":"accumulate","fields":[{"name":"points","order":"desc","op":"sum"}],"ties":"earliest","rank":"ordinal","windows":[{"period":"all","keep":"forever"}],"time_zone":"UTC","shards":16,"top":10,"max_staleness_ms":0,"dedupe_ms":0}"#;

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

#[test]
fn a_small_snapshot() {
    let disk = MemoryDisk::default();
    small().write(&disk).unwrap();
    let header = "6d656761736e6170010000000a0000000000000016761136";
    let unit = "dd0000004f96c924\
        01efcdab89674523010c00000000000000ebb871f9a1010000011000010000000004726f6f6d\
        020201\
        0305000000000000000201000000020000000300000004000000\
        05000000060000000700000008000000\
        03050000000000000000\
        040180f0b25203887766554433221102\
        03616e6e02000000000000000700000000000000\
        0362656e01000000000000000700000000000000\
        040403887766554433221101\
        03616e6e03000000000000000700000000000000\
        05\
        01efcdab89674523010c00000000000000ebb871f9a101000001100010000f00000468616c6c\
        05";
    let record = format!(r#"{{"name":"gifts","revision":2,"kind":{KIND}}}"#);
    let deleted = r#"{"name":"old","revision":5}"#;
    let table = [
        "3902000078c745f0",
        // One unit of 229 bytes with two parts, three rows and two ids; one definition of 246 bytes.
        "01e501020302",
        "01f601",
        &hex(KIND.as_bytes()),
        // Two kinds.
        "029b02",
        &hex(record.as_bytes()),
        "1b",
        &hex(deleted.as_bytes()),
    ];
    let footer = "fd00000000000000b67f0da66d656761736e6170";
    assert_eq!(
        hex(&disk.get("snapshot-00000000000000000010.snap")),
        [header, unit, &table.concat(), footer].concat()
    );
}
