//! A raw HTTP/1.1 connection for incomplete heads, truncated bodies, and other input that no HTTP
//! client sends.

use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

use serde_json::Value;

use crate::eventually::DEADLINE;

/// A connection to a server.
pub struct Wire {
    stream: TcpStream,
    input: BufReader<TcpStream>,
}

/// A response read from a raw connection.
#[derive(Debug)]
pub struct RawResponse {
    /// The status code.
    pub status: u16,
    /// Header lines, in lower case.
    pub head: Vec<String>,
    /// The body.
    pub body: String,
}

impl Wire {
    /// Connects. Reads and writes time out after the deadline.
    pub fn to(address: &str) -> Self {
        Self::try_to(address).unwrap()
    }

    /// Connects to a server that may have stopped.
    pub fn try_to(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream.set_write_timeout(Some(DEADLINE)).unwrap();
        let input = BufReader::new(stream.try_clone().unwrap());
        Ok(Self { stream, input })
    }

    /// Writes bytes unchanged.
    pub fn write(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.stream.write_all(bytes.as_ref()).unwrap();
        self
    }

    /// Writes bytes. Returns false if the server has closed the connection.
    pub fn try_write(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).is_ok()
    }

    /// Shuts down the sending side.
    pub fn end_input(&mut self) -> &mut Self {
        self.stream.shutdown(Shutdown::Write).unwrap();
        self
    }

    /// Returns the next response, or `None` if the connection ends before it.
    pub fn try_response(&mut self) -> Option<RawResponse> {
        self.try_response_to("GET")
    }

    /// Returns the next line with its end; an empty one after the end of the connection.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.input.read_line(&mut line).unwrap();
        line
    }

    /// Returns the status of the next response and reads nothing else of it, since it may be
    /// endless.
    #[track_caller]
    pub fn status(&mut self) -> u16 {
        let line = self.line();
        line.split(' ').nth(1).unwrap().parse().unwrap()
    }

    /// Returns the next response to a request with this method. A response to `HEAD` has no body.
    #[track_caller]
    pub fn response_to(&mut self, method: &str) -> RawResponse {
        self.try_response_to(method)
            .expect("a response before the connection ends")
    }

    /// Returns the next response if it is an error. Of a success only the head is read.
    #[track_caller]
    pub fn failure(&mut self) -> Option<RawResponse> {
        let head = self
            .try_head()
            .expect("a response before the connection ends");
        (status_of(&head) >= 400).then(|| self.response_after(head, "GET"))
    }

    fn try_response_to(&mut self, method: &str) -> Option<RawResponse> {
        let head = self.try_head()?;
        Some(self.response_after(head, method))
    }

    fn try_head(&mut self) -> Option<Vec<String>> {
        let mut head = Vec::new();
        let mut line = String::new();
        if self.input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        while !line.trim_end().is_empty() {
            head.push(line.trim_end().to_ascii_lowercase());
            line.clear();
            self.input.read_line(&mut line).unwrap();
        }
        Some(head)
    }

    fn response_after(&mut self, head: Vec<String>, method: &str) -> RawResponse {
        let length = head
            .iter()
            .find_map(|line| line.strip_prefix("content-length:"))
            .filter(|_| method != "HEAD")
            .map_or(0, |length| length.trim().parse().unwrap());
        let mut body = vec![0; length];
        self.input.read_exact(&mut body).unwrap();
        RawResponse {
            status: status_of(&head),
            head,
            body: String::from_utf8(body).unwrap(),
        }
    }

    /// Returns the next response.
    #[track_caller]
    pub fn response(&mut self) -> RawResponse {
        self.try_response()
            .expect("a response before the connection ends")
    }

    /// Returns whether the server has closed the connection without sending anything more.
    pub fn has_ended(&mut self) -> bool {
        match self.input.read(&mut [0]) {
            Ok(read) => read == 0,
            Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        }
    }
}

fn status_of(head: &[String]) -> u16 {
    head[0].split(' ').nth(1).unwrap().parse().unwrap()
}

impl RawResponse {
    /// Parses the body as JSON.
    #[track_caller]
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns a header's value, or an empty string if the header is absent.
    pub fn header(&self, name: &str) -> &str {
        let prefix = format!("{name}:");
        let found = self.head.iter().find_map(|line| line.strip_prefix(&prefix));
        found.map_or("", str::trim)
    }
}
