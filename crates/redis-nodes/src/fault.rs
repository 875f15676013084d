//! Why a call failed at its node: [`Fault`], and what an error of Redis means: [`ErrorClass`].

use crate::overload::Overload;
use redis_link::Address;

/// A command without the answer that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It was never sent.
    NotSent(String),
    /// It was not sent, since what waits before it takes longer than it has.
    Overloaded(Overload),
    /// It may have been sent, and no answer came.
    Lost(String),
    /// Redis answered an error: its words.
    Redis(String),
}

impl From<redis_link::Fault> for Fault {
    fn from(fault: redis_link::Fault) -> Self {
        match fault {
            redis_link::Fault::NotSent(words) => Self::NotSent(words),
            redis_link::Fault::Lost(words) => Self::Lost(words),
            redis_link::Fault::Redis(words) => Self::Redis(words),
        }
    }
}

impl Fault {
    pub(crate) fn words(&self) -> &str {
        match self {
            Self::NotSent(words) | Self::Lost(words) | Self::Redis(words) => words,
            Self::Overloaded(overload) => &overload.why,
        }
    }
}

/// What an error of Redis means for the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ErrorClass {
    /// The slot has another owner for good.
    Moved(Option<Address>),
    /// The slot is on its way, and the keys are there already: to be asked with `ASKING`.
    Ask(Option<Address>),
    /// It will pass: the same call will do later.
    Transient,
    /// The node does not have our functions.
    MissingFunction,
    /// The node is no primary any more.
    NotPrimary,
    /// The function failed while it ran: how far it came is unknown.
    FunctionFailed,
    /// Nothing that another attempt would change.
    Permanent,
}

impl ErrorClass {
    /// What the words of the node at `teller` say.
    pub(crate) fn of(words: &str, teller: &Address) -> Self {
        let mut parts = words.split_ascii_whitespace();
        let code = parts.next().unwrap_or_default();
        let target =
            |told: Option<&str>| told.and_then(|told| Address::from_redirection(told, teller));
        match code {
            "MOVED" => Self::Moved(target(parts.nth(1))),
            "ASK" => Self::Ask(target(parts.nth(1))),
            "TRYAGAIN" | "CLUSTERDOWN" | "LOADING" | "MASTERDOWN" | "BUSY" => Self::Transient,
            "READONLY" => Self::NotPrimary,
            "ERR" if words.contains("Function not found") => Self::MissingFunction,
            // What a running function could not handle ends with "script: NAME, on ...".
            _ if words.contains(" script: ") => Self::FunctionFailed,
            _ => Self::Permanent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_redis_are_understood() {
        let teller = Address::new("10.0.0.1", 6379);
        let at = |host, port| Some(Address::new(host, port));
        for (words, trouble) in [
            (
                "MOVED 3999 127.0.0.1:6381",
                ErrorClass::Moved(at("127.0.0.1", 6381)),
            ),
            ("MOVED 3999 :6381", ErrorClass::Moved(at("10.0.0.1", 6381))),
            ("MOVED", ErrorClass::Moved(None)),
            ("MOVED x y", ErrorClass::Moved(None)),
            (
                "ASK 3999 fd00::1:6381",
                ErrorClass::Ask(at("fd00::1", 6381)),
            ),
            (
                "TRYAGAIN Multiple keys request during rehashing of slot",
                ErrorClass::Transient,
            ),
            (
                "LOADING Redis is loading the dataset in memory",
                ErrorClass::Transient,
            ),
            (
                "READONLY You can't write against a read only replica.",
                ErrorClass::NotPrimary,
            ),
            ("ERR Function not found", ErrorClass::MissingFunction),
            (
                "ERR user_function:3: attempt to index nil script: x, on @user_function:3.",
                ErrorClass::FunctionFailed,
            ),
            (
                "NOREPLICAS Not enough good replicas to write.",
                ErrorClass::Permanent,
            ),
            (
                "OOM command not allowed when used memory > 'maxmemory'.",
                ErrorClass::Permanent,
            ),
            ("", ErrorClass::Permanent),
        ] {
            assert_eq!(ErrorClass::of(words, &teller), trouble, "{words}");
        }
    }
}
