//! A bare HTTP/1.1 connection: half heads, cut bodies, and other things that no client sends.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

use serde_json::Value;

use crate::eventually::DEADLINE;

/// A connection to a server.
pub struct Wire {
    stream: TcpStream,
    input: BufReader<TcpStream>,
}

/// An answer as it came over the wire.
#[derive(Debug)]
pub struct WireAnswer {
    /// The status code.
    pub status: u16,
    /// Header lines, in lower case.
    pub head: Vec<String>,
    /// The body.
    pub body: String,
}

impl Wire {
    /// Connects; reads give up after the deadline.
    pub fn to(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream.set_write_timeout(Some(DEADLINE)).unwrap();
        let input = BufReader::new(stream.try_clone().unwrap());
        Self { stream, input }
    }

    /// Writes bytes as they are.
    pub fn write(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.stream.write_all(bytes.as_ref()).unwrap();
        self
    }

    /// Writes bytes; false when the server has hung up.
    pub fn try_write(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).is_ok()
    }

    /// Says that nothing more comes.
    pub fn end_input(&mut self) -> &mut Self {
        self.stream.shutdown(Shutdown::Write).unwrap();
        self
    }

    /// The next answer, whole; none when the connection ends before it.
    pub fn try_answer(&mut self) -> Option<WireAnswer> {
        self.try_answer_to("GET")
    }

    /// The status of the next answer, of which nothing else is read: it may have no end.
    #[track_caller]
    pub fn status(&mut self) -> u16 {
        let mut line = String::new();
        self.input.read_line(&mut line).unwrap();
        line.split(' ').nth(1).unwrap().parse().unwrap()
    }

    /// The next answer to a request of this method: one to `HEAD` has no body.
    #[track_caller]
    pub fn answer_to(&mut self, method: &str) -> WireAnswer {
        self.try_answer_to(method)
            .expect("an answer, not the connection's end")
    }

    /// The next answer if it is no success. Of a success nothing but the head is read.
    #[track_caller]
    pub fn failure(&mut self) -> Option<WireAnswer> {
        let head = self
            .try_head()
            .expect("an answer, not the connection's end");
        (status_of(&head) >= 400).then(|| self.answer_behind(head, "GET"))
    }

    fn try_answer_to(&mut self, method: &str) -> Option<WireAnswer> {
        let head = self.try_head()?;
        Some(self.answer_behind(head, method))
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

    fn answer_behind(&mut self, head: Vec<String>, method: &str) -> WireAnswer {
        let length = head
            .iter()
            .find_map(|line| line.strip_prefix("content-length:"))
            .filter(|_| method != "HEAD")
            .map_or(0, |length| length.trim().parse().unwrap());
        let mut body = vec![0; length];
        self.input.read_exact(&mut body).unwrap();
        WireAnswer {
            status: status_of(&head),
            head,
            body: String::from_utf8(body).unwrap(),
        }
    }

    /// The next answer.
    #[track_caller]
    pub fn answer(&mut self) -> WireAnswer {
        self.try_answer()
            .expect("an answer, not the connection's end")
    }

    /// Whether the server has ended the connection, with nothing more to say.
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

impl WireAnswer {
    /// The body as JSON.
    #[track_caller]
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// A header's value, empty where it is not there.
    pub fn header(&self, name: &str) -> &str {
        let prefix = format!("{name}:");
        let found = self.head.iter().find_map(|line| line.strip_prefix(&prefix));
        found.map_or("", str::trim)
    }
}
