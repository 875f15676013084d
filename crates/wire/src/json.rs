//! [`JsonText`]: writes the responses of reads. serde reads what clients send, and writes what is seldom read.
//!
//! A page has a hundred entries of four members each. Here a member costs two copies, of its key with the punctuation
//! around it, a literal, and of its value. Nothing is formatted. The text is byte for byte what serde writes of the
//! derived shapes in `json/tests.rs`.

use board::Timestamp;
use serde::Serialize;

/// A text that JSON is appended to.
#[derive(Debug, Default)]
pub struct JsonText(Vec<u8>);

/// The members of an object, at least one.
pub trait JsonMembers {
    /// Writes the members, each with a comma before it.
    fn put(&self, json: &mut JsonText);
}

impl JsonText {
    /// Creates an empty text with space for so many bytes.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    /// Makes space for so many bytes more.
    pub fn reserve(&mut self, bytes: usize) {
        self.0.reserve(bytes);
    }

    /// Returns the number of bytes that are written.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether nothing is written.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the text.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Appends JSON, such as `,"rank":`.
    #[inline]
    pub fn put(&mut self, json: &str) {
        self.0.extend_from_slice(json.as_bytes());
    }

    /// Appends JSON that was written before.
    pub fn put_bytes(&mut self, json: &[u8]) {
        self.0.extend_from_slice(json);
    }

    /// Appends an object.
    #[inline]
    pub fn object(&mut self, shape: &impl JsonMembers) {
        let begin = self.0.len();
        shape.put(self);
        self.open(begin, b'{');
        self.0.push(b'}');
    }

    /// Appends an array of objects.
    #[inline]
    pub fn objects<'a, T: JsonMembers + 'a>(&mut self, shapes: impl IntoIterator<Item = &'a T>) {
        self.array(shapes, Self::object);
    }

    /// Appends an array, whose items are appended by `item`.
    #[inline]
    fn array<T>(&mut self, items: impl IntoIterator<Item = T>, item: impl Fn(&mut Self, T)) {
        self.0.push(b'[');
        for (index, next) in items.into_iter().enumerate() {
            if index > 0 {
                self.0.push(b',');
            }
            item(self, next);
        }
        self.0.push(b']');
    }

    /// Appends an object, or null.
    pub fn object_or_null(&mut self, shape: Option<&impl JsonMembers>) {
        match shape {
            Some(shape) => self.object(shape),
            None => self.put("null"),
        }
    }

    /// Appends the members of a shape that serde writes, an object with at least one member.
    pub fn members_of(&mut self, shape: &impl Serialize) {
        let begin = self.0.len();
        serde_json::to_writer(&mut self.0, shape).expect("a shape is JSON, and memory is no file");
        self.open(begin, b',');
        self.0.pop();
    }

    /// Replaces the byte with which an object began.
    fn open(&mut self, begin: usize, with: u8) {
        self.0[begin] = with;
    }

    /// Appends an integer.
    #[inline]
    pub fn integer(&mut self, number: impl itoa::Integer) {
        let mut digits = itoa::Buffer::new();
        self.put(digits.format(number));
    }

    /// Appends an integer, or null.
    #[inline]
    pub fn integer_or_null(&mut self, number: Option<impl itoa::Integer>) {
        match number {
            Some(number) => self.integer(number),
            None => self.put("null"),
        }
    }

    /// Appends a number with a fraction, or null.
    pub(crate) fn float_or_null(&mut self, number: Option<f64>) {
        serde_json::to_writer(&mut self.0, &number).expect("a number is JSON");
    }

    /// Appends a string.
    #[inline]
    pub fn string(&mut self, text: &str) {
        self.0.push(b'"');
        self.escaped(text);
        self.0.push(b'"');
    }

    /// Appends an array of strings.
    pub fn strings(&mut self, texts: &[&str]) {
        self.array(texts, |json, text| json.string(text));
    }

    /// Appends a part of a string.
    #[inline]
    pub(crate) fn escaped(&mut self, text: &str) {
        if is_plain(text) {
            self.put(text);
        } else {
            let string = serde_json::to_string(text).expect("a text is JSON");
            self.put(&string[1..string.len() - 1]);
        }
    }

    /// Appends a time, as a string.
    #[inline]
    pub fn time(&mut self, time: Timestamp) {
        let mut string = [b'"'; 29];
        string[1..28].copy_from_slice(&time.to_rfc3339());
        self.put_bytes(&string);
    }
}

/// Returns whether nothing of a text is escaped in a string: no quote, no backslash, no control character.
#[inline]
fn is_plain(text: &str) -> bool {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let rest = rest
        .iter()
        .fold(SPACES, |word, byte| (word << 8) | u64::from(*byte));
    let all = words.iter().map(|word| u64::from_le_bytes(*word));
    all.chain([rest]).all(|word| !has_escaped(word))
}

const ONES: u64 = 0x0101_0101_0101_0101;
const SPACES: u64 = 0x20 * ONES;

/// Returns whether a byte of a word is escaped. What is subtracted from each byte sets its highest bit if it is less.
#[inline]
const fn has_escaped(word: u64) -> bool {
    let (quotes, backslashes) = (word ^ (0x22 * ONES), word ^ (0x5c * ONES));
    let control = word.wrapping_sub(SPACES) & !word;
    let quote = quotes.wrapping_sub(ONES) & !quotes;
    let backslash = backslashes.wrapping_sub(ONES) & !backslashes;
    (control | quote | backslash) & (0x80 * ONES) != 0
}

#[cfg(test)]
mod tests;
