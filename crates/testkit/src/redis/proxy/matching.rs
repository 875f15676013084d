//! The requests that a fault applies to: [`Matching`].

use std::fmt;
use std::sync::Arc;

type Test = dyn Fn(&[Vec<u8>]) -> bool + Send + Sync;

/// Selects requests by their words.
#[derive(Clone)]
pub struct Matching {
    what: String,
    test: Arc<Test>,
}

impl Matching {
    /// Any request, including those of a connection setup (`HELLO`, `AUTH`, `INFO`, `CLIENT`).
    pub fn any() -> Self {
        Self::request("any request", |_| true)
    }

    /// Requests with this command, in any case.
    pub fn command(name: impl Into<String>) -> Self {
        let name = name.into();
        Self::request(&name.clone(), move |words| {
            words[0].eq_ignore_ascii_case(name.as_bytes())
        })
    }

    /// Calls of functions (`FCALL`, `FCALL_RO`) whose name contains `part`.
    pub fn function(part: impl Into<String>) -> Self {
        let part = part.into();
        let what = format!("a function *{part}*");
        Self::request(&what, move |words| {
            function_of(words).is_some_and(|name| name.contains(&part))
        })
    }

    /// Requests whose words, the command first, pass `test`.
    pub fn request(what: &str, test: impl Fn(&[Vec<u8>]) -> bool + Send + Sync + 'static) -> Self {
        Self {
            what: what.to_owned(),
            test: Arc::new(test),
        }
    }

    pub(super) fn picks(&self, words: &[Vec<u8>]) -> bool {
        (self.test)(words)
    }
}

impl fmt::Debug for Matching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// Returns the command of a request in upper case.
pub(super) fn command_of(words: &[Vec<u8>]) -> String {
    String::from_utf8_lossy(&words[0]).to_ascii_uppercase()
}

/// Returns the name of the function that a request calls.
pub(super) fn function_of(words: &[Vec<u8>]) -> Option<String> {
    let calls = ["FCALL", "FCALL_RO"].contains(&command_of(words).as_str());
    let name = words.get(1).filter(|_| calls)?;
    Some(String::from_utf8_lossy(name).into_owned())
}
