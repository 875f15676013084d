//! Converting entries to contributions: [`Reader`] decodes and writes them, and counts skipped and inexact ones
//! ([`Tally`]).

use std::fmt::Write as _;
use std::io::Write as _;

use board::{Member, Timestamp};
use encodings::{DecodeError, Decoded, Encoding, Uncertainty};
use serde_json::json;

use super::page::{Score, SetEntry};

/// The standing that a member is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) member: Member,
    /// In the order of the kind's fields.
    pub(super) values: Vec<i64>,
    pub(super) at: Timestamp,
}

/// Counts of skipped and inexact entries of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Entries that cannot be converted.
    pub(super) skipped: u64,
    /// Times that may be inexact.
    pub(super) inexact_times: u64,
    /// The maximum error of a time, in milliseconds.
    pub(super) time_error_ms: u64,
    /// Scores whose low bits are lost.
    pub(super) truncated_scores: u64,
    /// The maximum number of lost bits.
    pub(super) lost_bits: u32,
    /// Entries without a time, in an encoding with times.
    pub(super) without_time: u64,
    /// Scores that may be one too high.
    pub(super) carried_scores: u64,
}

impl Tally {
    fn add(&mut self, uncertainty: Uncertainty) {
        match uncertainty {
            Uncertainty::Time { within_ms } => {
                self.inexact_times += 1;
                self.time_error_ms = self.time_error_ms.max(within_ms);
            }
            Uncertainty::LowBits { bits } => {
                self.truncated_scores += 1;
                self.lost_bits = self.lost_bits.max(bits);
            }
            Uncertainty::Score => self.carried_scores += 1,
        }
    }

    /// Returns a sentence for each sort of inexact entries. Those without a time have got this one.
    fn warnings(&self, at: Timestamp) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.without_time > 0 {
            let count = self.without_time;
            warnings.push(format!("{count} entries have no time: they get {at}"));
        }
        if self.inexact_times > 0 {
            let seconds = std::time::Duration::from_millis(self.time_error_ms).as_secs_f64();
            warnings.push(format!(
                "{} scores do not hold their time exactly: it may be off by up to {seconds} s",
                self.inexact_times
            ));
        }
        if self.truncated_scores > 0 {
            warnings.push(format!(
                "{} scores are beyond 2^53: up to {} of their low bits are lost",
                self.truncated_scores, self.lost_bits
            ));
        }
        if self.carried_scores > 0 {
            warnings.push(format!(
                "{} scores do not hold their fraction at all and may be one too high",
                self.carried_scores
            ));
        }
        warnings
    }
}

/// Converts entries of one encoding to contributions to one board.
pub(super) struct Reader {
    encoding: Encoding,
    /// The time of standings without one.
    at: Timestamp,
    fields: Vec<String>,
    /// The beginning of each line, up to the member.
    head: String,
}

impl Reader {
    /// Creates a reader for the fields of a board, `KIND/SUBJECT`.
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

    /// Returns a sentence for each sort of inexact entries.
    pub(super) fn warnings(&self, tally: &Tally) -> Vec<String> {
        tally.warnings(self.at)
    }

    /// Decodes an entry. Returns an error if it is skipped.
    pub(super) fn read(&self, entry: &SetEntry, tally: &mut Tally) -> Result<Standing, String> {
        let standing = self.decode_standing(entry, tally);
        standing.map_err(|reason| {
            tally.skipped += 1;
            format!("{} is left out: {reason}", entry.shown())
        })
    }

    fn decode_standing(&self, entry: &SetEntry, tally: &mut Tally) -> Result<Standing, String> {
        let decoded = decode(&self.encoding, entry).map_err(|error| error.to_string())?;
        let member = str::from_utf8(decoded.member).map_err(|_| "its name is not UTF-8")?;
        let member = Member::new(member).map_err(|error| error.to_string())?;
        let at = time(&self.encoding, entry, &decoded).map_err(|error| error.to_string())?;
        if at.is_none() && self.encoding.has_time() {
            tally.without_time += 1;
        }
        let at = at.unwrap_or(self.at);
        if let Some(uncertainty) = decoded.uncertainty {
            tally.add(uncertainty);
        }
        let values = (0..self.encoding.fields()).filter_map(|field| decoded.values.get(field));
        Ok(Standing {
            member,
            values: values.map(board::Value::get).collect(),
            at,
        })
    }

    /// Appends a line with the contribution that sets a standing.
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
                    let separator = if index == 0 { ",\"values\":{" } else { "," };
                    let _ = write!(out, "{separator}\"{field}\":{value}");
                }
                out.push(b'}');
            }
        }
        // As a number, the microseconds of a time in early 1973 would be milliseconds.
        let _ = writeln!(out, ",\"at\":\"{}\"}}", standing.at);
    }
}

/// Decodes score and member of an entry.
pub(super) fn decode<'a>(
    encoding: &Encoding,
    entry: &'a SetEntry,
) -> Result<Decoded<'a>, DecodeError> {
    match &entry.score {
        Score::Text(text) => encoding.decode_text(text, &entry.member),
        Score::Number(number) => encoding.decode(*number, &entry.member),
    }
}

/// Returns the time of an entry, from the set of times if the encoding has one. `None` if the entry has no time.
pub(super) fn time(
    encoding: &Encoding,
    entry: &SetEntry,
    decoded: &Decoded<'_>,
) -> Result<Option<Timestamp>, DecodeError> {
    match &entry.time_score {
        Some(score) => encoding.decode_time(&score.text()),
        None => Ok(decoded.at),
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
             \"at\":\"2026-11-20T14:52:22.123000Z\"}\n"
        );
        let fields = vec!["gold".to_owned(), "silver".to_owned()];
        let bits = "bits(8/8)".parse().unwrap();
        let reader = Reader::new(bits, at, fields, "medals/x", Some("day:2026-11-20"));
        assert_eq!(
            line(&reader, &entry("u", 513.0)),
            "{\"board\":\"medals/x\",\"set\":true,\"window\":\"day:2026-11-20\",\"member\":\"u\",\
             \"values\":{\"gold\":2,\"silver\":1},\"at\":\"2026-11-20T14:52:22.123000Z\"}\n"
        );
    }

    #[test]
    fn entries_without_a_time_get_the_given_one_and_are_counted() {
        let at = Timestamp::from_millis(1_795_186_342_123);
        let fraction = "fraction(base=317242022400)".parse().unwrap();
        let reader = Reader::new(fraction, at, vec!["points".to_owned()], "g/s", None);
        let mut tally = Tally::default();
        let standing = reader.read(&entry("u", 7.0), &mut tally).unwrap();
        assert_eq!((standing.at, tally.without_time), (at, 1));
        let warnings = ["1 entries have no time: they get 2026-11-20T14:52:22.123000Z"];
        assert_eq!(reader.warnings(&tally), warnings);
        let timed = reader.read(&entry("u", 7.995), &mut tally).unwrap();
        assert!(timed.at < at);
        assert_eq!(tally.without_time, 1);
    }

    #[test]
    fn invalid_entries_are_counted_and_reported() {
        let at = Timestamp::from_millis(1_795_186_342_123);
        let reader = Reader::new(Encoding::Plain, at, vec!["points".to_owned()], "g/s", None);
        let mut tally = Tally::default();
        for (member, score, part) in [
            ("a\nb", 1.0, "control"),
            (&"x".repeat(129), 1.0, "128 bytes"),
            ("u", 1.5, "not an integer"),
        ] {
            let error = reader.read(&entry(member, score), &mut tally).unwrap_err();
            assert!(error.contains(part), "{error}");
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
