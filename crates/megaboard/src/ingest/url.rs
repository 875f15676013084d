//! Where the streams are, as a command line says it: [`StreamsUrl`].

use std::fmt;

use percent_encoding::percent_decode_str;

const PORT_DEFAULT: u16 = 6379;
/// So that stream and entry id fit the id of a contribution, of 128 bytes.
const NAME_BYTES_MAX: usize = 80;

/// One Redis server, who logs in there, and what the streams are called before their number.
#[derive(Clone, Eq, PartialEq)]
pub(super) struct StreamsUrl {
    pub(super) tls: bool,
    pub(super) login: Option<Login>,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) prefix: String,
}

/// Who logs in, with what.
#[derive(Clone, Eq, PartialEq)]
pub(super) struct Login {
    /// None is Redis's default user.
    pub(super) user: Option<String>,
    pub(super) password: String,
}

impl fmt::Debug for StreamsUrl {
    /// Without the login: it ends up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}/{}", self.host, self.port, self.prefix)
    }
}

impl StreamsUrl {
    /// Reads `redis://[USER:PASSWORD@]HOST[:PORT]/PREFIX`; what is wrong is told without the login.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        const SHAPE: &str = "it has to look like redis://[USER:PASSWORD@]HOST[:PORT]/PREFIX";
        let (scheme, rest) = text.split_once("://").ok_or(SHAPE)?;
        let tls = match scheme {
            "redis" => false,
            "rediss" => true,
            _ => return Err(SHAPE.to_owned()),
        };
        // A prefix may hold an @, an address may not.
        let (authority, prefix) = rest.split_once('/').ok_or(SHAPE)?;
        let (login, address) = match authority.rsplit_once('@') {
            Some((login, address)) => (Some(Login::parse(login)?), address),
            None => (None, authority),
        };
        let (host, port) = match address.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => {
                let port = port.parse().map_err(|_| format!("{port:?} is no port"))?;
                (host, port)
            }
            _ => (address, PORT_DEFAULT),
        };
        let host = host.trim_matches(['[', ']']);
        if host.is_empty() {
            return Err(SHAPE.to_owned());
        }
        Ok(Self {
            tls,
            login,
            host: host.to_owned(),
            port,
            prefix: stream_name(&decoded(prefix)?)?,
        })
    }

    /// The stream of a partition.
    pub(super) fn stream(&self, partition: u64) -> String {
        format!("{}:{partition}", self.prefix)
    }
}

impl Login {
    fn parse(text: &str) -> Result<Self, String> {
        let (user, password) = text
            .split_once(':')
            .ok_or("what stands before '@' is not USER:PASSWORD, percent-encoded")?;
        Ok(Self {
            user: Some(decoded(user)?).filter(|user| !user.is_empty()),
            password: decoded(password)?,
        })
    }
}

fn decoded(text: &str) -> Result<String, String> {
    let decoded = percent_decode_str(text).decode_utf8();
    Ok(decoded.map_err(|_| "it is not UTF-8")?.into_owned())
}

/// A text that a stream, or a group, may be called.
pub(super) fn stream_name(text: &str) -> Result<String, String> {
    match text.len() {
        0 => Err("a name is missing".to_owned()),
        1..=NAME_BYTES_MAX => Ok(text.to_owned()),
        bytes => Err(format!(
            "a name of {bytes} bytes is longer than {NAME_BYTES_MAX}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_all_its_parts() {
        let url = StreamsUrl::parse("rediss://u%40x:p%2Fw@h.example:7000/gifts/{a}@b").unwrap();
        let login = url.login.clone().unwrap();
        assert_eq!(login.user.as_deref(), Some("u@x"));
        assert_eq!(login.password, "p/w");
        assert!(url.tls);
        assert_eq!((url.host.as_str(), url.port), ("h.example", 7000));
        assert_eq!(url.stream(3), "gifts/{a}@b:3");
        let url = StreamsUrl::parse("redis://:pw@[::1]/g").unwrap();
        assert_eq!((url.host.as_str(), url.port), ("::1", 6379));
        assert_eq!(url.login.unwrap().user, None);
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
