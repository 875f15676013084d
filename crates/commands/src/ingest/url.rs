//! The URL of the streams: [`StreamsUrl`].

use std::fmt;

use redis_nodes::redis_link::{ServerUrl, decoded};

/// Ensures that a stream and an entry id fit into the id of a contribution, 128 bytes.
const NAME_BYTES_MAX: usize = 80;

/// A Redis server, its credentials, and the prefix of the streams.
#[derive(Clone, Eq, PartialEq)]
pub(super) struct StreamsUrl {
    pub(super) server: ServerUrl,
    pub(super) prefix: String,
}

impl fmt::Debug for StreamsUrl {
    /// Formats the URL without credentials, since it may be logged.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.server, self.prefix)
    }
}

impl StreamsUrl {
    /// Parses `redis://[USER:PASSWORD@]HOST[:PORT]/PREFIX`. Errors do not repeat the credentials.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        const SHAPE: &str = "it must look like redis://[USER:PASSWORD@]HOST[:PORT]/PREFIX";
        let (server, prefix) =
            ServerUrl::with_path(text).map_err(|error| format!("{error}; {SHAPE}"))?;
        let prefix = decoded(prefix).ok_or("the prefix is not UTF-8")?;
        if prefix.is_empty() {
            return Err(SHAPE.to_owned());
        }
        Ok(Self {
            server,
            prefix: stream_name(&prefix)?,
        })
    }

    /// Returns the name of a partition's stream.
    pub(super) fn stream(&self, partition: u64) -> String {
        format!("{}:{partition}", self.prefix)
    }
}

/// Validates the name of a stream or a group.
pub(super) fn stream_name(text: &str) -> Result<String, String> {
    match text.len() {
        0 => Err("the name is missing".to_owned()),
        1..=NAME_BYTES_MAX => Ok(text.to_owned()),
        bytes => Err(format!(
            "the name has {bytes} bytes; at most {NAME_BYTES_MAX} are allowed"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_of_a_url_are_parsed() {
        let url = StreamsUrl::parse("rediss://u%40x:p%2Fw@h.example:7000/gifts/{a}@b").unwrap();
        assert_eq!(url.server.to_string(), "rediss://h.example:7000");
        assert_eq!(url.stream(3), "gifts/{a}@b:3");
        let url = StreamsUrl::parse("redis://:pw@[::1]/g%20h").unwrap();
        assert_eq!(format!("{url:?}"), "redis://[::1]:6379/g h");
    }

    #[test]
    fn errors_do_not_repeat_the_password() {
        let long = format!("redis://h/{}", "x".repeat(81));
        for wrong in [
            "h:6379/g",
            "http://h/g",
            "redis://h",
            "redis://h/",
            "redis:///g",
            "redis://secret@h/g",
            "redis://u:secret@h:port/g",
            long.as_str(),
        ] {
            let error = StreamsUrl::parse(wrong).unwrap_err();
            assert!(!error.contains("secret"), "{error}");
        }
        let url = StreamsUrl::parse("redis://u:secret@h/g").unwrap();
        assert!(!format!("{url:?}").contains("secret"));
    }
}
