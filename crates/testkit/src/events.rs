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
    /// What has come of the body and was not read yet.
    text: String,
    /// When a wait for an event ends: comments are no events.
    end: Instant,
    /// Header lines, in lower case.
    pub head: Vec<String>,
}

/// One event.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its sort.
    pub name: String,
    /// Empty where it has none.
    pub id: String,
    /// Its JSON.
    pub value: Value,
}

impl Events {
    /// Opens a stream; the answer is a 200.
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

    /// The bytes that ask for a stream.
    pub fn request(path: &str) -> String {
        format!("GET {path} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n")
    }

    /// The next event; none when the stream has come to its end.
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

    /// The next event.
    #[track_caller]
    pub fn event(&mut self) -> Event {
        self.try_next().expect("an event, not the stream's end")
    }

    /// The next event of this sort.
    #[track_caller]
    pub fn named(&mut self, name: &str) -> Event {
        loop {
            let event = self.event();
            if event.name == name {
                return event;
            }
        }
    }

    /// The first event from now on of which this holds.
    #[track_caller]
    pub fn until(&mut self, mut holds: impl FnMut(&Event) -> bool) -> Event {
        loop {
            let event = self.event();
            if holds(&event) {
                return event;
            }
        }
    }

    /// The next comment; nothing else comes before it.
    #[track_caller]
    pub fn comment(&mut self) -> String {
        self.end = Instant::now() + DEADLINE;
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let block: String = self.text.drain(..end + 2).collect();
                assert!(block.starts_with(':'), "no comment: {block}");
                return block.trim_end().to_owned();
            }
            let chunk = self.chunk().expect("a comment, not the stream's end");
            self.text += &chunk;
        }
    }

    /// The next chunk of the body; none at its end, whether the last chunk came or the connection ended.
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

/// What was read; none where the connection has ended. Silence is not an end.
#[track_caller]
fn came<T>(read: io::Result<T>) -> Option<T> {
    match read {
        Ok(read) => Some(read),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            panic!("nothing came within {DEADLINE:?}")
        }
        Err(_) => None,
    }
}

impl Event {
    /// None where it is a comment, or a field for the client itself.
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

    /// Its entries.
    #[track_caller]
    pub fn entries(&self) -> &[Value] {
        self.value["entries"].as_array().unwrap()
    }
}
