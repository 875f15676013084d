//! Kinds as JSON text, in journals, snapshots and Redis: written rarely, and readable for people.
//!
//! All settings are written, including defaults, which may change. An unknown
//! setting is rejected, since it may change the meaning of boards. Names are those of the API where
//! it has the setting; the API writes durations as text, here they are milliseconds. What both
//! forms share, and why they are two: `docs/decisions/0013-the-forms-of-a-kind.md`.
//!
//! ```text
//! {"name":"gifts","revision":3,"kind":{"name":"gifts","mode":"accumulate","fields":[{"name":"points",
//! "order":"desc","op":"sum"}],"ties":"earliest","rank":"ordinal","windows":[{"period":"day",
//! "keep":{"after_ms":3024000000},"close_ms":null,"since_us":null}],"time_zone":"UTC",
//! "day_starts_at":"00:00","week_starts_on":"monday","weeks_count_from":null,"seasons":null,"shards":16,
//! "top":1000,"max_staleness_ms":200,"dedupe_ms":3600000,"score_ttl_ms":null,"retain":null,"packed":null,
//! "publish":null,"public_read":false,"hidden":[]}}
//! ```
//!
//! A deleted kind has `"kind":null`. A window that was added has `since_us`, which is a time; a kind that
//! ranks only its best has `retain`: `{"keep":1000,"trim_at":1200,"approximate":false}`; a packed one `packed`:
//! `{"most":1000000,"unit_ms":1000,"span_us":[1767225600000000,2082758400000000]}`. `seasons` are
//! `{"cron":"0 5 1 1,4,7,10 *"}` or `{"named":[{"name":"spring-2026","starts_at":"2026-03-01"}]}`. `hidden` are
//! the names of hidden members.

mod parts;
mod publish;

use std::sync::Arc;

use board::{
    Calendar, DayStart, Hidden, Kind, KindName, KindSpec, Member, Mode, RankStyle, Rules, Ties,
    Weekday, WeeksFrom,
};
use serde::{Deserialize, Serialize};

use crate::contract::{KindRecord, Revision};
use parts::{FieldText, Millis, PackedText, RetainText, SeasonsText, Text, WindowText};
use publish::PublishText;

/// A kind's record.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordText {
    name: Text<KindName>,
    revision: u64,
    kind: Option<KindText>,
}

/// A kind, setting by setting.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KindText {
    name: Text<KindName>,
    mode: Mode,
    fields: Vec<FieldText>,
    ties: Ties,
    rank: RankStyle,
    windows: Vec<WindowText>,
    time_zone: String,
    day_starts_at: Text<DayStart>,
    week_starts_on: Weekday,
    weeks_count_from: Option<Text<WeeksFrom>>,
    seasons: Option<SeasonsText>,
    shards: u64,
    top: u64,
    max_staleness_ms: Millis,
    dedupe_ms: Millis,
    score_ttl_ms: Option<Millis>,
    retain: Option<RetainText>,
    packed: Option<PackedText>,
    publish: Option<PublishText>,
    public_read: bool,
    hidden: Vec<Text<Member>>,
}

/// Why a text is not a kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a kind: {0}")]
pub struct KindTextError(pub String);

/// A cache of calendars: each takes about 100 µs to make, and kinds share a few.
#[derive(Debug, Default)]
pub struct Calendars(Vec<Calendar>);

/// Appends a kind's record.
pub fn encode_record(out: &mut Vec<u8>, record: &KindRecord) {
    encode_json(
        out,
        &RecordText {
            name: Text(record.name.clone()),
            revision: record.revision.0,
            kind: record.kind.as_deref().map(KindText::from),
        },
    );
}

/// Appends a kind.
pub fn encode_kind(out: &mut Vec<u8>, kind: &Kind) {
    encode_json(out, &KindText::from(kind));
}

fn encode_json(out: &mut Vec<u8>, text: &impl Serialize) {
    serde_json::to_writer(out, text).expect("texts and numbers are JSON");
}

