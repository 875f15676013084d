//! Reads contributions of the plain form, which nearly all have, without serde.
//!
//! A contribution is plain if it is an object of known properties, each once, none null, of these
//! types: strings without escapes, integers of up to 15 digits, booleans, and `values` of such
//! integers. Reading one allocates nothing, except for `values`. [`ContributionShape::of_plain`]
//! rejects nothing: what is not plain is read by serde, which knows all forms and has the errors.
//!
//! **Invariant:** a plain contribution is read as serde reads it.

use std::borrow::Cow;

use board::limits::FIELDS_MAX;
use board::{Timestamp, Value};

use super::ContributionShape;
use crate::scalar::{Integer, Moment, NamedIntegers, Text};

/// The maximum length of a plain contribution.
const PLAIN_BYTES_MAX: usize = 4 << 10;

/// The maximum digits of a plain integer: it is in the range of values.
const DIGITS_MAX: usize = 15;

impl<'a> ContributionShape<'a> {
    /// Reads a contribution of the plain form. `None`: it has another form, or is invalid.
    #[must_use]
    pub fn of_plain(text: &'a [u8]) -> Option<Self> {
        if text.len() > PLAIN_BYTES_MAX {
            return None;
        }
        // Checked once, not for each string.
        let mut rest = Rest {
            text: std::str::from_utf8(text).ok()?,
            at: 0,
        };
        let (mut board, mut member, mut id, mut window) = (None, None, None, None);
        let (mut points, mut values, mut at) = (None, None, None);
        let (mut set, mut remove) = (None, None);
        rest.expect(b'{')?;
        loop {
            let name = rest.name()?;
            rest.expect(b':')?;
            let is_first = match name {
                Name::Board => board.replace(rest.string()?).is_none(),
                Name::Member => member.replace(rest.string()?).is_none(),
                Name::Points => points.replace(rest.integer()?).is_none(),
                Name::Id => id.replace(rest.string()?).is_none(),
                Name::At => at.replace(rest.moment()?).is_none(),
                Name::Values => values.replace(rest.named_integers()?).is_none(),
                Name::Set => set.replace(rest.boolean()?).is_none(),
                Name::Remove => remove.replace(rest.boolean()?).is_none(),
                Name::Window => window.replace(rest.string()?).is_none(),
            };
            if !is_first {
                return None;
            }
            if !rest.take(b',') {
                break;
            }
        }
        rest.expect(b'}')?;
        rest.skip_space();
        rest.bytes().is_empty().then_some(Self {
            board: board.map(text_of),
            boards: None,
            member: text_of(member?),
            points,
            values,
            id: id.map(text_of),
            at,
            set: set.unwrap_or(false),
            remove: remove.unwrap_or(false),
            window: window.map(text_of),
        })
    }
}

/// The name of a property.
#[derive(Clone, Copy)]
enum Name {
    Board,
    Member,
    Points,
    Id,
    At,
    Values,
    Set,
    Remove,
    Window,
}

/// What is left to read. Every method skips the space before its token.
struct Rest<'a> {
    text: &'a str,
    at: usize,
}

const fn text_of(text: &str) -> Text<'_> {
    Text(Cow::Borrowed(text))
}

