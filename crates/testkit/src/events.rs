//! Server-sent events as a client reads them: [`Events`].

use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Instant;

use serde_json::Value;

use crate::eventually::DEADLINE;
use crate::server::Server;

/// An open stream.
pub struct Events {
    input: BufReader<TcpStream>,
    /// Received but not yet parsed.
    text: String,
    /// The deadline of the current wait. Comments do not extend it.
    end: Instant,
    /// Header lines, in lower case.
    pub head: Vec<String>,
}

/// One event.
#[derive(Debug, Clone)]
pub struct Event {
    /// The event type.
    pub name: String,
    /// Empty if the event has no id.
    pub id: String,
    /// The data, parsed as JSON.
    pub value: Value,
}

impl Events {
    /// Opens a stream and asserts that the response has status 200.
    #[track_caller]
    pub fn of(server: &Server, path: &str) -> Self {
        let stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        (&stream).write_all(Self::request(path).as_bytes()).unwrap();
        let mut input = BufReader::new(stream);
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            input.read_line(&mut line).unwrap();
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            head.push(line);
        }
        assert!(head[0].contains(" 200 "), "{head:?}");
        Self {
            input,
            text: String::new(),
            end: Instant::now(),
            head,
        }
    }

    /// Returns the bytes of a request for a stream.
    pub fn request(path: &str) -> String {
        format!("GET {path} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n")
    }

    /// Returns the next event, or `None` at the end of the stream.
    #[track_caller]
    pub fn try_next(&mut self) -> Option<Event> {
        self.end = Instant::now() + DEADLINE;
        loop {
            while let Some(end) = self.text.find("\n\n") {
                let block: String = self.text.drain(..end + 2).collect();
                if let Some(event) = Event::read(&block) {
                    return Some(event);
                }
            }
            let chunk = self.chunk()?;
            self.text += &chunk;
        }
    }

    /// Returns the next event.
    #[track_caller]
    pub fn event(&mut self) -> Event {
        self.try_next().expect("an event before the stream ends")
    }

    /// Returns the next event of this type.
    #[track_caller]
    pub fn named(&mut self, name: &str) -> Event {
        loop {
            let event = self.event();
            if event.name == name {
                return event;
            }
        }
    }

    /// Returns the next event for which `holds` returns true.
    #[track_caller]
    pub fn until(&mut self, mut holds: impl FnMut(&Event) -> bool) -> Event {
        loop {
            let event = self.event();
            if holds(&event) {
                return event;
            }
        }
    }

    /// Returns the next comment, and asserts that no event comes before it.
    #[track_caller]
    pub fn comment(&mut self) -> String {
        self.end = Instant::now() + DEADLINE;
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let block: String = self.text.drain(..end + 2).collect();
                assert!(block.starts_with(':'), "not a comment: {block}");
                return block.trim_end().to_owned();
            }
            let chunk = self.chunk().expect("a comment before the stream ends");
            self.text += &chunk;
        }
    }

    /// Returns the next chunk of the body, or `None` at its end, which is the last chunk or the end
    /// of the connection.
    fn chunk(&mut self) -> Option<String> {
        assert!(Instant::now() < self.end, "no event within {DEADLINE:?}");
        let mut line = String::new();
        if came(self.input.read_line(&mut line))? == 0 {
            return None;
        }
        let size = usize::from_str_radix(line.trim_end(), 16).unwrap();
        let mut bytes = vec![0; size + 2];
        came(self.input.read_exact(&mut bytes))?;
        bytes.truncate(size);
        (size > 0).then(|| String::from_utf8(bytes).unwrap())
    }
}

/// Returns the result of a read, or `None` if the connection has ended. A timeout panics.
#[track_caller]
fn came<T>(read: io::Result<T>) -> Option<T> {
    match read {
        Ok(read) => Some(read),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            panic!("nothing was received within {DEADLINE:?}")
        }
        Err(_) => None,
    }
}

impl Event {
    /// Returns `None` for a comment, and for a block without data.
    fn read(block: &str) -> Option<Self> {
        let field = |name: &str| {
            let lines = block.lines().filter_map(|line| line.split_once(": "));
            let found = lines.filter(|(field, _)| *field == name).map(|(_, v)| v);
            found.collect::<Vec<_>>().join("\n")
        };
        let (name, data) = (field("event"), field("data"));
        (!data.is_empty()).then(|| Self {
            name,
            id: field("id"),
            value: serde_json::from_str(&data).unwrap(),
        })
    }

    /// Returns the `entries` of the data.
    #[track_caller]
    pub fn entries(&self) -> &[Value] {
        self.value["entries"].as_array().unwrap()
    }
}
