//! The text of an API key, and its SHA-256 hash: [`NewKey`].
//!
//! A key is 256 random bits. A slow, salted hash protects passwords because passwords can be guessed; 256 random bits
//! cannot, so a plain hash is as safe and costs a request less than a microsecond.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// The prefix of every key. A key in the wrong place can be recognized by it.
pub const KEY_PREFIX: &str = "mb_";

/// The prefix of a key's hash in the configuration.
pub(crate) const HASH_PREFIX: &str = "sha256:";

/// Random bytes of a key.
const KEY_BYTES: usize = 32;

/// Characters of a key after its prefix.
pub(crate) const KEY_CHARS: usize = (8 * KEY_BYTES).div_ceil(6);

/// Digits of a hash after its prefix.
pub(crate) const HASH_CHARS: usize = 2 * size_of::<KeyDigest>();

/// The SHA-256 of a key's text.
pub(crate) type KeyDigest = [u8; 32];

/// Identifies a key in stream tokens without revealing its digest.
pub(crate) type KeyTag = [u8; 8];

/// Separates tags from other hashes of a digest.
const TAG_PURPOSE: &[u8] = b"megaboard key tag 1\n";

/// Returns the digest of a key's text.
pub(crate) fn digest_of(key: &str) -> KeyDigest {
    Sha256::digest(key.as_bytes()).into()
}

/// Parses a hash as the configuration contains it.
pub(crate) fn parse_hash(hash: &str) -> Option<KeyDigest> {
    let digits = hash.strip_prefix(HASH_PREFIX)?;
    let mut digest = KeyDigest::default();
    if digits.len() != 2 * digest.len() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (index, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * index..2 * index + 2], 16).ok()?;
    }
    Some(digest)
}

/// Returns the tag of the key with this digest.
pub(crate) fn tag_of(digest: &KeyDigest) -> KeyTag {
    let tag = Sha256::new().chain_update(TAG_PURPOSE).chain_update(digest);
    let tag: KeyDigest = tag.finalize().into();
    std::array::from_fn(|index| tag[index])
}

/// A newly generated key. Its text is stored nowhere.
pub struct NewKey {
    text: String,
}

impl NewKey {
    /// Generates a key.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes)?;
        let text = format!("{KEY_PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes));
        Ok(Self { text })
    }

    /// Returns the key itself.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the hash, which the configuration contains instead of the key.
    #[must_use]
    pub fn hash(&self) -> String {
        let digest = digest_of(&self.text).map(|byte| format!("{byte:02x}"));
        format!("{HASH_PREFIX}{}", digest.concat())
    }
}

impl fmt::Debug for NewKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewKey").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_key_has_a_hash_of_its_own() {
        let (one, other) = (NewKey::generate().unwrap(), NewKey::generate().unwrap());
        assert_ne!(one.text(), other.text());
        assert_eq!(one.text().len(), KEY_PREFIX.len() + KEY_CHARS);
        assert_eq!(one.hash().len(), HASH_PREFIX.len() + HASH_CHARS);
        assert_eq!(parse_hash(&one.hash()), Some(digest_of(one.text())));
        assert_ne!(one.hash(), other.hash());
        assert!(!format!("{one:?}").contains(one.text()));
    }

    #[test]
    fn the_hash_is_plain_sha256() {
        // From `printf abc | sha256sum`.
        let hash = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(parse_hash(hash), Some(digest_of("abc")));
    }
}
