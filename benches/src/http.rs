//! As much of HTTP as the figures need: requests that keep their connection, and where a response
//! ends.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};

/// How a response begins that is what was asked for.
pub const OK: &str = "HTTP/1.1 200 ";

/// Bytes read at once.
const READ_BYTES: usize = 16 << 10;

/// A response: its head, status line included, and its body.
#[derive(Debug, Clone)]
pub struct Response {
    /// Status line and headers.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// The value of a header; its name in lower case, as our servers write it.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(other, _)| *other == name)
            .map(|(_, value)| value)
    }
}

/// A `GET` that keeps its connection.
#[must_use]
pub fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")
}

/// A `POST` that keeps its connection.
#[must_use]
pub fn post(path: &str, media_type: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\n\
         content-type: {media_type}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Asks once, over a connection of its own. Anything but a 200 is an error.
pub fn ask(address: SocketAddr, request: &str) -> io::Result<Response> {
    Connection::open(address)?.ask(request)
}

/// A connection that is asked again and again.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
}

impl Connection {
    /// Connects.
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream })
    }

    /// Sends a request and waits for its response. Anything but a 200 is an error.
    pub fn ask(&mut self, request: &str) -> io::Result<Response> {
        let response = self.exchange(request)?;
        if response.head.starts_with(OK) {
            return Ok(response);
        }
        let body = String::from_utf8_lossy(&response.body);
        Err(io::Error::other(format!("{}{body}", response.head)))
    }

    /// Sends a request and waits for its response, whatever that is.
    pub fn exchange(&mut self, request: &str) -> io::Result<Response> {
        self.stream.write_all(request.as_bytes())?;
        let mut bytes = Vec::new();
        let mut buffer = [0; READ_BYTES];
        while response_length(&bytes).is_none_or(|length| bytes.len() < length) {
            match self.stream.read(&mut buffer)? {
                0 => return Err(io::Error::other("no whole HTTP response came")),
                read => bytes.extend_from_slice(&buffer[..read]),
            }
        }
        let end = head_length(&bytes).unwrap_or_default();
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let body = bytes.split_off(end);
        Ok(Response { head, body })
    }
}

/// The length of the response that these bytes begin, once its head is whole.
#[must_use]
pub fn response_length(bytes: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length: ";
    let end = head_length(bytes)?;
    let head = &bytes[..end];
    let place = head.windows(NAME.len()).position(|text| text == NAME)?;
    let digits = head[place + NAME.len()..].iter();
    let digits = digits.take_while(|byte| byte.is_ascii_digit());
    let length = digits.fold(0, |number, digit| number * 10 + usize::from(digit - b'0'));
    Some(end + length)
}

fn head_length(bytes: &[u8]) -> Option<usize> {
    const END: &[u8] = b"\r\n\r\n";
    let place = bytes.windows(END.len()).position(|text| text == END)?;
    Some(place + END.len())
}

/// How much is told of an answer that was not hoped for, which may have a line for each contribution.
const TOLD_CHARS: usize = 400;

/// Sends a batch of contributions, all of which has to be applied.
pub fn apply_all(connection: &mut Connection, request: &str) -> io::Result<()> {
    let answer = connection.ask(request)?;
    let text = String::from_utf8_lossy(&answer.body);
    let nothing_else = [
        "\"duplicates\":0,",
        "\"rejected_count\":0,",
        "\"failed_count\":0,",
    ];
    if nothing_else.iter().all(|part| text.contains(part)) {
        Ok(())
    } else {
        let begin: String = text.chars().take(TOLD_CHARS).collect();
        Err(io::Error::other(format!("not all was applied: {begin}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_ends_where_its_length_says() {
        let response = b"HTTP/1.1 200 OK\r\ncontent-length: 12\r\netag: x\r\n\r\nhello";
        assert_eq!(response_length(response), Some(response.len() + 7));
        assert_eq!(response_length(&response[..40]), None);
    }
}
