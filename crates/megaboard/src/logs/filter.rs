//! Which lines are logged: the variable `MEGABOARD_LOG`.
//!
//! [`Targets`] reads any word as a target, and so a misspelt level as a target that does not exist: the server would
//! silently log nothing. Here a single word is a level.

use std::env::{self, VarError};

use tracing_subscriber::filter::{LevelFilter, Targets};

/// The environment variable.
const VARIABLE: &str = "MEGABOARD_LOG";

/// The default level.
const LEVEL_DEFAULT: LevelFilter = LevelFilter::INFO;

/// A part that is not a directive.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{VARIABLE}: {0:?} is neither a level (off, error, warn, info, debug, trace) nor target=level"
)]
pub(crate) struct FilterError(String);

/// Returns the filter of the environment.
pub(crate) fn of_environment() -> Result<Targets, FilterError> {
    match env::var(VARIABLE) {
        Ok(text) => parse(&text),
        Err(VarError::NotPresent) => parse(""),
        Err(VarError::NotUnicode(text)) => Err(FilterError(text.to_string_lossy().into_owned())),
    }
}

fn parse(text: &str) -> Result<Targets, FilterError> {
    let parts = text.split(',').map(str::trim);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        return Ok(Targets::new().with_default(LEVEL_DEFAULT));
    }
    let mut filter = Targets::new();
    for part in parts {
        let (target, level) = match part.split_once('=') {
            Some((target, level)) => (Some(target), level),
            None => (None, part),
        };
        // `Targets` reads an empty level as `error`.
        let level = Some(level).filter(|level| !level.is_empty());
        let level = level.and_then(|level| level.parse::<LevelFilter>().ok());
        filter = match (target, level) {
            (None, Some(level)) => filter.with_default(level),
            (Some(target), Some(level)) if is_target(target) => filter.with_target(target, level),
            _ => return Err(FilterError(part.to_owned())),
        };
    }
    Ok(filter)
}

/// Returns whether the text is a module path, such as events have as their target.
fn is_target(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_:-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_select_what_is_logged() {
        let filter = |text| parse(text).unwrap();
        let info = Targets::new().with_default(LevelFilter::INFO);
        assert_eq!(filter(""), info);
        assert_eq!(filter(" , "), info);
        let warn = Targets::new().with_default(LevelFilter::WARN);
        assert_eq!(filter("WARN"), warn);
        let debug = LevelFilter::DEBUG;
        assert_eq!(
            filter("info, api=debug"),
            info.clone().with_target("api", debug)
        );
        assert_eq!(
            filter("api::body=off,info"),
            info.with_target("api::body", LevelFilter::OFF)
        );
    }

    #[test]
    fn errors_name_the_variable() {
        for (text, wrong) in [
            ("inof", "inof"),
            ("info,api=debgu", "api=debgu"),
            ("shard_store", "shard_store"),
            ("info,=", "="),
            ("api=", "api="),
            ("=info", "=info"),
            ("[span]=info", "[span]=info"),
        ] {
            let refused = parse(text).unwrap_err();
            assert_eq!(refused, FilterError(wrong.to_owned()), "{text}");
        }
    }
}
