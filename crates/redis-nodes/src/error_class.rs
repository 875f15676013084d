//! What an error of Redis means for a call: [`ErrorClass`].

use crate::redis_link::Address;

/// What an error of Redis means for the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ErrorClass {
    /// The slot has another owner permanently.
    Moved(Option<Address>),
    /// The slot is migrating, and the keys are already at the target: the call is to be sent there
    /// with `ASKING`.
    Ask(Option<Address>),
    /// It is transient: the same call may succeed later.
    Transient,
    /// The node does not have our functions.
    MissingFunction,
    /// The node is no longer a primary.
    NotPrimary,
    /// The function failed while it ran: it may have written something.
    FunctionFailed,
    /// Another attempt would have the same result.
    Permanent,
}

impl ErrorClass {
    /// Returns the class of an error of the node at `sender`.
    pub(crate) fn of(words: &str, sender: &Address) -> Self {
        let mut parts = words.split_ascii_whitespace();
        let code = parts.next().unwrap_or_default();
        let target =
            |named: Option<&str>| named.and_then(|named| Address::from_redirection(named, sender));
        match code {
            "MOVED" => Self::Moved(target(parts.nth(1))),
            "ASK" => Self::Ask(target(parts.nth(1))),
            "TRYAGAIN" | "CLUSTERDOWN" | "LOADING" | "MASTERDOWN" | "BUSY" => Self::Transient,
            "READONLY" => Self::NotPrimary,
            "ERR" if words.contains("Function not found") => Self::MissingFunction,
            // The error of a function that did not handle it ends with "script: NAME, on ...".
            _ if words.contains(" script: ") => Self::FunctionFailed,
            _ => Self::Permanent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_redis_are_classified() {
        let sender = Address::new("10.0.0.1", 6379);
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
            assert_eq!(ErrorClass::of(words, &sender), trouble, "{words}");
        }
    }
}
