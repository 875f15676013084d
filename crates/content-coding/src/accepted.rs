//! [`accepted`]: the coding that an `Accept-Encoding` selects (RFC 9110, 12.5.3).

use crate::coding::Coding;

/// A weight, in thousandths.
type Weight = u16;

const WEIGHT_MAX: Weight = 1000;

/// The weight of the identity coding where no header names it: acceptable, but less than what is named.
const IDENTITY_WEIGHT: Weight = 1;

/// The weights that a request gives to codings.
#[derive(Default)]
struct Weights {
    of_codings: [Option<Weight>; Coding::ALL.len()],
    identity: Option<Weight>,
    any: Option<Weight>,
}

/// Returns the coding that the values of `Accept-Encoding` select: the one with the greatest weight, and of equal ones
/// the first in [`Coding::ALL`]. `None`: the body as it is. That is also the result if nothing is acceptable, as if the
/// header were missing.
pub fn accepted<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<Coding> {
    let mut weights = Weights::default();
    for element in values.into_iter().flat_map(|value| value.split(',')) {
        weights.see(element);
    }
    let identity = weights.identity.or(weights.any).unwrap_or(IDENTITY_WEIGHT);
    let mut best: Option<(Coding, Weight)> = None;
    for (coding, named) in Coding::ALL.into_iter().zip(weights.of_codings) {
        let weight = named.or(weights.any).unwrap_or(0);
        let beats = best.map_or(weight > 0 && weight >= identity, |(_, most)| weight > most);
        if beats {
            best = Some((coding, weight));
        }
    }
    best.map(|(coding, _)| coding)
}

impl Weights {
    /// Takes an element of a header. One that is malformed is ignored.
    fn see(&mut self, element: &str) {
        let mut parts = element.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = match (parts.next(), parts.next()) {
            (None, _) => Some(WEIGHT_MAX),
            (Some(parameter), None) => weight_of(parameter),
            (Some(_), Some(_)) => None,
        };
        let Some(weight) = weight else { return };
        let is = |coding: &str| name.eq_ignore_ascii_case(coding);
        let held = if name == "*" {
            &mut self.any
        } else if is("identity") {
            &mut self.identity
        } else if is("x-gzip") {
            &mut self.of_codings[Coding::Gzip as usize]
        } else {
            match Coding::ALL.into_iter().position(|coding| is(coding.name())) {
                Some(index) => &mut self.of_codings[index],
                None => return,
            }
        };
        *held = Some(held.unwrap_or(0).max(weight));
    }
}

/// Parses `q=0.5`: at most three decimals, at most 1.
fn weight_of(parameter: &str) -> Option<Weight> {
    let (name, value) = parameter.split_once('=')?;
    if !name.eq_ignore_ascii_case("q") {
        return None;
    }
    let (whole, decimals) = value.split_once('.').unwrap_or((value, ""));
    let are_digits = decimals.bytes().all(|byte| byte.is_ascii_digit());
    if !matches!(whole, "0" | "1") || decimals.len() > 3 || !are_digits {
        return None;
    }
    let thousandths: Weight = format!("{whole}{decimals:0<3}").parse().ok()?;
    (thousandths <= WEIGHT_MAX).then_some(thousandths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_coding_with_the_greatest_weight_is_selected() {
        use Coding::{Brotli, Gzip, Zstd};
        for (header, expected) in [
            ("", None),
            ("identity", None),
            ("gzip", Some(Gzip)),
            ("GZIP", Some(Gzip)),
            ("x-gzip", Some(Gzip)),
            ("br", Some(Brotli)),
            ("zstd", Some(Zstd)),
            ("gzip, deflate, br, zstd", Some(Zstd)),
            ("gzip, deflate, br", Some(Brotli)),
            ("gzip,deflate", Some(Gzip)),
            ("deflate, compress", None),
            ("zstd;q=0.5, gzip", Some(Gzip)),
            ("zstd;q=0.5, br;q=0.501, gzip;q=0.5", Some(Brotli)),
            ("gzip ; q=0.3 , br; Q=0.3", Some(Brotli)),
            ("gzip;q=1.000", Some(Gzip)),
            ("gzip;q=0.001", Some(Gzip)),
            // A coding that is not named is not accepted; the identity is.
            ("gzip;q=0", None),
            ("gzip;q=0.000, br", Some(Brotli)),
            ("identity;q=0, gzip", Some(Gzip)),
            ("identity;q=1, gzip;q=0.5", None),
            ("identity;q=0.5, gzip;q=0.5", Some(Gzip)),
            ("identity;q=0.4, gzip;q=0.5", Some(Gzip)),
            // The rest, the identity included.
            ("*", Some(Zstd)),
            ("*;q=0.1", Some(Zstd)),
            ("zstd;q=0, *", Some(Brotli)),
            ("gzip, *;q=0", Some(Gzip)),
            ("gzip;q=0.5, *", Some(Zstd)),
            ("identity, *;q=0.5", None),
            // Nothing is acceptable: as if there were no header.
            ("*;q=0", None),
            ("identity;q=0", None),
            ("identity;q=0, deflate", None),
            // What is malformed is ignored.
            ("gzip;q=2", None),
            ("gzip;q=1.001", None),
            ("gzip;q=0.0001", None),
            ("gzip;q=.5", None),
            ("gzip;q=-1, br", Some(Brotli)),
            ("gzip;level=1", None),
            ("gzip;q=1;q=0", None),
            ("gzip;q=", None),
            (",, ;q=1, br", Some(Brotli)),
        ] {
            assert_eq!(accepted([header]), expected, "{header:?}");
        }
        assert_eq!(accepted([]), None);
        assert_eq!(accepted(["gzip;q=0.5", "br;q=0.6"]), Some(Brotli));
    }
}
