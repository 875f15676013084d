//! The JSON forms of the parts of a kind.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use board::{
    Direction, FieldName, FieldRule, Keep, Op, Packing, Period, Retain, Seasons, SeasonsError,
    Timestamp, WindowRule,
};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A name or another value that is written as the text it is parsed from.
#[derive(Debug)]
pub(super) struct Text<T>(pub(super) T);

impl<T: Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(D::Error::custom)
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FieldText {
    name: Text<FieldName>,
    order: Direction,
    op: Op,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WindowText {
    period: Text<Period>,
    keep: KeepText,
    close_ms: Option<Millis>,
    since_us: Option<i64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KeepText {
    Forever,
    AfterMs(Millis),
    IdleMs(Millis),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SeasonsText {
    Cron(String),
    Named(Vec<SeasonText>),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SeasonText {
    name: String,
    starts_at: String,
}

impl From<&Seasons> for SeasonsText {
    fn from(seasons: &Seasons) -> Self {
        if let Some(cron) = seasons.as_cron() {
            return Self::Cron(cron.to_owned());
        }
        let listed = seasons.listed().map(|(name, starts_at)| SeasonText {
            name: name.to_owned(),
            starts_at,
        });
        Self::Named(listed.collect())
    }
}

impl SeasonsText {
    pub(super) fn into_seasons(self) -> Result<Seasons, SeasonsError> {
        match self {
            Self::Cron(cron) => Seasons::cron(&cron),
            Self::Named(list) => {
                let list = list
                    .iter()
                    .map(|season| (&*season.name, &*season.starts_at));
                Seasons::named(list)
            }
        }
    }
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RetainText {
    keep: u64,
    trim_at: u64,
    approximate: bool,
}

impl From<Retain> for RetainText {
    fn from(retain: Retain) -> Self {
        Self {
            keep: retain.keep,
            trim_at: retain.trim_at,
            approximate: retain.approximate,
        }
    }
}

impl From<RetainText> for Retain {
    fn from(text: RetainText) -> Self {
        Self {
            keep: text.keep,
            trim_at: text.trim_at,
            approximate: text.approximate,
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PackedText {
    most: u64,
    unit_ms: Millis,
    span_us: Option<(i64, i64)>,
}

impl From<&Packing> for PackedText {
    fn from(packing: &Packing) -> Self {
        let us = Timestamp::micros;
        Self {
            most: packing.max,
            unit_ms: Millis(packing.unit),
            span_us: packing.span.map(|(from, until)| (us(from), us(until))),
        }
    }
}

impl From<PackedText> for Packing {
    fn from(text: PackedText) -> Self {
        let at = Timestamp::from_micros;
        Self {
            max: text.most,
            unit: text.unit_ms.0,
            span: text.span_us.map(|(from, until)| (at(from), at(until))),
        }
    }
}

/// A duration: its milliseconds, or `[milliseconds, nanoseconds]` if that is not whole. A client
/// may send such a duration, and a kind that is parsed again must be equal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Millis(pub(super) Duration);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum MillisText {
    Whole(u64),
    Finer(u64, u32),
}

const MILLI_NANOS: u32 = 1_000_000;

impl Serialize for Millis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The longest is a thousand years.
        let ms = u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX);
        let text = match self.0.subsec_nanos() % MILLI_NANOS {
            0 => MillisText::Whole(ms),
            nanos => MillisText::Finer(ms, nanos),
        };
        text.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match MillisText::deserialize(deserializer)? {
            MillisText::Whole(ms) => Ok(Self(Duration::from_millis(ms))),
            MillisText::Finer(ms, nanos) if nanos < MILLI_NANOS => {
                // The sum cannot overflow: it is 584 million years at most.
                let rest = Duration::from_nanos(u64::from(nanos));
                Ok(Self(Duration::from_millis(ms) + rest))
            }
            MillisText::Finer(..) => {
                Err(D::Error::custom("a millisecond has a million nanoseconds"))
            }
        }
    }
}

impl From<&FieldRule> for FieldText {
    fn from(rule: &FieldRule) -> Self {
        Self {
            name: Text(rule.name.clone()),
            order: rule.order,
            op: rule.op,
        }
    }
}

impl From<FieldText> for FieldRule {
    fn from(text: FieldText) -> Self {
        Self {
            name: text.name.0,
            order: text.order,
            op: text.op,
        }
    }
}

impl From<&WindowRule> for WindowText {
    fn from(rule: &WindowRule) -> Self {
        Self {
            period: Text(rule.period),
            keep: match rule.keep {
                Keep::Forever => KeepText::Forever,
                Keep::After(span) => KeepText::AfterMs(Millis(span)),
                Keep::Idle(span) => KeepText::IdleMs(Millis(span)),
            },
            close_ms: rule.close.map(Millis),
            since_us: rule.since.map(Timestamp::micros),
        }
    }
}

impl From<WindowText> for WindowRule {
    fn from(text: WindowText) -> Self {
        Self {
            period: text.period.0,
            keep: match text.keep {
                KeepText::Forever => Keep::Forever,
                KeepText::AfterMs(Millis(span)) => Keep::After(span),
                KeepText::IdleMs(Millis(span)) => Keep::Idle(span),
            },
            close: text.close_ms.map(|Millis(span)| span),
            since: text.since_us.map(Timestamp::from_micros),
        }
    }
}
