//! Entries as standings: [`Reader`] decodes them, writes them as contributions, and counts what could
//! not be taken and what is doubtful ([`Tally`]).

use std::fmt::Write as _;
use std::io::Write as _;

use board::{Member, Timestamp};
use encodings::{DecodeError, Decoded, Encoding, Uncertainty};
use serde_json::json;

use super::page::{Score, SetEntry};

/// How much of a member's name is shown.
const NAME_CHARS_SHOWN: usize = 80;

/// What a member is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) member: Member,
    /// In the kind's order of fields.
    pub(super) values: Vec<i64>,
    pub(super) at: Timestamp,
}

/// What is not as it should be in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Members that cannot be taken.
    pub(super) skipped: u64,
    /// Times that may be off.
    pub(super) vague: u64,
    /// By how much, at most, in milliseconds.
    pub(super) vague_ms: u64,
    /// Scores whose low bits are lost.
    pub(super) cut: u64,
    /// How many bits, at most.
    pub(super) cut_bits: u32,
    /// Scores that may be one too high.
    pub(super) carried: u64,
}

impl Tally {
    fn uncertainty(&mut self, uncertainty: Uncertainty) {
        match uncertainty {
            Uncertainty::Time { within_ms } => {
                self.vague += 1;
                self.vague_ms = self.vague_ms.max(within_ms);
            }
            Uncertainty::LowBits { bits } => {
                self.cut += 1;
                self.cut_bits = self.cut_bits.max(bits);
            }
            Uncertainty::Score => self.carried += 1,
        }
    }

    /// What doubles of the source do not hold, a sentence each.
    pub(super) fn doubts(&self) -> Vec<String> {
        let mut said = Vec::new();
        if self.vague > 0 {
            let seconds = std::time::Duration::from_millis(self.vague_ms).as_secs_f64();
            said.push(format!(
                "{} scores do not hold their time exactly: it may be off by up to {seconds} s",
                self.vague
            ));
        }
        if self.cut > 0 {
            said.push(format!(
                "{} scores are beyond 2^53: up to {} of their low bits are lost",
                self.cut, self.cut_bits
            ));
        }
        if self.carried > 0 {
            said.push(format!(
                "{} scores do not hold their fraction at all and may be one too high",
                self.carried
            ));
        }
        said
    }
}

/// Reads entries of one encoding for one board.
pub(super) struct Reader {
    encoding: Encoding,
    /// For standings without a time.
    at: Timestamp,
    fields: Vec<String>,
    /// The line up to the member.
    head: String,
}

impl Reader {
    /// For a board's fields; `board` is `KIND/SUBJECT`.
    pub(super) fn new(
        encoding: Encoding,
        at: Timestamp,
        fields: Vec<String>,
        board: &str,
        window: Option<&str>,
    ) -> Self {
        let mut head = format!("{{\"board\":{},\"set\":true,", json!(board));
        if let Some(window) = window {
            let _ = write!(head, "\"window\":{},", json!(window));
        }
        head.push_str("\"member\":");
        Self {
            encoding,
            at,
            fields,
            head,
        }
    }

    /// The standing of an entry, or why it cannot be taken.
    pub(super) fn read(&self, entry: &SetEntry, tally: &mut Tally) -> Result<Standing, String> {
        let standing = self.standing(entry, tally);
        standing.map_err(|reason| {
            tally.skipped += 1;
            let member = String::from_utf8_lossy(&entry.member);
            let member: String = member.chars().take(NAME_CHARS_SHOWN).collect();
            format!("{member:?} is left out: {reason}")
        })
    }

    fn standing(&self, entry: &SetEntry, tally: &mut Tally) -> Result<Standing, String> {
        let decoded = self.decode(entry).map_err(|error| error.to_string())?;
        let member = str::from_utf8(decoded.member).map_err(|_| "its name is not UTF-8")?;
        let member = Member::new(member).map_err(|error| error.to_string())?;
        let at = match (decoded.at, &entry.time_score) {
            (Some(at), _) => at,
            (None, Some(score)) => {
                let at = self.encoding.decode_time(&score.text());
                at.map_err(|error| error.to_string())?.unwrap_or(self.at)
            }
            (None, None) => self.at,
        };
        if let Some(uncertainty) = decoded.uncertainty {
            tally.uncertainty(uncertainty);
        }
        let values = (0..self.encoding.fields()).filter_map(|field| decoded.values.get(field));
        Ok(Standing {
            member,
            values: values.map(board::Value::get).collect(),
            at,
        })
    }

