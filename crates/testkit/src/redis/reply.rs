//! What Redis answered: [`Reply`], read with the expectation that a test has of it.

use std::io::{self, BufRead, Read as _};

use super::frame;

/// A reply in RESP2, the protocol that a connection speaks unless it asks for another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A status, such as `OK`.
    Status(String),
    /// An error, its code first.
    Error(String),
    /// A number.
    Integer(i64),
    /// A string of bytes.
    Bulk(Vec<u8>),
    /// Nothing.
    Nil,
    /// A list.
    Array(Vec<Self>),
}

impl Reply {
    /// Reads a reply; an error where the connection ends.
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

    /// Whether it is the error of this code, such as `MOVED`.
    pub fn is_error(&self, code: &str) -> bool {
        matches!(self, Self::Error(text) if text.split(' ').next() == Some(code))
    }

    /// A status or a string that is text.
    #[track_caller]
    pub fn text(&self) -> &str {
        match self {
            Self::Status(text) => text,
            Self::Bulk(bytes) => str::from_utf8(bytes).unwrap(),
            other => panic!("not a text: {other:?}"),
        }
    }

    /// A number.
    #[track_caller]
    pub fn integer(&self) -> i64 {
        match self {
            Self::Integer(number) => *number,
            other => panic!("not a number: {other:?}"),
        }
    }

    /// The items of a list.
    #[track_caller]
    pub fn items(&self) -> &[Self] {
        match self {
            Self::Array(items) => items,
            other => panic!("not a list: {other:?}"),
        }
    }

    /// Panics unless it is the status `OK`.
    #[track_caller]
    pub fn ok(&self) {
        assert_eq!(*self, Self::Status("OK".to_owned()));
    }

    /// The value of a line `name:value`, as `INFO` and `CLUSTER INFO` have them.
    #[track_caller]
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut lines = self.text().lines().filter_map(|line| line.split_once(':'));
        lines
            .find(|(other, _)| *other == name)
            .map(|(_, value)| value)
    }
}

/// The words of a request, of which there is at least one.
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
        other => Err(io::Error::other(format!("no request: {other:?}"))),
    }
}

fn word(reply: Reply) -> io::Result<Vec<u8>> {
    match reply {
        Reply::Bulk(bytes) => Ok(bytes),
        other => Err(io::Error::other(format!("no word: {other:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_with_what_is_in_them() {
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
