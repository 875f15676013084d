//! [`Profile`]: what a kind shows of a member beside its rank: a name, an avatar, data.
//!
//! A profile is the JSON text that responses contain, and is stored as such. `wire` parses what clients send and writes
//! that text; here are the rules of its parts.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::ident::{IdentError, check_visible};
use crate::limits::{PROFILE_AVATAR_BYTES_MAX, PROFILE_BYTES_MAX, PROFILE_NAME_CHARS_MAX};

/// A member's profile, as the text of a JSON object without line breaks. Cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct Profile(Arc<str>);

/// A part of a profile is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// The name is empty.
    #[error("name: is empty: leave it out")]
    EmptyName,
    /// The name is too long.
    #[error("name: has {0} characters, more than {PROFILE_NAME_CHARS_MAX}")]
    LongName(usize),
    /// The name has a control character.
    #[error("name: has a control character")]
    ControlInName,
    /// The name cannot be seen, or looks like another one.
    #[error(transparent)]
    Invisible(#[from] IdentError),
    /// The avatar is too long.
    #[error("avatar: has {0} bytes, more than {PROFILE_AVATAR_BYTES_MAX}")]
    LongAvatar(usize),
    /// The avatar is not a URL.
    #[error(
        "avatar: is not a URL that begins with https:// or http://, in the characters of RFC 3986"
    )]
    NoUrl,
    /// The avatar's URL has a login, which every client that shows the image would send, and everybody can read.
    #[error(
        "avatar: has a user name or a password before the host: leave it out, everybody can read it"
    )]
    LoginInAvatar,
    /// The text is too long.
    #[error("a profile has {0} bytes, more than {PROFILE_BYTES_MAX}")]
    Long(usize),
}

impl Profile {
    /// Creates a profile from the text of a JSON object whose parts have been checked, or from a stored one.
    pub fn new(json: &str) -> Result<Self, ProfileError> {
        if json.len() > PROFILE_BYTES_MAX {
            return Err(ProfileError::Long(json.len()));
        }
        Ok(Self(json.into()))
    }

    /// Returns the text of the JSON object.
    #[must_use]
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// Checks a name: 1 to 64 characters, none of them a control character, and visible as members are.
    pub fn check_name(name: &str) -> Result<(), ProfileError> {
        if name.is_empty() {
            return Err(ProfileError::EmptyName);
        }
        let chars = name.chars().count();
        if chars > PROFILE_NAME_CHARS_MAX {
            return Err(ProfileError::LongName(chars));
        }
        if name.chars().any(is_control) {
            return Err(ProfileError::ControlInName);
        }
        Ok(check_visible("name", name)?)
    }

    /// Checks an avatar: a URL with a host, of the schemes `https` and `http`. Pages may use it as the address of an
    /// image, so that other schemes are rejected.
    pub fn check_avatar(url: &str) -> Result<(), ProfileError> {
        if url.len() > PROFILE_AVATAR_BYTES_MAX {
            return Err(ProfileError::LongAvatar(url.len()));
        }
        let rest = ["https://", "http://"]
            .iter()
            .find_map(|scheme| url.strip_prefix(scheme));
        let authority = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
        let has_host = authority.is_some_and(|it| !it.is_empty() && !it.starts_with(':'));
        if !has_host || !url.bytes().all(is_of_url) {
            return Err(ProfileError::NoUrl);
        }
        if authority.is_some_and(|authority| authority.contains('@')) {
            return Err(ProfileError::LoginInAvatar);
        }
        Ok(())
    }
}

impl FromStr for Profile {
    type Err = ProfileError;

    fn from_str(json: &str) -> Result<Self, ProfileError> {
        Self::new(json)
    }
}

crate::text_form::text_form!(Profile, as_json);

/// Line and paragraph separators are among them: some readers of lines end a line there.
fn is_control(char: char) -> bool {
    char.is_control() || matches!(char, '\u{2028}' | '\u{2029}')
}

/// Returns whether a byte may be in a URL (RFC 3986, section 2). None of them is escaped in JSON.
const fn is_of_url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'.'
                | b'_'
                | b'~'
                | b':'
                | b'/'
                | b'?'
                | b'#'
                | b'['
                | b']'
                | b'@'
                | b'!'
                | b'$'
                | b'&'
                | b'\''
                | b'('
                | b')'
                | b'*'
                | b'+'
                | b','
                | b';'
                | b'='
                | b'%'
        )
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_1_to_64_characters() {
        for good in ["a", "Ann \"the\" Great", "漢字", &"🎁".repeat(64)] {
            assert_eq!(Profile::check_name(good), Ok(()), "{good}");
        }
        let long = Profile::check_name(&"é".repeat(65)).unwrap_err();
        assert_eq!(long.to_string(), "name: has 65 characters, more than 64");
        for (bad, why) in [
            ("", "is empty"),
            ("a\nb", "control"),
            ("\u{7f}", "control"),
            ("a\u{2028}b", "control"),
        ] {
            let error = Profile::check_name(bad).unwrap_err().to_string();
            assert!(
                error.starts_with("name: ") && error.contains(why),
                "{error}"
            );
        }
    }

    #[test]
    fn names_are_visible() {
        for (bad, why) in [
            (" ", "white space"),
            ("Ann ", "white space"),
            ("\u{200b}", "invisible"),
            ("A\u{202e}nn", "direction"),
        ] {
            let error = Profile::check_name(bad).unwrap_err().to_string();
            assert!(error.starts_with("name ") && error.contains(why), "{error}");
        }
        assert_eq!(Profile::check_name("👩\u{200d}🚀 Ann"), Ok(()));
    }

    #[test]
    fn avatars_are_urls_of_the_web() {
        for good in [
            "https://img.example/a.png?size=64&v=1#x",
            "http://[::1]:8080/%C3%A9",
        ] {
            assert_eq!(Profile::check_avatar(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "https://",
            "https:///a.png",
            "https://:8080/a.png",
            "javascript:alert(1)",
            "data:image/png;base64,AAAA",
            "HTTPS://img.example/",
            "//img.example/a.png",
            "https://img.example/a b.png",
            "https://img.example/\"onerror=\"",
            "https://img.example/é.png",
        ] {
            assert_eq!(
                Profile::check_avatar(bad),
                Err(ProfileError::NoUrl),
                "{bad}"
            );
        }
        for bad in [
            "https://u:p@img.example/",
            "https://u@img.example",
            "http://@a",
        ] {
            let error = Profile::check_avatar(bad).unwrap_err();
            assert_eq!(error, ProfileError::LoginInAvatar, "{bad}");
        }
        assert_eq!(Profile::check_avatar("https://a/@b?c@d"), Ok(()));
        let long = format!("https://{}", "a".repeat(PROFILE_AVATAR_BYTES_MAX));
        let error = Profile::check_avatar(&long).unwrap_err().to_string();
        assert!(error.starts_with("avatar: has 1032 bytes"), "{error}");
    }

    #[test]
    fn a_longer_text_is_no_profile() {
        let text = "x".repeat(PROFILE_BYTES_MAX);
        assert_eq!(Profile::new(&text).unwrap().as_json(), text);
        assert!(Profile::new(&format!("{text}x")).is_err());
    }
}
