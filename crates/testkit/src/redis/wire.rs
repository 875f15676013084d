//! A raw connection to a Redis: [`RedisWire`] sends commands and reads their replies.

use std::io::{self, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};

use super::frame::read_frame;
use super::reply::Reply;
use crate::eventually::DEADLINE;

/// A connection in RESP2. Reads and writes time out after the deadline.
#[derive(Debug)]
pub struct RedisWire {
    stream: BufReader<TcpStream>,
}

impl RedisWire {
    /// Connects to a server.
    #[track_caller]
    pub fn to(address: SocketAddr) -> Self {
        Self::try_to(address).unwrap_or_else(|error| panic!("{address}: {error}"))
    }

    /// Connects to a server. Fails if nothing listens there.
    pub fn try_to(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(DEADLINE))?;
        stream.set_write_timeout(Some(DEADLINE))?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
        })
    }

    /// Sends a command and returns its reply, which may be an error reply.
    #[track_caller]
    pub fn command(&mut self, words: &[impl AsRef<[u8]>]) -> Reply {
        self.try_command(words)
            .unwrap_or_else(|error| panic!("{}: {error}", shown(words)))
    }

    /// As [`command`](Self::command), but fails if the connection ends before the reply.
    pub fn try_command(&mut self, words: &[impl AsRef<[u8]>]) -> io::Result<Reply> {
        self.send(words)?;
        self.reply()
    }

    /// Sends a command without reading its reply.
    pub fn send(&mut self, words: &[impl AsRef<[u8]>]) -> io::Result<()> {
        self.stream.get_mut().write_all(&encoded(words))
    }

    /// Sends several commands in one write.
    pub fn send_all(&mut self, commands: &[&[&str]]) -> io::Result<()> {
        let commands: Vec<_> = commands.iter().map(|words| encoded(words)).collect();
        self.stream.get_mut().write_all(&commands.concat())
    }

    /// Reads the next value, RESP2 or RESP3, and returns its bytes.
    pub fn frame(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if !read_frame(&mut self.stream, &mut bytes)? {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(bytes)
    }

    /// Reads the next reply.
    pub fn reply(&mut self) -> io::Result<Reply> {
        Reply::read(&mut self.stream)
    }
}

/// Returns the bytes of a command.
fn encoded(words: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        let word = word.as_ref();
        bytes.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
        bytes.extend_from_slice(word);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes
}

fn shown(words: &[impl AsRef<[u8]>]) -> String {
    let words = words
        .iter()
        .map(|word| word.as_ref().escape_ascii().to_string());
    words.collect::<Vec<_>>().join(" ")
}
