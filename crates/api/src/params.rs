//! Query parameters: each is asked for by name, checked, and what was not asked for is an error.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::RangeInclusive;

use board::Value;

use crate::problem::Problem;

/// The parameters of one request that nobody has asked for yet.
pub(crate) struct Params<'a> {
    left: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

fn wrong(name: &str, value: &str, expected: impl Display) -> Problem {
    Problem::invalid(format!("{name}: {value:?} is not {expected}"))
}

impl<'a> Params<'a> {
    pub(crate) fn of(query: Option<&'a str>) -> Self {
        let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        Self {
            left: pairs.collect(),
        }
    }

    /// The parameter's text. Given twice it is an error.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<Cow<'a, str>>, Problem> {
        let Some(place) = self.left.iter().position(|(other, _)| other == name) else {
            return Ok(None);
        };
        let (_, value) = self.left.swap_remove(place);
        if self.left.iter().any(|(other, _)| other == name) {
            return Err(Problem::invalid(format!("{name}: is given twice")));
        }
        Ok(Some(value))
    }

    /// A count within a range.
    pub(crate) fn count(
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

    /// A field's value.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<Value>, Problem> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let number = text
            .parse()
            .ok()
            .filter(|_| !text.starts_with('+'))
            .and_then(Value::new);
        number
            .map(Some)
            .ok_or_else(|| wrong(name, &text, "an integer within ±9007199254740991"))
    }

    /// `min` and `max` of the first field, in order where both are given.
    pub(crate) fn bounds(&mut self) -> Result<(Option<Value>, Option<Value>), Problem> {
        let bounds = (self.value("min")?, self.value("max")?);
        match bounds {
            (Some(min), Some(max)) if min > max => {
                Err(Problem::invalid(format!("min: {min} is above max, {max}")))
            }
            _ => Ok(bounds),
        }
    }

    /// `true` or `false`; without it `false`.
    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, Problem> {
        match self.text(name)?.as_deref() {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => Err(wrong(name, other, "true or false")),
        }
    }

    /// Whatever is left is an error.
    pub(crate) fn finish(self) -> Result<(), Problem> {
        match self.left.first() {
            None => Ok(()),
            Some((name, value)) => Err(Problem::invalid(format!(
                "{name}: this path knows no such parameter ({value:?})"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_is_asked_for_or_an_error() {
        let mut params = Params::of(Some("n=10&window=day%3A2026-11-20&x=1"));
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
                .contains("x: this path knows no")
        );
        assert!(Params::of(None).finish().is_ok());
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
            let error = Params::of(Some(query)).count(name, 1..=10).unwrap_err();
            assert!(
                error.detail.starts_with("n: \""),
                "{query}: {}",
                error.detail
            );
        }
        assert!(Params::of(Some("n=1&n=2")).text("n").is_err());
        assert!(
            Params::of(Some("min=9007199254740992"))
                .value("min")
                .is_err()
        );
        assert!(Params::of(Some("min=1.0")).value("min").is_err());
        assert_eq!(
            Params::of(Some("min=-5")).value("min").unwrap(),
            Value::new(-5)
        );
        assert!(Params::of(Some("fresh=1")).flag("fresh").is_err());
    }
}
