//! Parsing server-sent events: [`Parser`], for `text/event-stream` of the HTML standard.

use std::collections::VecDeque;
use std::mem;
use std::time::Duration;

/// The byte order mark, which the first line may begin with.
const BOM: &[u8] = "\u{feff}".as_bytes();

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    /// The type of the event; `message` by default.
    pub(crate) event: String,
    /// The lines of data, joined by line feeds.
    pub(crate) data: String,
}

/// The current event exceeds its maximum size.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Parses the chunks of one connection, which may end anywhere.
#[derive(Debug)]
pub(crate) struct Parser {
    bytes_max: usize,
    /// The beginning of the current line.
    line: Vec<u8>,
    is_first_line: bool,
    /// Whether the last byte was a carriage return, so that a line feed would belong to the same line end.
    after_return: bool,
    event: String,
    data: String,
    has_data: bool,
    /// The id of the current event.
    next_id: Option<String>,
    /// The id of the last complete event.
    pub(crate) last_id: Option<String>,
    /// The minimum pause before a reconnect, as set by the server.
    pub(crate) retry: Option<Duration>,
}

impl Parser {
    /// Creates a parser for a connection that continues after the event `last_id`, with a maximum size of events.
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

    /// Parses the next bytes, and appends the events that they complete.
    pub(crate) fn parse(
        &mut self,
        mut bytes: &[u8],
        messages: &mut VecDeque<Message>,
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
            messages.extend(self.end_line());
        }
        Ok(())
    }

    fn end_line(&mut self) -> Option<Message> {
        let line = mem::take(&mut self.line);
        let is_first_line = mem::take(&mut self.is_first_line);
        let line = match line.strip_prefix(BOM) {
            Some(text) if is_first_line => text,
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
            // Comments and unknown fields.
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

    /// The result of parsing a connection: events, last id, `retry`.
    type Parsed = (Vec<Message>, Option<String>, Option<Duration>);

    /// Parses the whole text at once.
    fn naive(text: &str) -> Parsed {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let mut parsed: Parsed = (Vec::new(), None, None);
        let (mut event, mut id, mut data) = ("message", None, Vec::new());
        let lines: Vec<&str> = text.split('\n').collect();
        // The last line is incomplete.
        for line in &lines[..lines.len() - 1] {
            let (field, value) = match line.find(':') {
                Some(colon) => (&line[..colon], &line[colon + 1..]),
                None => (*line, ""),
            };
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "" if line.is_empty() => {
                    parsed.1 = id.map(str::to_owned);
                    if !data.is_empty() {
                        parsed.0.push(Message {
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
                        parsed.2 = Some(Duration::from_millis(ms));
                    }
                }
                _ => {}
            }
        }
        parsed
    }

    /// Parses the text in chunks of these lengths, and the remainder.
    fn parse(bytes: &[u8], chunks: &[usize]) -> Parsed {
        let mut parser = Parser::new(usize::MAX, None);
        let (mut events, mut unparsed) = (VecDeque::new(), bytes);
        for length in chunks {
            let (chunk, remainder) = unparsed.split_at((*length).min(unparsed.len()));
            parser.parse(chunk, &mut events).unwrap();
            unparsed = remainder;
        }
        parser.parse(unparsed, &mut events).unwrap();
        (events.into(), parser.last_id, parser.retry)
    }

    /// Returns texts of valid and invalid lines.
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
        fn chunks_may_end_anywhere(
            text in text(),
            chunks in prop::collection::vec(0_usize..6, 0..60),
        ) {
            prop_assert_eq!(parse(text.as_bytes(), &chunks), naive(&text));
        }
    }

    #[test]
    fn events_are_parsed_as_the_standard_says() {
        let text = "\u{feff}retry: 1000\r\n\r\n: hello\r\rid: 7\nevent: board\ndata: {\ndata:}\n\ndata\n\nevent: x\n\ndata: lost";
        let message = |event: &str, data: &str| Message {
            event: event.to_owned(),
            data: data.to_owned(),
        };
        let (events, id, retry) = parse(text.as_bytes(), &[1; 200]);
        assert_eq!(events, [message("board", "{\n}"), message("message", "")]);
        assert_eq!(
            (id.as_deref(), retry),
            (Some("7"), Some(Duration::from_secs(1)))
        );
    }

    #[test]
    fn an_event_must_not_exceed_its_maximum_size() {
        let mut events = VecDeque::new();
        let mut parser = Parser::new(20, None);
        let fits = "data: 89abcdef\n\n".repeat(9);
        assert_eq!(parser.parse(fits.as_bytes(), &mut events), Ok(()));
        assert_eq!(parser.parse(b"data: 89abcdef\n", &mut events), Ok(()));
        assert_eq!(parser.parse(b"data: 89abcdef\n", &mut events), Err(TooLong));
        let mut parser = Parser::new(20, None);
        let endless = [b'x'; 21];
        assert_eq!(parser.parse(&endless[..20], &mut events), Ok(()));
        assert_eq!(parser.parse(&endless[20..], &mut events), Err(TooLong));
    }
}
