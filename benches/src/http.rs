//! As much of HTTP as the figures need: one request a connection, and where a response ends.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};

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

/// Asks once, over a connection of its own. Anything but a 200 is an error.
pub fn ask(address: SocketAddr, path: &str) -> io::Result<Response> {
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    exchange(address, request.as_bytes(), &[])
}

/// Posts once, over a connection of its own. Anything but a 200 is an error.
pub fn post(
    address: SocketAddr,
    path: &str,
    media_type: &str,
    body: &[u8],
) -> io::Result<Response> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-type: {media_type}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    exchange(address, head.as_bytes(), body)
}

fn exchange(address: SocketAddr, head: &[u8], body: &[u8]) -> io::Result<Response> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(head)?;
    stream.write_all(body)?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let end = head_length(&bytes).ok_or_else(|| io::Error::other("no HTTP response came"))?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    if !head.starts_with("HTTP/1.1 200 ") {
        let body = String::from_utf8_lossy(&bytes[end..]);
        return Err(io::Error::other(format!("{head}{body}")));
    }
    let body = bytes.split_off(end);
    Ok(Response { head, body })
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