impl<'a> Rest<'a> {
    fn bytes(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn skip_space(&mut self) {
        while let [b' ' | b'\t' | b'\n' | b'\r', ..] = self.bytes() {
            self.at += 1;
        }
    }

    /// Takes this byte, and returns whether it was there.
    fn take(&mut self, byte: u8) -> bool {
        self.skip_space();
        let is_there = self.bytes().first() == Some(&byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.take(byte).then_some(())
    }

    /// Takes the name of a property, the usual ones first.
    fn name(&mut self) -> Option<Name> {
        self.skip_space();
        let bytes = self.bytes();
        let names: [(&[u8], Name); 9] = [
            (b"\"board\"", Name::Board),
            (b"\"member\"", Name::Member),
            (b"\"points\"", Name::Points),
            (b"\"id\"", Name::Id),
            (b"\"at\"", Name::At),
            (b"\"values\"", Name::Values),
            (b"\"set\"", Name::Set),
            (b"\"remove\"", Name::Remove),
            (b"\"window\"", Name::Window),
        ];
        let (text, name) = names
            .into_iter()
            .find(|(text, _)| bytes.starts_with(text))?;
        self.at += text.len();
        Some(name)
    }

    /// Returns a string without escapes.
    fn string(&mut self) -> Option<&'a str> {
        self.expect(b'"')?;
        let bytes = self.bytes();
        let len = plain_len(bytes)?;
        if bytes.get(len) != Some(&b'"') {
            return None;
        }
        let string = self.text.get(self.at..self.at + len);
        self.at += len + 1;
        string
    }

    fn number(&mut self) -> Option<i64> {
        self.skip_space();
        let bytes = self.bytes();
        let digits = bytes.strip_prefix(b"-");
        let is_negative = digits.is_some();
        let digits = digits.unwrap_or(bytes);
        let mut number = 0;
        let mut len = 0;
        while let Some(digit @ b'0'..=b'9') = digits.get(len) {
            if len == DIGITS_MAX {
                return None;
            }
            number = 10 * number + i64::from(digit - b'0');
            len += 1;
        }
        // JSON has no leading zeros, and -0 is a double.
        if len == 0 || digits[0] == b'0' && (len > 1 || is_negative) {
            return None;
        }
        self.at += usize::from(is_negative) + len;
        Some(if is_negative { -number } else { number })
    }

    fn integer(&mut self) -> Option<Integer<'a>> {
        Value::new(self.number()?).map(Integer::Exact)
    }

    fn moment(&mut self) -> Option<Moment> {
        self.skip_space();
        let at = if self.bytes().first() == Some(&b'"') {
            Timestamp::parse_rfc3339(self.string()?).ok()?
        } else {
            Timestamp::from_request_integer(self.number()?).ok()?
        };
        Some(Moment(at))
    }

    fn boolean(&mut self) -> Option<bool> {
        self.skip_space();
        let bytes = self.bytes();
        let (text, boolean): (&[u8], _) = match bytes.first() {
            Some(b't') => (b"true", true),
            _ => (b"false", false),
        };
        self.at += text.len();
        bytes.starts_with(text).then_some(boolean)
    }

    fn named_integers(&mut self) -> Option<NamedIntegers<'a>> {
        self.expect(b'{')?;
        let mut named: Vec<(Text<'a>, Integer<'a>)> = Vec::new();
        if self.take(b'}') {
            return Some(NamedIntegers(named));
        }
        loop {
            let name = text_of(self.string()?);
            self.expect(b':')?;
            let value = self.integer()?;
            if named.len() == FIELDS_MAX || named.iter().any(|(other, _)| *other == name) {
                return None;
            }
            named.push((name, value));
            if !self.take(b',') {
                break;
            }
        }
        self.expect(b'}')?;
        Some(NamedIntegers(named))
    }
}

