//! Command-line values that errors must not repeat, such as keys and passwords: [`SecretParser`].

use std::ffi::OsStr;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command};

/// Parses a value of the command line or the environment that may be, or contain, a secret.
///
/// Errors of clap's own parsers repeat the value. Errors of this one contain only the option and its variable. The
/// errors of the inner parser must not repeat the value either.
#[derive(Clone)]
pub struct SecretParser<F>(pub F);

impl<F, T> TypedValueParser for SecretParser<F>
where
    F: Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static,
    T: Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let parsed = match value.to_str() {
            Some(text) => (self.0)(text),
            None => Err("it is not UTF-8".to_owned()),
        };
        parsed.map_err(|why| {
            let option = arg.map_or_else(|| "...".to_owned(), ToString::to_string);
            let variable = arg.and_then(Arg::get_env).map_or_else(String::new, |name| {
                format!(" [env: {}]", name.to_string_lossy())
            });
            let message = format!("invalid value for '{option}'{variable}: {why}");
            clap::Error::raw(ErrorKind::ValueValidation, message).format(&mut cmd.clone())
        })
    }
}
