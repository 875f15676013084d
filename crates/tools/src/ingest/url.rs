//! Where the streams are, as a command line says it: [`StreamsUrl`].

use std::fmt;

use redis_link::{ServerUrl, decoded};

/// So that stream and entry id fit the id of a contribution, of 128 bytes.
const NAME_BYTES_MAX: usize = 80;

/// One Redis server, who logs in there, and what the streams are called before their number.
#[derive(Clone, Eq, PartialEq)]
pub(super) struct StreamsUrl {
    pub(super) server: ServerUrl,
    pub(super) prefix: String,
}

impl fmt::Debug for StreamsUrl {
    /// Without the login: it ends up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.server, self.prefix)
    }
}

impl StreamsUrl {
    /// Reads `redis://[USER:PASSWORD@]HOST[:PORT]/PREFIX`; errors do not repeat the login.
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

    /// The stream of a partition.
    pub(super) fn stream(&self, partition: u64) -> String {
        format!("{}:{partition}", self.prefix)
    }
}

/// A text that a stream, or a group, may be called.
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
    fn a_url_has_all_its_parts() {
        let url = StreamsUrl::parse("rediss://u%40x:p%2Fw@h.example:7000/gifts/{a}@b").unwrap();
        assert_eq!(url.server.to_string(), "rediss://h.example:7000");
        assert_eq!(url.stream(3), "gifts/{a}@b:3");
        let url = StreamsUrl::parse("redis://:pw@[::1]/g%20h").unwrap();
        assert_eq!(format!("{url:?}"), "redis://[::1]:6379/g h");
    }

    #[test]
    fn what_is_wrong_is_told_without_the_password() {
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
