//! [`Params`]: query parameters. Each is taken by name and checked; those that are left are errors.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::RangeInclusive;

use board::Value;
use wire::problem::Problem;

use crate::query_params::percent;

/// The longest value that an error about an unknown parameter repeats: a longer one may be a key.
const SHOWN_VALUE_BYTES_MAX: usize = 32;

/// The query parameters of a request that its handler has not taken yet.
pub struct Params<'a> {
    left: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

fn wrong(name: &str, value: &str, expected: impl Display) -> Problem {
    Problem::invalid(format!("{name}: {value:?} is not {expected}"))
}

impl<'a> Params<'a> {
    /// Parses a query. An invalid percent-encoding is an error.
    pub fn of(query: Option<&'a str>) -> Result<Self, Problem> {
        let query = query.unwrap_or_default();
        for pair in query.split('&').filter(|pair| pair.contains('%')) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            percent::check(name, name)?;
            percent::check(name, value)?;
        }
        let pairs = form_urlencoded::parse(query.as_bytes());
        Ok(Self {
            left: pairs.collect(),
        })
    }

    /// Takes a parameter as text. A repeated parameter is an error.
    pub fn text(&mut self, name: &str) -> Result<Option<Cow<'a, str>>, Problem> {
        let Some(index) = self.left.iter().position(|(other, _)| other == name) else {
            return Ok(None);
        };
        let (_, value) = self.left.swap_remove(index);
        if self.left.iter().any(|(other, _)| other == name) {
            return Err(Problem::invalid(format!("{name}: is given twice")));
        }
        Ok(Some(value))
    }

    /// Takes a count within a range.
    pub fn count(
        &mut self,
        name: &str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<u64>, Problem> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = if digits { text.parse().ok() } else { None };
        let (low, high) = (range.start(), range.end());
        number
            .filter(|number| range.contains(number))
            .map(Some)
            .ok_or_else(|| {
                let expected = if *high == u64::MAX {
                    format!("a whole number from {low} on")
                } else {
                    format!("a whole number from {low} to {high}")
                };
                wrong(name, &text, expected)
            })
    }

    /// Takes the value of a field.
    pub fn value(&mut self, name: &str) -> Result<Option<Value>, Problem> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        // As in JSON, 50.0 is 50.
        let whole = match text.split_once('.') {
            Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|it| it == b'0') => {
                whole
            }
            _ => &*text,
        };
        let number = whole
            .parse()
            .ok()
            .filter(|_| !whole.starts_with('+'))
            .and_then(Value::new);
        number
            .map(Some)
            .ok_or_else(|| wrong(name, &text, "an integer within ±9007199254740991"))
    }

    /// Takes `min` and `max` of the first field. It is an error if `min` is above `max`.
    pub fn bounds(&mut self) -> Result<(Option<Value>, Option<Value>), Problem> {
        let bounds = (self.value("min")?, self.value("max")?);
        match bounds {
            (Some(min), Some(max)) if min > max => {
                Err(Problem::invalid(format!("min: {min} is above max, {max}")))
            }
            _ => Ok(bounds),
        }
    }

    /// Takes `true` or `false`; defaults to `false`.
    pub fn flag(&mut self, name: &str) -> Result<bool, Problem> {
        match self.text(name)?.as_deref() {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => Err(wrong(name, other, "true or false")),
        }
    }

    /// Returns an error if any parameter is left.
    pub fn finish(self) -> Result<(), Problem> {
        match self.left.first() {
            None => Ok(()),
            Some((name, value)) => {
                let value = if value.len() <= SHOWN_VALUE_BYTES_MAX {
                    format!(" (value {value:?})")
                } else {
                    String::new()
                };
                let detail = format!("{name}: is not a parameter of this path{value}");
                Err(Problem::invalid(detail))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(query: &str) -> Params<'_> {
        Params::of(Some(query)).unwrap()
    }

    #[test]
    fn parameters_that_were_not_taken_are_errors() {
        let mut params = of("n=10&window=day%3A2026-11-20&x=1");
        assert_eq!(params.count("n", 1..=10).unwrap(), Some(10));
        assert_eq!(
            params.text("window").unwrap().as_deref(),
            Some("day:2026-11-20")
        );
        assert!(
            params
                .finish()
                .unwrap_err()
                .detail
                .contains("x: is not a parameter of this path")
        );
        assert!(Params::of(None).unwrap().finish().is_ok());
    }

    #[test]
    fn errors_name_parameter_and_value() {
        for (query, name) in [
            ("n=11", "n"),
            ("n=-1", "n"),
            ("n=1e1", "n"),
            ("n=", "n"),
            ("n=+1", "n"),
        ] {
            let error = of(query).count(name, 1..=10).unwrap_err();
            assert!(
                error.detail.starts_with("n: \""),
                "{query}: {}",
                error.detail
            );
        }
        assert!(of("n=1&n=2").text("n").is_err());
        assert!(of("min=9007199254740992").value("min").is_err());
        for wrong in ["1.5", "1.", ".0", "1.0.0", "1.00x", "+1.0"] {
            assert!(of(&format!("min={wrong}")).value("min").is_err(), "{wrong}");
        }
        assert_eq!(of("min=-1.00").value("min").unwrap(), Value::new(-1));
        assert_eq!(of("min=-5").value("min").unwrap(), Value::new(-5));
        assert!(of("fresh=1").flag("fresh").is_err());
    }

    #[test]
    fn invalid_encodings_are_refused_by_name() {
        for (query, name) in [
            ("n=1&after=100%", "after: \"100%\""),
            ("after=%zz&n=1", "after: \"%zz\""),
            ("after=%FF", "after: \"%FF\""),
            ("%zz=1", "%zz: \"%zz\""),
            ("after=1&%", "%: \"%\""),
        ] {
            let problem = Params::of(Some(query)).err().unwrap();
            assert!(problem.detail.starts_with(name), "{}", problem.detail);
        }
        let mut params = of("after=100%25+1%2B&&=&");
        assert_eq!(params.text("after").unwrap().as_deref(), Some("100% 1+"));
    }
}
