//! The parameters of an encoding's text: [`Parameters`], `name(parameter=value, ...)`.

use board::Timestamp;
use board::limits::VALUE_MAX;

use crate::countdown::Unit;
use crate::error::EncodingError;

/// The parameters in the parentheses that have not been taken yet.
pub(crate) struct Parameters<'a> {
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> Parameters<'a> {
    /// Splits a text into its name, which may be empty, and its parameters.
    pub(crate) fn split(text: &'a str) -> Result<(&'a str, Self), EncodingError> {
        let shape = || EncodingError::Shape(text.to_owned());
        let text = text.trim();
        let Some((name, after)) = text.split_once('(') else {
            return Ok((text, Self { pairs: Vec::new() }));
        };
        let inner = after.strip_suffix(')').ok_or_else(shape)?;
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for part in inner.split(',').map(str::trim) {
            let (parameter, value) = part.split_once('=').unwrap_or(("", part));
            let (parameter, value) = (parameter.trim(), value.trim());
            if value.is_empty() {
                return Err(shape());
            }
            if pairs.iter().any(|(other, _)| *other == parameter) {
                return Err(EncodingError::Twice(parameter.to_owned()));
            }
            pairs.push((parameter, value));
        }
        Ok((name.trim_end(), Self { pairs }))
    }

    /// Takes a parameter, if it exists.
    pub(crate) fn take(&mut self, parameter: &str) -> Option<&'a str> {
        let index = self.pairs.iter().position(|(name, _)| *name == parameter)?;
        Some(self.pairs.swap_remove(index).1)
    }

    /// Takes `unit`: `s`, the default, or `ms`.
    pub(crate) fn unit(&mut self) -> Result<Unit, EncodingError> {
        match self.take("unit") {
            None | Some("s") => Ok(Unit::Seconds),
            Some("ms") => Ok(Unit::Millis),
            Some(text) => Err(wrong("unit", text, "is neither s nor ms")),
        }
    }

    /// Takes a moment: RFC 3339, or a count of units since 1970.
    pub(crate) fn moment(
        &mut self,
        parameter: &'static str,
        unit: Unit,
    ) -> Result<Option<i64>, EncodingError> {
        let Some(text) = self.take(parameter) else {
            return Ok(None);
        };
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            let number = text.parse().ok();
            let number = number.filter(|number| (1..=VALUE_MAX).contains(number));
            let reason = "is not a count from 1 to 9007199254740991";
            return number
                .map(Some)
                .ok_or_else(|| wrong(parameter, text, reason));
        }
        let at = Timestamp::parse_rfc3339(text).map_err(|_| {
            let reason = format!(
                "is neither RFC 3339 nor a count of {} since 1970",
                unit.name()
            );
            wrong(parameter, text, &reason)
        })?;
        Ok(Some(unit.count(at)))
    }

    /// Takes a number from 1 to `max`.
    pub(crate) fn number(
        &mut self,
        parameter: &'static str,
        max: u32,
    ) -> Result<Option<u32>, EncodingError> {
        let Some(text) = self.take(parameter) else {
            return Ok(None);
        };
        number(parameter, text, max).map(Some)
    }

    /// Checks that no parameter is left.
    pub(crate) fn end(
        self,
        encoding: &'static str,
        known: &'static str,
    ) -> Result<(), EncodingError> {
        match self.pairs.first() {
            None => Ok(()),
            Some((name, value)) => Err(EncodingError::Parameter {
                encoding,
                parameter: if name.is_empty() { *value } else { *name }.to_owned(),
                known,
            }),
        }
    }
}

/// Parses a number from 1 to `max`.
pub(crate) fn number(parameter: &'static str, text: &str, max: u32) -> Result<u32, EncodingError> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (1..=max).contains(number));
    number.ok_or_else(|| wrong(parameter, text, &format!("is not a number from 1 to {max}")))
}

/// Returns an error about the value of a parameter.
pub(crate) fn wrong(parameter: &'static str, text: &str, reason: &str) -> EncodingError {
    EncodingError::Value {
        parameter,
        text: text.to_owned(),
        reason: reason.to_owned(),
    }
}
