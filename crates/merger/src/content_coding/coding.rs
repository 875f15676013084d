//! [`Coding`]: a content coding, and bytes in it.

use std::io::Write as _;

use flate2::write::GzEncoder;

/// Minimum bytes of a body that is compressed: a smaller one fits into one packet as it is.
pub const CODED_BYTES_MIN: usize = 1024;

/// The levels. Half of an entry is the same in all, the rest is nearly random: higher levels cost several times as much,
/// and save little (`docs/decisions/0016-compressed-responses.md`).
const GZIP_LEVEL: u32 = 1;
const ZSTD_LEVEL: i32 = 1;

/// A content coding, in the order in which the server prefers them: the smallest and cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coding {
    /// RFC 8878.
    Zstd,
    /// RFC 1952.
    Gzip,
}

impl Coding {
    /// All codings, the preferred one first.
    pub const ALL: [Self; 2] = [Self::Zstd, Self::Gzip];

    /// Returns the name in headers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
        }
    }

    /// Returns the bytes in this coding; `None` if that is not shorter.
    #[must_use]
    pub fn encoded(self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut coded = match self {
            Self::Zstd => zstd::bulk::compress(bytes, ZSTD_LEVEL).ok()?,
            Self::Gzip => gzip(bytes)?,
        };
        coded.shrink_to_fit();
        (coded.len() < bytes.len()).then_some(coded)
    }
}

// Writing into a vector does not fail; if it did, the body would be sent as it is.
fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::new(GZIP_LEVEL));
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Read as _;

    use super::*;

    pub(crate) fn decoded(coding: Coding, coded: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        match coding {
            Coding::Zstd => bytes = zstd::decode_all(coded).unwrap(),
            Coding::Gzip => {
                let mut decoder = flate2::read::GzDecoder::new(coded);
                decoder.read_to_end(&mut bytes).unwrap();
            }
        }
        bytes
    }

    /// Returns a body that compresses as a top does.
    pub(crate) fn top(entries: usize) -> Vec<u8> {
        let entry = |index: usize| {
            let (a, b) = (index * 7919 % 100_003, index * 104_729 % 86_400);
            format!("{{\"rank\":{index},\"member\":\"u{a}\",\"points\":{b}}},")
        };
        (0..entries).map(entry).collect::<String>().into_bytes()
    }

    #[test]
    fn bodies_of_all_lengths_are_decoded() {
        for coding in Coding::ALL {
            for entries in [20, 100, 1000, 20_000] {
                let body = top(entries);
                let coded = coding.encoded(&body).unwrap();
                assert!(coded.len() * 2 < body.len(), "{coding:?} {entries}");
                assert!(decoded(coding, &coded) == body, "{coding:?} {entries}");
            }
        }
    }

    #[test]
    fn bytes_that_do_not_become_shorter_have_no_coding() {
        for coding in Coding::ALL {
            assert_eq!(coding.encoded(b""), None);
            assert_eq!(coding.encoded(b"a"), None);
        }
    }
}
