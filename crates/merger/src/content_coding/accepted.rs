//! [`accepted`]: the coding that an `Accept-Encoding` selects (RFC 9110, 12.5.3).

use crate::content_coding::coding::Coding;

/// Returns the first coding of [`Coding::ALL`] that the values of `Accept-Encoding` name, other than with `q=0`.
/// `None`: the body as it is. Other weights are not compared: clients send them for media types, not for codings.
pub fn accepted<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<Coding> {
    let elements = values.into_iter().flat_map(|value| value.split(','));
    elements.filter_map(named).min()
}

/// Returns the coding that an element of a header names.
fn named(element: &str) -> Option<Coding> {
    let (name, weight) = element.split_once(';').unwrap_or((element, ""));
    let weight = weight.split_once('=').map(|(_, weight)| weight.trim());
    let is_excluded = weight.is_some_and(|weight| weight.parse() == Ok(0.0));
    let mut known = Coding::ALL.into_iter().filter(|_| !is_excluded);
    known.find(|coding| name.trim().eq_ignore_ascii_case(coding.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_coding_that_is_named_is_selected() {
        use Coding::{Gzip, Zstd};
        for (header, expected) in [
            ("", None),
            ("identity", None),
            ("gzip", Some(Gzip)),
            ("GZIP", Some(Gzip)),
            ("zstd", Some(Zstd)),
            ("gzip, deflate, br, zstd", Some(Zstd)),
            ("gzip, deflate, br", Some(Gzip)),
            ("gzip,deflate", Some(Gzip)),
            ("deflate, compress", None),
            ("gzip ; Q=0.3", Some(Gzip)),
            ("zstd;q=0, gzip", Some(Gzip)),
            ("gzip;q=0.000", None),
            ("gzip;q=0.001", Some(Gzip)),
            // Every other coding may be left out.
            ("*", None),
            ("identity;q=0", None),
            (",, ;q=1, gzip", Some(Gzip)),
        ] {
            assert_eq!(accepted([header]), expected, "{header:?}");
        }
        assert_eq!(accepted([]), None);
        assert_eq!(accepted(["gzip", "zstd"]), Some(Zstd));
    }
}
