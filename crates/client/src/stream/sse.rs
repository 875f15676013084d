//! Server-sent events out of bytes: [`Parser`], as the HTML standard reads `text/event-stream`.

use std::collections::VecDeque;
use std::mem;
use std::time::Duration;

/// UTF-8's byte order mark, which the first line may begin with.
const BOM: &[u8] = "\u{feff}".as_bytes();

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    /// What sort of event: `message` where nothing was said.
    pub(crate) event: String,
    /// Its lines, joined by line feeds.
    pub(crate) data: String,
}

/// The event that has begun is longer than it may be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Reads one connection, wherever its chunks are cut.
#[derive(Debug)]
pub(crate) struct Parser {
    bytes_max: usize,
    /// The line that has begun.
    line: Vec<u8>,
    is_first_line: bool,
    /// Whether a line feed would belong to the line end before it.
    after_return: bool,
    event: String,
    data: String,
    has_data: bool,
    /// The id that holds from the next blank line on.
    next_id: Option<String>,
    /// The id of the last event.
    pub(crate) last_id: Option<String>,
    /// How long the server asks to wait before a reconnect.
    pub(crate) retry: Option<Duration>,
}

impl Parser {
    /// For events of at most so many bytes, on a connection that goes on behind this id.
    pub(crate) fn new(bytes_max: usize, last_id: Option<String>) -> Self {
        Self {
            bytes_max,
            line: Vec::new(),
            is_first_line: true,
            after_return: false,
            event: String::new(),
            data: String::new(),
            has_data: false,
            next_id: last_id.clone(),
            last_id,
            retry: None,
        }
    }

    /// Takes the next bytes, and gives the events that they complete.
    pub(crate) fn take(
        &mut self,
        mut bytes: &[u8],
        into: &mut VecDeque<Message>,
    ) -> Result<(), TooLong> {
        while !bytes.is_empty() {
            if mem::take(&mut self.after_return) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let part = &bytes[..end.unwrap_or(bytes.len())];
            if self.line.len() + self.data.len() + part.len() > self.bytes_max {
                return Err(TooLong);
            }
            self.line.extend_from_slice(part);
            let Some(end) = end else {
                return Ok(());
            };
            self.after_return = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            into.extend(self.end_line());
        }
        Ok(())
    }

    fn end_line(&mut self) -> Option<Message> {
        let line = mem::take(&mut self.line);
        let is_first_line = mem::take(&mut self.is_first_line);
        let line = match line.strip_prefix(BOM) {
            Some(rest) if is_first_line => rest,
            _ => &line[..],
        };
        if line.is_empty() {
            return self.end_event();
        }
        let line = String::from_utf8_lossy(line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event),
            "data" => {
                if mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            "id" if !value.contains('\0') => self.next_id = Some(value.to_owned()),
            "retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.retry = value.parse().ok().map(Duration::from_millis).or(self.retry);
            }
            // Comments, and what is not known.
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<Message> {
        self.last_id.clone_from(&self.next_id);
        let (event, data) = (mem::take(&mut self.event), mem::take(&mut self.data));
        mem::take(&mut self.has_data).then(|| Message {
            event: match &*event {
                "" => "message".to_owned(),
                _ => event,
            },
            data,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a connection tells: its events, its last id, its pause.
    type Told = (Vec<Message>, Option<String>, Option<Duration>);

    /// The same from the whole text at once.
    fn naive(text: &str) -> Told {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let mut told: Told = (Vec::new(), None, None);
        let (mut event, mut id, mut data) = ("message", None, Vec::new());
        let lines: Vec<&str> = text.split('\n').collect();
        // What stands behind the last line end is no line yet.
        for line in &lines[..lines.len() - 1] {
            let (field, value) = match line.find(':') {
                Some(place) => (&line[..place], &line[place + 1..]),
                None => (*line, ""),
            };
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "" if line.is_empty() => {
                    told.1 = id.map(str::to_owned);
                    if !data.is_empty() {
                        told.0.push(Message {
                            event: event.to_owned(),
                            data: data.join("\n"),
                        });
                    }
                    (event, data) = ("message", Vec::new());
                }
                "event" => event = if value.is_empty() { "message" } else { value },
                "data" => data.push(value),
                "id" if !value.contains('\0') => id = Some(value),
                "retry" => {
                    let is_number = value.chars().all(|c| c.is_ascii_digit());
                    if let (true, Ok(ms)) = (is_number, value.parse()) {
                        told.2 = Some(Duration::from_millis(ms));
                    }
                }
                _ => {}
            }
        }
        told
    }

    fn parsed(bytes: &[u8], cuts: &[usize]) -> Told {
        let mut parser = Parser::new(usize::MAX, None);
        let (mut events, mut rest) = (VecDeque::new(), bytes);
        for cut in cuts {
            let (part, behind) = rest.split_at((*cut).min(rest.len()));
            parser.take(part, &mut events).unwrap();
            rest = behind;
        }
        parser.take(rest, &mut events).unwrap();
        (events.into(), parser.last_id, parser.retry)
    }

    /// Lines as servers write them, and what none would.
    fn text() -> impl Strategy<Value = String> {
        const PIECES: &[&str] = &[
            "data",
            "event",
            "id",
            "retry",
            ":",
            ": ",
            " ",
            "\n",
            "\n",
            "\n\n",
            "\r",
            "\r\n",
            "\r\n\r\n",
            "x",
            "ü",
            "12",
            "\0",
            "\u{feff}",
            "data: a\n",
            "event: board\n",
            "id: 7\n",
            "retry: 30\n",
            ": comment\n\n",
        ];
        let piece = prop::sample::select(PIECES);
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn chunks_may_be_cut_anywhere(
            text in text(),
            cuts in prop::collection::vec(0_usize..6, 0..60),
        ) {
            prop_assert_eq!(parsed(text.as_bytes(), &cuts), naive(&text));
        }
    }

    #[test]
    fn an_event_is_what_the_standard_says() {
        let text = "\u{feff}retry: 1000\r\n\r\n: hello\r\rid: 7\nevent: board\ndata: {\ndata:}\n\ndata\n\nevent: x\n\ndata: lost";
        let message = |event: &str, data: &str| Message {
            event: event.to_owned(),
            data: data.to_owned(),
        };
        let (events, id, retry) = parsed(text.as_bytes(), &[1; 200]);
        assert_eq!(events, [message("board", "{\n}"), message("message", "")]);
        assert_eq!(
            (id.as_deref(), retry),
            (Some("7"), Some(Duration::from_secs(1)))
        );
    }

    #[test]
    fn an_event_may_not_be_longer_than_its_limit() {
        let mut events = VecDeque::new();
        let mut parser = Parser::new(20, None);
        let fits = "data: 89abcdef\n\n".repeat(9);
        assert_eq!(parser.take(fits.as_bytes(), &mut events), Ok(()));
        assert_eq!(parser.take(b"data: 89abcdef\n", &mut events), Ok(()));
        assert_eq!(parser.take(b"data: 89abcdef\n", &mut events), Err(TooLong));
        let mut parser = Parser::new(20, None);
        let endless = [b'x'; 21];
        assert_eq!(parser.take(&endless[..20], &mut events), Ok(()));
        assert_eq!(parser.take(&endless[20..], &mut events), Err(TooLong));
    }
}
