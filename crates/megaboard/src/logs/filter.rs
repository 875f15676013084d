//! Which lines there are, as `MEGABOARD_LOG` says it.
//!
//! The filter's own reading takes any word for a target, and so a level that is written wrong for one
//! that nobody has: the server would log nothing, and say nothing of it. Here a word alone is a level.

use std::env::{self, VarError};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::{Directive, LevelFilter};

/// Where it is said.
const VARIABLE: &str = "MEGABOARD_LOG";

/// What is logged where nothing is said.
const FILTER_DEFAULT: &str = "info";

/// A part that says nothing.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{VARIABLE}: {0:?} is neither a level (off, error, warn, info, debug, trace) nor target=level"
)]
pub(crate) struct FilterError(String);

/// What the environment says.
pub(crate) fn of_environment() -> Result<EnvFilter, FilterError> {
    match env::var(VARIABLE) {
        Ok(told) => parse(&told),
        Err(VarError::NotPresent) => parse(""),
        Err(VarError::NotUnicode(told)) => Err(FilterError(told.to_string_lossy().into_owned())),
    }
}

fn parse(told: &str) -> Result<EnvFilter, FilterError> {
    let parts = told.split(',').map(str::trim);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    if let Some(wrong) = parts.iter().find(|part| !is_directive(part)) {
        return Err(FilterError((*wrong).to_owned()));
    }
    Ok(EnvFilter::new(match &parts[..] {
        [] => FILTER_DEFAULT.to_owned(),
        parts => parts.join(","),
    }))
}

fn is_directive(part: &str) -> bool {
    if part.contains(['=', '[']) {
        part.parse::<Directive>().is_ok()
    } else {
        part.parse::<LevelFilter>().is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_what_is_logged() {
        let told = |text| parse(text).unwrap().to_string();
        assert_eq!(told(""), "info");
        assert_eq!(told(" , "), "info");
        assert_eq!(told("WARN"), "warn");
        let parts = told("info, api=debug");
        let mut parts: Vec<&str> = parts.split(',').collect();
        parts.sort_unstable();
        assert_eq!(parts, ["api=debug", "info"]);
    }

    #[test]
    fn what_says_nothing_is_refused_by_name() {
        for (text, wrong) in [
            ("inof", "inof"),
            ("info,api=debgu", "api=debgu"),
            ("shard_store", "shard_store"),
            ("info,=", "="),
        ] {
            let told = parse(text).map(|filter| filter.to_string());
            assert_eq!(told, Err(FilterError(wrong.to_owned())), "{text}");
        }
    }
}
