//! Errors of the Redis client in words for people: [`plain`].

use fred::error::Error;

/// What the system says, out of what fred makes of it:
/// `Os { code: 111, kind: ConnectionRefused, message: "Connection refused" }`.
pub(crate) fn plain(error: &Error) -> String {
    of_details(error.details()).to_owned()
}

fn of_details(details: &str) -> &str {
    let message = details.split_once("message: \"");
    let message = message.and_then(|(_, message)| message.split('"').next());
    message.unwrap_or(details)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_system_are_taken_out() {
        let os = "Os { code: 111, kind: ConnectionRefused, message: \"Connection refused\" }";
        assert_eq!(of_details(os), "Connection refused");
        assert_eq!(of_details("NOAUTH log in"), "NOAUTH log in");
    }
}