/// Parses a kind's record.
pub fn decode_record(json: &[u8], calendars: &mut Calendars) -> Result<KindRecord, KindTextError> {
    let text: RecordText = decode_json(json)?;
    let name = text.name.0;
    let kind = text
        .kind
        .map(|kind| kind.into_kind(calendars))
        .transpose()?;
    if kind.as_ref().is_some_and(|kind| *kind.name() != name) {
        return Err(invalid(&"a kind's record has the kind of another"));
    }
    Ok(KindRecord {
        name,
        revision: Revision(text.revision),
        kind: kind.map(Arc::new),
    })
}

/// Parses a kind.
pub fn decode_kind(json: &[u8], calendars: &mut Calendars) -> Result<Kind, KindTextError> {
    decode_json::<KindText>(json)?.into_kind(calendars)
}

fn decode_json<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T, KindTextError> {
    serde_json::from_slice(json).map_err(|error| invalid(&error))
}

fn invalid(error: &impl ToString) -> KindTextError {
    KindTextError(error.to_string())
}

impl From<&Kind> for KindText {
    fn from(kind: &Kind) -> Self {
        let spec = kind.spec();
        Self {
            name: Text(spec.name.clone()),
            mode: spec.rules.mode(),
            fields: spec.rules.fields().iter().map(FieldText::from).collect(),
            ties: spec.rules.ties(),
            rank: spec.rank,
            windows: spec.windows.iter().map(WindowText::from).collect(),
            time_zone: spec.calendar.time_zone().to_owned(),
            day_starts_at: Text(spec.calendar.day_start()),
            week_starts_on: spec.calendar.week_start(),
            weeks_count_from: spec.calendar.weeks_from().map(Text),
            seasons: spec.calendar.seasons().map(SeasonsText::from),
            shards: spec.shards,
            top: spec.top,
            max_staleness_ms: Millis(spec.max_staleness),
            dedupe_ms: Millis(spec.dedupe),
            score_ttl_ms: spec.score_ttl.map(Millis),
            retain: spec.retain.map(RetainText::from),
            packed: spec.rules.packing().map(PackedText::from),
            publish: spec.publish.as_ref().map(PublishText::from),
            public_read: spec.public_read,
            hidden: kind.hidden().iter().cloned().map(Text).collect(),
        }
    }
}

impl KindText {
    fn into_kind(self, calendars: &mut Calendars) -> Result<Kind, KindTextError> {
        let fields = self.fields.into_iter().map(Into::into).collect();
        let rules = Rules::new(fields, self.mode, self.ties);
        let rules = match self.packed {
            Some(packed) => rules.and_then(|rules| rules.packed(packed.into())),
            None => rules,
        };
        let rules = rules.map_err(|error| invalid(&error))?;
        let hidden = self.hidden.into_iter().map(|Text(member)| member);
        let hidden = Hidden::new(hidden).map_err(|error| invalid(&error))?;
        let weeks_from = self.weeks_count_from.map(|Text(from)| from);
        let seasons = self.seasons.map(SeasonsText::into_seasons).transpose();
        let seasons = seasons.map_err(|error| invalid(&error))?;
        let calendar = calendars.get(&self.time_zone)?;
        let kind = Kind::new(KindSpec {
            name: self.name.0,
            rules,
            rank: self.rank,
            windows: self.windows.into_iter().map(Into::into).collect(),
            calendar: calendar
                .beginning(self.day_starts_at.0, self.week_starts_on)
                .counting_weeks_from(weeks_from)
                .with_seasons(seasons),
            shards: self.shards,
            top: self.top,
            max_staleness: self.max_staleness_ms.0,
            dedupe: self.dedupe_ms.0,
            score_ttl: self.score_ttl_ms.map(|ttl| ttl.0),
            retain: self.retain.map(Into::into),
            publish: self.publish.map(Into::into),
            public_read: self.public_read,
        });
        Ok(kind.map_err(|error| invalid(&error))?.hiding(hidden))
    }
}

impl Calendars {
    fn get(&mut self, time_zone: &str) -> Result<Calendar, KindTextError> {
        let held = self.0.iter().find(|held| held.time_zone() == time_zone);
        if let Some(held) = held {
            return Ok(held.clone());
        }
        let read = Calendar::new(time_zone).map_err(|error| invalid(&error))?;
        self.0.push(read.clone());
        Ok(read)
    }
}
