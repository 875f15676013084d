//! Tokens for the streams of one board, for browsers: an `EventSource` cannot send a header.
//!
//! A token consists of its expiry time, the tag of the key that issued it, and an HMAC-SHA256 of both and the board by
//! a secret of the server. The server stores no tokens. A token is invalid once its key is removed.
//!
//! **Invariant:** no handler sees a token. The gate of `api` removes it from the query, even where no key is required.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use board::Timestamp;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::new_key::KeyTag;

/// The prefix of every token. Keys have another one.
pub const TOKEN_PREFIX: &str = "mbs_";

/// Separates tokens from other data that the secret may sign in the future.
const PURPOSE: &[u8] = b"megaboard stream token 2\n";

/// The length of a secret.
const SECRET_BYTES_MIN: usize = 32;

const END_BYTES: usize = 8;
const MAC_BYTES: usize = 32;

/// Characters of a token after its prefix.
pub(crate) const TOKEN_CHARS: usize =
    (8 * (END_BYTES + size_of::<KeyTag>() + MAC_BYTES)).div_ceil(6);

/// Why a token is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadToken {
    /// It is for another board, or was not signed by this secret.
    Wrong,
    Expired,
}

/// Issues and checks tokens.
#[derive(Clone)]
pub(crate) struct Tokens {
    keyed: Hmac<Sha256>,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokens").finish_non_exhaustive()
    }
}

impl Tokens {
    /// Uses this secret. Returns `None` if it is too short.
    pub(crate) fn with_secret(secret: &[u8]) -> Option<Self> {
        if secret.len() < SECRET_BYTES_MIN {
            return None;
        }
        let keyed = Hmac::new_from_slice(secret).ok()?;
        Some(Self { keyed })
    }

    /// Uses a random secret that only this process has.
    pub(crate) fn with_random_secret() -> Result<Self, getrandom::Error> {
        let mut secret = [0; SECRET_BYTES_MIN];
        getrandom::fill(&mut secret)?;
        Ok(Self::with_secret(&secret).expect("the secret has the minimum length"))
    }

    /// Returns a token for the streams of a board, `kind/subject`, that expires at `end`.
    pub(crate) fn issue(&self, board: &str, key: KeyTag, end: Timestamp) -> String {
        let end = end.millis().to_be_bytes();
        let mac = self.mac(board, key, end).finalize().into_bytes();
        let bytes = [&end[..], &key[..], &mac[..]].concat();
        format!("{TOKEN_PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Checks a token, and returns the tag of the key that issued it.
    pub(crate) fn check(
        &self,
        token: &str,
        board: &str,
        now: Timestamp,
    ) -> Result<KeyTag, BadToken> {
        let text = token.strip_prefix(TOKEN_PREFIX).ok_or(BadToken::Wrong)?;
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| BadToken::Wrong)?;
        let (end, after) = bytes.split_first_chunk().ok_or(BadToken::Wrong)?;
        let (key, mac) = after.split_first_chunk().ok_or(BadToken::Wrong)?;
        if mac.len() != MAC_BYTES {
            return Err(BadToken::Wrong);
        }
        let checked = self.mac(board, *key, *end).verify_slice(mac);
        checked.map_err(|_| BadToken::Wrong)?;
        if now.millis() >= i64::from_be_bytes(*end) {
            return Err(BadToken::Expired);
        }
        Ok(*key)
    }

    fn mac(&self, board: &str, key: KeyTag, end: [u8; END_BYTES]) -> Hmac<Sha256> {
        let mut mac = self.keyed.clone();
        mac.update(PURPOSE);
        mac.update(&end);
        mac.update(&key);
        mac.update(board.as_bytes());
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: KeyTag = *b"key tag.";
    const SECRET: &[u8] = b"0123456789abcdef0123456789abcdef";

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    #[test]
    fn a_token_is_valid_for_its_board_until_it_expires() {
        let tokens = Tokens::with_secret(SECRET).unwrap();
        let token = tokens.issue("gifts/a", KEY, at(1000));
        assert_eq!(tokens.check(&token, "gifts/a", at(999)), Ok(KEY));
        let check = |board, ms| tokens.check(&token, board, at(ms));
        assert_eq!(check("gifts/a", 1000), Err(BadToken::Expired));
        assert_eq!(check("gifts/b", 999), Err(BadToken::Wrong));
        assert_eq!(check("gifts/", 999), Err(BadToken::Wrong));
        // Servers accept each other's tokens only if they have the same secret.
        let same = Tokens::with_secret(SECRET).unwrap();
        assert_eq!(same.check(&token, "gifts/a", at(0)), Ok(KEY));
        let other = Tokens::with_random_secret().unwrap();
        assert_eq!(other.check(&token, "gifts/a", at(0)), Err(BadToken::Wrong));
        assert!(Tokens::with_secret(&SECRET[1..]).is_none());
    }

    #[test]
    fn a_token_with_a_changed_bit_is_rejected() {
        let tokens = Tokens::with_random_secret().unwrap();
        let token = tokens.issue("gifts/a", KEY, at(1000));
        let bytes = URL_SAFE_NO_PAD.decode(&token[4..]).unwrap();
        assert_eq!(bytes.len(), END_BYTES + KEY.len() + MAC_BYTES);
        assert_eq!(token.len(), TOKEN_PREFIX.len() + TOKEN_CHARS);
        for bit in 0..8 * bytes.len() {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let changed = format!("{TOKEN_PREFIX}{}", URL_SAFE_NO_PAD.encode(&bytes));
            let checked = tokens.check(&changed, "gifts/a", at(0));
            assert_eq!(checked, Err(BadToken::Wrong), "bit {bit}");
        }
        for wrong in [
            "",
            "mbs_",
            &token[4..],
            &token[..token.len() - 1],
            "mbs_%%%",
        ] {
            let checked = tokens.check(wrong, "gifts/a", at(0));
            assert_eq!(checked, Err(BadToken::Wrong), "{wrong}");
        }
    }
}