/// Returns the number of bytes before the first quote, backslash or control character.
///
/// Eight bytes are compared at once: `(x - 0x01..) & !x & 0x80..` has the high bit of each byte of `x` that is zero,
/// and perhaps of bytes after the first of those.
fn plain_len(text: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    const QUOTES: u64 = u64::from_le_bytes([b'"'; 8]);
    const BACKSLASHES: u64 = u64::from_le_bytes([b'\\'; 8]);
    const SPACES: u64 = u64::from_le_bytes([b' '; 8]);
    let mut len = 0;
    while let Some(bytes) = text[len..].first_chunk() {
        let word = u64::from_le_bytes(*bytes);
        let zero_bytes = |word: u64| word.wrapping_sub(ONES) & !word;
        let control_bytes = word.wrapping_sub(SPACES) & !word;
        let special = zero_bytes(word ^ QUOTES) | zero_bytes(word ^ BACKSLASHES) | control_bytes;
        if special & HIGH != 0 {
            return Some(len + (special & HIGH).trailing_zeros() as usize / 8);
        }
        len += 8;
    }
    let is_special = |byte: &u8| *byte < b' ' || matches!(byte, b'"' | b'\\');
    Some(len + text[len..].iter().position(is_special)?)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::{Index, select};

    use super::*;
    use crate::object::Object;

    fn read_by_serde(text: &[u8]) -> Option<ContributionShape<'_>> {
        let read: Result<Object<ContributionShape<'_>>, _> = serde_json::from_slice(text);
        read.ok().map(|object| object.0)
    }

    const USUAL: [&str; 10] = [
        r#"{"board":"gifts/room-8842","member":"u1","points":3}"#,
        r#" { "member" : "ü 👍" , "board" : "gifts/a", "points" : -3, "id": "evt-1" } "#,
        r#"{"board":"gifts/a","member":"u1","points":0,"at":1793000000000}"#,
        r#"{"board":"gifts/a","member":"u1","points":1,"at":"2026-11-20T14:52:22.123000Z"}"#,
        r#"{"board":"votes/a","member":"u1","values":{"agree":1,"comments":-20}}"#,
        r#"{"board":"votes/a","member":"u1","values":{}}"#,
        "{\"board\":\"gifts/a\",\"member\":\"u1\",\"points\":999999999999999}\r",
        r#"{"board":"gifts/a","member":"u1","points":1,"set":true,"window":"day"}"#,
        r#"{"board":"gifts/a","member":"u1","points":1,"set":false}"#,
        r#"{"board":"gifts/a","member":"u1","remove":true}"#,
    ];

    #[test]
    fn the_usual_contributions_are_plain() {
        for text in USUAL.map(str::as_bytes) {
            let plain = ContributionShape::of_plain(text);
            assert!(plain.is_some(), "{}", text.escape_ascii());
            assert_eq!(plain, read_by_serde(text), "{}", text.escape_ascii());
        }
    }

    #[test]
    fn other_forms_are_left_to_serde() {
        for text in [
            "",
            "{",
            "{}",
            "[]",
            r#"["gifts/a"]"#,
            r#"{"board":"gifts/a","points":3}"#,
            r#"{"board":"gifts/a","member":"u1","points":3,}"#,
            r#"{"board":"gifts/a","member":"u1","points":3} x"#,
            r#"{"board":"gifts/a","member":"u1","points":3"#,
            r#"{"board":"gifts/a","member":"u1","points":3,"points":3}"#,
            r#"{"board":"gifts/a","member":"u1","points":3,"other":3}"#,
            r#"{"board":"gifts/a","member":"u1","points":null}"#,
            r#"{"board":"gifts/a","member":"\u0075","points":3}"#,
            "{\"board\":\"gifts/a\",\"member\":\"a\tb\",\"points\":3}",
            r#"{"boards":["gifts/a"],"member":"u1","points":3,"id":"e"}"#,
            r#"{"board":"gifts/a","member":"u1","points":1e3}"#,
            r#"{"board":"gifts/a","member":"u1","points":1.0}"#,
            r#"{"board":"gifts/a","member":"u1","points":01}"#,
            r#"{"board":"gifts/a","member":"u1","points":-0}"#,
            r#"{"board":"gifts/a","member":"u1","points":-}"#,
            r#"{"board":"gifts/a","member":"u1","points":1000000000000000}"#,
            r#"{"board":"gifts/a","member":"u1","values":{"a":1,"a":2}}"#,
            r#"{"board":"gifts/a","member":"u1","values":{"a":null}}"#,
            r#"{"board":"gifts/a","member":"u1","set":truex,"points":3}"#,
            r#"{"board":"gifts/a","member":"u1","at":"today","points":3}"#,
        ] {
            let plain = ContributionShape::of_plain(text.as_bytes());
            assert_eq!(plain, None, "{text}");
        }
        let not_utf8 = b"{\"board\":\"gifts/a\",\"member\":\"\xff\",\"points\":3}";
        assert_eq!(ContributionShape::of_plain(not_utf8), None);
        let long = format!(r#"{{"member":"{}"}}"#, "x".repeat(PLAIN_BYTES_MAX));
        assert_eq!(ContributionShape::of_plain(long.as_bytes()), None);
    }

    const NAMES: [&str; 11] = [
        "board", "member", "points", "id", "at", "values", "set", "remove", "window", "boards",
        "agree",
    ];
    const VALUES: [&str; 20] = [
        "\"a\"",
        "\"gifts/ü\"",
        "\"\\n\"",
        "\"\\\"\"",
        "\"2026-11-20T14:52:22.123000Z\"",
        "\"2026-11-20\"",
        "0",
        "-0",
        "00",
        "-7",
        "1793000000000",
        "9007199254740991",
        "9007199254740992",
        "1.5",
        "1e3",
        "true",
        "false",
        "null",
        "{}",
        "[]",
    ];

    /// Bytes that mean something in JSON, and parts of characters.
    const BYTES: &[u8] =
        b"\"\"\\\\{}[]:,, \t\r\n\x0b-+.eE00123456789tfnu/ab\0\x1f\x7f\x80\x9f\xa0\xc0\xc3\xbc\xed\xef\xbb\xbf\xf0\xff";

    /// Returns properties of an object: names that occur in contributions, with any values.
    fn properties() -> impl Strategy<Value = String> {
        let integers = vec((select(&NAMES[..]), select(&VALUES[..])), 0..6);
        let object = integers.prop_map(|integers| object(&integers));
        let value = prop_oneof![
            4 => select(&VALUES[..]).prop_map(str::to_owned),
            1 => object,
        ];
        let space = select(&["", "", "", " ", "\t\r\n"][..]);
        let property = (select(&NAMES[..]), space, value);
        let properties = vec(property, 0..6);
        properties.prop_map(|properties| {
            let texts: Vec<_> = properties
                .iter()
                .map(|(name, space, value)| format!("{space}\"{name}\"{space}:{space}{value}"))
                .collect();
            texts.join(",")
        })
    }

    fn object(properties: &[(&str, &str)]) -> String {
        let texts: Vec<_> = properties
            .iter()
            .map(|(name, value)| format!("\"{name}\":{value}"))
            .collect();
        format!("{{{}}}", texts.join(","))
    }

    #[test]
    fn strings_end_at_the_first_special_byte() {
        let is_special = |byte: &u8| *byte < b' ' || matches!(byte, b'"' | b'\\');
        for first in 0..=u8::MAX {
            for second in [b'a', b'"', b'!', b'#', 0x1f, 0x7f, 0x80, 0xa2, 0xff] {
                for begin in 0..10 {
                    let mut text = [b'a'; 20];
                    text[begin] = first;
                    text[begin + 1] = second;
                    let expected = text.iter().position(is_special);
                    assert_eq!(plain_len(&text), expected, "{text:?}");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn plain_contributions_are_read_as_serde_reads_them(
            properties in properties(),
            member in any::<bool>(),
            cut in 0_usize..200,
            inserted in select(&["", "", "", "}", "\"", ",", ":", "\\", "\u{1}", "-", "0", " "][..]),
        ) {
            let member = if member { "\"member\":\"u1\"," } else { "" };
            let mut text = format!("{{{member}{properties}}}");
            if text.is_char_boundary(cut) && cut < text.len() {
                text.insert_str(cut, inserted);
            }
            if let Some(plain) = ContributionShape::of_plain(text.as_bytes()) {
                prop_assert_eq!(Some(plain), read_by_serde(text.as_bytes()), "{}", text);
            }
        }

        #[test]
        fn usual_contributions_with_other_bytes_are_read_as_serde_reads_them(
            usual in select(&USUAL[..]),
            changes in vec((any::<Index>(), select(BYTES), 0..3_u8), 1..4),
        ) {
            let mut text = usual.as_bytes().to_vec();
            for (at, byte, change) in changes {
                let at = at.index(text.len());
                match change {
                    0 => text[at] = byte,
                    1 => text.insert(at, byte),
                    _ => _ = text.remove(at),
                }
            }
            if let Some(plain) = ContributionShape::of_plain(&text) {
                prop_assert_eq!(Some(plain), read_by_serde(&text), "{}", text.escape_ascii());
            }
        }
    }
}
