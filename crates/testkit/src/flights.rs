//! The flights of `tests/data`: the rows, and the boards expected from them.

use std::fs::File;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;

/// Returns the path of the unpacked file.
pub fn file() -> PathBuf {
    data("flights-2013-01.csv.gz")
}

/// Returns the header and the rows.
pub fn rows() -> (String, Vec<String>) {
    let text = unpacked("flights-2013-01.csv.gz");
    let mut lines = text.lines().map(str::to_owned);
    (lines.next().unwrap(), lines.collect())
}

/// Returns the expected boards.
pub fn expected() -> Value {
    serde_json::from_str(&unpacked("flights-2013-01.expected.json.gz")).unwrap()
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/data")
        .join(name)
}

fn unpacked(name: &str) -> String {
    std::io::read_to_string(GzDecoder::new(File::open(data(name)).unwrap())).unwrap()
}
