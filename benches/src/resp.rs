//! A minimal client of Redis's protocol: pipelines of commands, and their replies.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

/// Encodes a command.
#[must_use]
pub fn command(words: &[&str]) -> String {
    let mut text = String::new();
    append(&mut text, words);
    text
}

/// Appends a command to a pipeline.
pub fn append(pipeline: &mut String, words: &[&str]) {
    // Writing into a string cannot fail.
    let _ = write!(pipeline, "*{}\r\n", words.len());
    for word in words {
        let _ = write!(pipeline, "${}\r\n{word}\r\n", word.len());
    }
}

/// A connection that sends pipelines, and waits for all replies.
#[derive(Debug)]
pub struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    /// Connects.
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
        })
    }

    /// Sends a pipeline of commands whose replies are single values, and discards these.
    pub fn run(&mut self, pipeline: &str, commands: usize) -> io::Result<()> {
        self.stream.get_mut().write_all(pipeline.as_bytes())?;
        for _ in 0..commands {
            self.reply()?;
        }
        Ok(())
    }

    /// Sends a command whose reply is a single value.
    pub fn ask(&mut self, words: &[&str]) -> io::Result<String> {
        let command = command(words);
        self.stream.get_mut().write_all(command.as_bytes())?;
        self.reply()
    }

    /// Sends a command whose reply is an array of single values.
    pub fn list(&mut self, words: &[&str]) -> io::Result<Vec<String>> {
        let command = command(words);
        self.stream.get_mut().write_all(command.as_bytes())?;
        self.array()
    }

    /// Sends a command whose reply is a page of a cursor: the next cursor, and the values.
    pub fn page(&mut self, words: &[&str]) -> io::Result<(String, Vec<String>)> {
        let command = command(words);
        self.stream.get_mut().write_all(command.as_bytes())?;
        match self.header()? {
            2 => Ok((self.reply()?, self.array()?)),
            other => Err(io::Error::other(format!(
                "a page has 2 items, but the reply has {other}"
            ))),
        }
    }

    fn array(&mut self) -> io::Result<Vec<String>> {
        (0..self.header()?).map(|_| self.reply()).collect()
    }

    /// Reads the header of an array, which is its length.
    fn header(&mut self) -> io::Result<usize> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let count = line.trim_end().strip_prefix('*');
        let count: Option<usize> = count.and_then(|count| count.parse().ok());
        count.ok_or_else(|| io::Error::other(format!("unexpected reply: {line:?}")))
    }

    fn reply(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let line = line.trim_end();
        match line.split_at_checked(1) {
            Some((":" | "+", value)) => Ok(value.to_owned()),
            Some(("$", length)) => {
                let length: usize = length.parse().map_err(io::Error::other)?;
                let mut text = vec![0; length + 2];
                self.stream.read_exact(&mut text)?;
                text.truncate(length);
                String::from_utf8(text).map_err(io::Error::other)
            }
            _ => Err(io::Error::other(format!("unexpected reply: {line:?}"))),
        }
    }
}

/// Returns the length of the reply that begins with these bytes, an array of bulk strings, once it is complete.
#[must_use]
pub fn array_length(bytes: &[u8]) -> Option<usize> {
    let (count, mut end) = header(bytes, b'*')?;
    for _ in 0..count {
        let (length, header) = header(&bytes[end..], b'$')?;
        end += header + length + 2;
        if end > bytes.len() {
            return None;
        }
    }
    Some(end)
}

/// Returns the length of the reply that begins with these bytes, a bulk string, once its header is complete.
#[must_use]
pub fn bulk_length(bytes: &[u8]) -> Option<usize> {
    let (length, header) = header(bytes, b'$')?;
    Some(header + length + 2)
}

/// Returns the length of the reply that begins with these bytes, a number, once it is complete.
#[must_use]
pub fn number_length(bytes: &[u8]) -> Option<usize> {
    header(bytes, b':').map(|(_, length)| length)
}

/// Returns the number after a type byte, and the length of its line.
fn header(bytes: &[u8], kind: u8) -> Option<(usize, usize)> {
    let mut number = 0;
    for (index, byte) in bytes.iter().enumerate().skip(1) {
        match byte {
            b'0'..=b'9' => number = number * 10 + usize::from(byte - b'0'),
            b'\n' if bytes[0] == kind => return Some((number, index + 1)),
            b'\r' => {}
            // An error, or not RESP: it is never complete.
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_complete_at_its_last_byte() {
        let reply = b"*2\r\n$5\r\nhello\r\n$11\r\n12345678901\r\n";
        for end in 0..reply.len() {
            assert_eq!(array_length(&reply[..end]), None, "{end}");
        }
        assert_eq!(array_length(reply), Some(reply.len()));
        assert_eq!(command(&["GET", "k"]), "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n");
    }
}