    fn decode<'a>(&self, entry: &'a SetEntry) -> Result<Decoded<'a>, DecodeError> {
        match &entry.score {
            Score::Text(text) => self.encoding.decode_text(text, &entry.member),
            Score::Number(number) => self.encoding.decode(*number, &entry.member),
        }
    }

    /// Appends the contribution that sets a standing, as one line.
    pub(super) fn write(&self, standing: &Standing, out: &mut Vec<u8>) {
        out.extend_from_slice(self.head.as_bytes());
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(&mut *out, standing.member.as_str());
        match standing.values.as_slice() {
            [points] if self.fields == ["points"] => {
                out.extend_from_slice(b",\"points\":");
                let _ = serde_json::to_writer(&mut *out, points);
            }
            values => {
                for (index, (field, value)) in self.fields.iter().zip(values).enumerate() {
                    let before = if index == 0 { ",\"values\":{" } else { "," };
                    let _ = write!(out, "{before}\"{field}\":{value}");
                }
                out.push(b'}');
            }
        }
        out.extend_from_slice(b",\"at\":");
        let _ = serde_json::to_writer(&mut *out, &standing.at.millis());
        out.extend_from_slice(b"}\n");
    }
}

impl Score {
    fn text(&self) -> std::borrow::Cow<'_, [u8]> {
        match self {
            Self::Text(text) => text.as_ref().into(),
            Self::Number(number) => number.to_string().into_bytes().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(member: &str, score: f64) -> SetEntry {
        SetEntry::new(member.to_owned().into_bytes().into(), Score::Number(score))
    }

    fn line(reader: &Reader, entry: &SetEntry) -> String {
        let standing = reader.read(entry, &mut Tally::default()).unwrap();
        let mut out = Vec::new();
        reader.write(&standing, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_line_sets_points_or_values() {
        let at = Timestamp::from_millis(1_795_186_342_123);
        let points = vec!["points".to_owned()];
        let reader = Reader::new(Encoding::Plain, at, points, "gifts/a\"b", None);
        assert_eq!(
            line(&reader, &entry("é\"", 7.0)),
            "{\"board\":\"gifts/a\\\"b\",\"set\":true,\"member\":\"é\\\"\",\"points\":7,\
             \"at\":1795186342123}\n"
        );
        let fields = vec!["gold".to_owned(), "silver".to_owned()];
        let bits = "bits(8/8)".parse().unwrap();
        let reader = Reader::new(bits, at, fields, "medals/x", Some("day:2026-11-20"));
        assert_eq!(
            line(&reader, &entry("u", 513.0)),
            "{\"board\":\"medals/x\",\"set\":true,\"window\":\"day:2026-11-20\",\"member\":\"u\",\
             \"values\":{\"gold\":2,\"silver\":1},\"at\":1795186342123}\n"
        );
    }

    #[test]
    fn what_cannot_be_is_counted_and_named() {
        let at = Timestamp::from_millis(1_795_186_342_123);
        let reader = Reader::new(Encoding::Plain, at, vec!["points".to_owned()], "g/s", None);
        let mut tally = Tally::default();
        for (member, score, part) in [
            ("a\nb", 1.0, "control"),
            (&"x".repeat(129), 1.0, "128 bytes"),
            ("u", 1.5, "not an integer"),
        ] {
            let said = reader.read(&entry(member, score), &mut tally).unwrap_err();
            assert!(said.contains(part), "{said}");
        }
        let not_text = SetEntry::new(bytes::Bytes::from_static(b"\xff"), Score::Number(1.0));
        assert!(
            reader
                .read(&not_text, &mut tally)
                .unwrap_err()
                .contains("UTF-8")
        );
        assert_eq!(tally.skipped, 4);
    }
}
