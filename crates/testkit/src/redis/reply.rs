//! Replies of Redis: [`Reply`], with assertions about their type.

use std::io::{self, BufRead, Read as _};

use super::frame;

/// A reply in RESP2, the protocol that a connection uses unless it requests another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A status, such as `OK`.
    Status(String),
    /// An error, starting with its code.
    Error(String),
    /// An integer.
    Integer(i64),
    /// A bulk string.
    Bulk(Vec<u8>),
    /// Null.
    Nil,
    /// An array.
    Array(Vec<Self>),
}

impl Reply {
    /// Reads a reply. Fails if the connection ends.
    pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Self> {
        let mut bytes = Vec::new();
        if !frame::read_frame(input, &mut bytes)? {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Self::parse(&mut bytes.as_slice())
    }

    fn parse(input: &mut &[u8]) -> io::Result<Self> {
        let mut line = Vec::new();
        input.read_until(b'\n', &mut line)?;
        let text = String::from_utf8_lossy(&line[1..line.len() - 2]);
        Ok(match line[0] {
            b'+' => Self::Status(text.into_owned()),
            b'-' => Self::Error(text.into_owned()),
            b':' => Self::Integer(text.parse().map_err(io::Error::other)?),
            b'$' => match frame::length(text.as_bytes())? {
                None => Self::Nil,
                Some(length) => {
                    let mut bulk = Vec::new();
                    input.take(length).read_to_end(&mut bulk)?;
                    *input = &input[2..];
                    Self::Bulk(bulk)
                }
            },
            b'*' => match frame::length(text.as_bytes())? {
                None => Self::Nil,
                Some(items) => {
                    let items: io::Result<_> = (0..items).map(|_| Self::parse(input)).collect();
                    Self::Array(items?)
                }
            },
            other => return Err(io::Error::other(format!("type byte {other}"))),
        })
    }

    /// Returns whether this is an error with this code, such as `MOVED`.
    pub fn is_error(&self, code: &str) -> bool {
        matches!(self, Self::Error(text) if text.split(' ').next() == Some(code))
    }

    /// Returns the text of a status or of a string.
    #[track_caller]
    pub fn text(&self) -> &str {
        match self {
            Self::Status(text) => text,
            Self::Bulk(bytes) => str::from_utf8(bytes).unwrap(),
            other => panic!("not a text: {other:?}"),
        }
    }

    /// Returns the integer.
    #[track_caller]
    pub fn integer(&self) -> i64 {
        match self {
            Self::Integer(number) => *number,
            other => panic!("not a number: {other:?}"),
        }
    }

    /// Returns the items of the array.
    #[track_caller]
    pub fn items(&self) -> &[Self] {
        match self {
            Self::Array(items) => items,
            other => panic!("not a list: {other:?}"),
        }
    }

    /// Asserts that this is the status `OK`.
    #[track_caller]
    pub fn ok(&self) {
        assert_eq!(*self, Self::Status("OK".to_owned()));
    }

    /// Returns the value of a line `name:value`, as in `INFO` and `CLUSTER INFO`.
    #[track_caller]
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut lines = self.text().lines().filter_map(|line| line.split_once(':'));
        lines
            .find(|(other, _)| *other == name)
            .map(|(_, value)| value)
    }
}

/// Returns the words of a request, which must not be empty.
pub(super) fn words_of(mut request: &[u8]) -> io::Result<Vec<Vec<u8>>> {
    if !request.starts_with(b"*") {
        let words = request.split(u8::is_ascii_whitespace);
        let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
        if words.is_empty() {
            return Err(io::Error::other("an empty request"));
        }
        return Ok(words.into_iter().map(<[u8]>::to_vec).collect());
    }
    match Reply::parse(&mut request)? {
        Reply::Array(words) if !words.is_empty() => words.into_iter().map(word).collect(),
        other => Err(io::Error::other(format!("not a request: {other:?}"))),
    }
}

fn word(reply: Reply) -> io::Result<Vec<u8>> {
    match reply {
        Reply::Bulk(bytes) => Ok(bytes),
        other => Err(io::Error::other(format!("not a word: {other:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_replies_are_read() {
        let mut input =
            b"*4\r\n$4\r\n\r\n\xff\0\r\n:-7\r\n*2\r\n$-1\r\n*-1\r\n-MOVED 1 a:1\r\n".as_slice();
        let reply = Reply::read(&mut input).unwrap();
        let [bulk, integer, nested, error] = reply.items() else {
            panic!("{reply:?}")
        };
        assert_eq!(*bulk, Reply::Bulk(b"\r\n\xff\0".to_vec()));
        assert_eq!(integer.integer(), -7);
        assert_eq!(nested.items(), [Reply::Nil, Reply::Nil]);
        assert!(error.is_error("MOVED") && !error.is_error("MOVE"));
        assert!(Reply::read(&mut input).is_err());
    }
}
