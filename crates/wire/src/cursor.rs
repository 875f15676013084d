//! Cursors: the position of an entry in a board's order, as text. A page that begins after it does not depend on what
//! has changed before it.
//!
//! Clients pass a cursor on as it is. It is base64url, without padding, of the version (1), a tag of the kind, 4 bytes,
//! the entry's rank words, 8 bytes each, and its member. The words mean something else in other kinds.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use board::{Kind, Member, RANK_WORDS_MAX, RankKey, RankWords};
use twox_hash::XxHash3_64;

const VERSION: u8 = 1;

/// Bytes of a rank word.
const WORD_BYTES: usize = size_of::<u64>();

/// Returns the version and the tag of the kind.
fn head_of(kind: &Kind) -> [u8; 5] {
    let seed = kind.meaning().0;
    let hash = XxHash3_64::oneshot_with_seed(seed, kind.name().as_str().as_bytes());
    let [a, b, c, d, ..] = hash.to_be_bytes();
    [VERSION, a, b, c, d]
}

/// Returns the cursor of an entry of a board of this kind.
#[must_use]
pub fn cursor_of(kind: &Kind, key: &RankKey) -> String {
    let mut bytes = head_of(kind).to_vec();
    for word in key.words.as_slice() {
        bytes.extend(word.to_be_bytes());
    }
    bytes.extend(key.member.as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Parses the cursor of an entry of a board of this kind. `None`: it is not one.
#[must_use]
pub fn parse_cursor(kind: &Kind, text: &str) -> Option<RankKey> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let rest = bytes.strip_prefix(&head_of(kind))?;
    let rules = kind.rules();
    let count = rules.rank_words_len();
    let (head, member) = rest.split_at_checked(count * WORD_BYTES)?;
    let mut words = [0; RANK_WORDS_MAX];
    let (chunks, _) = head.as_chunks::<WORD_BYTES>();
    for (word, chunk) in words.iter_mut().zip(chunks) {
        *word = u64::from_be_bytes(*chunk);
    }
    let member = Member::new(str::from_utf8(member).ok()?).ok()?;
    Some(rules.rank_key(RankWords::padded(words, count), member))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::KindShape;

    fn kind(name: &str, fields: &str) -> Kind {
        let shape: KindShape = serde_json::from_str(fields).unwrap();
        shape.into_kind(name).unwrap()
    }

    proptest! {
        #[test]
        fn a_cursor_is_read_back(words in any::<[u64; 3]>(), member in "[a-z0-9 ü👍]{1,20}") {
            let kind = kind("gifts", r#"{"fields": [
                {"name": "points", "op": "sum", "order": "desc"},
                {"name": "time", "op": "min", "order": "asc"}
            ]}"#);
            let key = kind.rules().rank_key(RankWords::new(&words), Member::new(&member).unwrap());
            let text = cursor_of(&kind, &key);
            prop_assert_eq!(parse_cursor(&kind, &text), Some(key));
            prop_assert!(text.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it)));
        }

        #[test]
        fn any_text_is_a_cursor_or_none(text in ".{0,80}") {
            let kind = kind("gifts", "{}");
            if let Some(key) = parse_cursor(&kind, &text) {
                prop_assert_eq!(cursor_of(&kind, &key), text);
            }
        }
    }

    #[test]
    fn cursors_of_other_kinds_versions_and_members_are_refused() {
        let one = kind("gifts", "{}");
        let key = one
            .rules()
            .rank_key(RankWords::new(&[7, 8]), Member::new("u1").unwrap());
        let text = cursor_of(&one, &key);
        assert_eq!(parse_cursor(&one, &text), Some(key.clone()));
        let bytes = URL_SAFE_NO_PAD.decode(&text).unwrap();
        let mut later = bytes.clone();
        later[0] = 2;
        for wrong in [
            &[],
            &b"!"[..],
            &bytes[..bytes.len() - 2],
            &bytes[..9],
            &later,
        ] {
            let wrong = URL_SAFE_NO_PAD.encode(wrong);
            assert_eq!(parse_cursor(&one, &wrong), None, "{wrong}");
        }
        assert_eq!(parse_cursor(&one, "!"), None);
        // One of another name, and one whose words mean something else.
        for other in [
            kind("races", "{}"),
            kind("gifts", r#"{"ties": "latest"}"#),
            kind("gifts", r#"{"fields": [{"name": "a"}, {"name": "b"}]}"#),
        ] {
            assert_eq!(parse_cursor(&other, &text), None);
        }
    }
}
