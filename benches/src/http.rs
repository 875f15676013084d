//! A minimal HTTP client: requests on a kept-alive connection.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};

/// The beginning of a successful response.
pub const OK: &str = "HTTP/1.1 200 ";

/// The size of the read buffer.
const READ_BYTES: usize = 16 << 10;

/// A response.
#[derive(Debug, Clone)]
pub struct Response {
    /// Status line and headers.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// Returns the value of a header. The name must be in lower case, as the servers here write it.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(other, _)| *other == name)
            .map(|(_, value)| value)
    }
}

/// Returns a `GET` request.
#[must_use]
pub fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")
}

/// Returns a `POST` request.
#[must_use]
pub fn post(path: &str, media_type: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\n\
         content-type: {media_type}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Returns a `PUT` request with a JSON body.
#[must_use]
pub fn put(path: &str, body: &str) -> String {
    post(path, "application/json", body).replacen("POST", "PUT", 1)
}

/// Sends a request on a new connection. A status other than 200 is an error.
pub fn ask(address: SocketAddr, request: &str) -> io::Result<Response> {
    Connection::open(address)?.ask(request)
}

/// A kept-alive connection.
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

    /// Sends a request, and waits for its response. A status other than 200 is an error.
    pub fn ask(&mut self, request: &str) -> io::Result<Response> {
        let response = self.exchange(request)?;
        if response.head.starts_with(OK) {
            return Ok(response);
        }
        let body = String::from_utf8_lossy(&response.body);
        Err(io::Error::other(format!("{}{body}", response.head)))
    }

    /// Sends a request, and waits for its response, of any status.
    pub fn exchange(&mut self, request: &str) -> io::Result<Response> {
        self.stream.write_all(request.as_bytes())?;
        let mut bytes = Vec::new();
        let mut buffer = [0; READ_BYTES];
        while response_length(&bytes).is_none_or(|length| bytes.len() < length) {
            match self.stream.read(&mut buffer)? {
                0 => return Err(io::Error::other("the connection ended within a response")),
                read => bytes.extend_from_slice(&buffer[..read]),
            }
        }
        let end = head_length(&bytes).unwrap_or_default();
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let body = bytes.split_off(end);
        Ok(Response { head, body })
    }
}

/// Returns the length of the response that begins with these bytes, once its head is complete.
#[must_use]
pub fn response_length(bytes: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length: ";
    let end = head_length(bytes)?;
    let head = &bytes[..end];
    let index = head.windows(NAME.len()).position(|text| text == NAME)?;
    let digits = head[index + NAME.len()..].iter();
    let digits = digits.take_while(|byte| byte.is_ascii_digit());
    let length = digits.fold(0, |number, digit| number * 10 + usize::from(digit - b'0'));
    Some(end + length)
}

fn head_length(bytes: &[u8]) -> Option<usize> {
    const END: &[u8] = b"\r\n\r\n";
    let index = bytes.windows(END.len()).position(|text| text == END)?;
    Some(index + END.len())
}

/// How much of an unexpected response is shown.
const SHOWN_CHARS: usize = 400;

/// Sends a request with contributions. It is an error if any of them is not applied.
pub fn apply_all(connection: &mut Connection, request: &str) -> io::Result<()> {
    let response = connection.ask(request)?;
    let text = String::from_utf8_lossy(&response.body);
    let all_applied = [
        "\"duplicates\":0,",
        "\"rejected_count\":0,",
        "\"failed_count\":0,",
    ];
    if all_applied.iter().all(|part| text.contains(part)) {
        Ok(())
    } else {
        let begin: String = text.chars().take(SHOWN_CHARS).collect();
        Err(io::Error::other(format!(
            "some contributions were not applied: {begin}"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_a_response_includes_its_head() {
        let response = b"HTTP/1.1 200 OK\r\ncontent-length: 12\r\netag: x\r\n\r\nhello";
        assert_eq!(response_length(response), Some(response.len() + 7));
        assert_eq!(response_length(&response[..40]), None);
    }
}
