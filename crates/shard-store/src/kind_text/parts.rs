//! The JSON forms of the parts of a kind.

use std::time::Duration;

use board::{
    Direction, FieldName, FieldRule, Keep, Member, Mode, Op, Packing, Period, RankStyle, Retain,
    Ties, Timestamp, WindowRule,
};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(remote = "Mode", rename_all = "snake_case")]
pub(super) enum ModeText {
    Accumulate,
    Best,
    Latest,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Ties", rename_all = "snake_case")]
pub(super) enum TiesText {
    Earliest,
    Latest,
    Member,
    LowerMember,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "RankStyle", rename_all = "snake_case")]
pub(super) enum RankText {
    Ordinal,
    Competition,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Direction", rename_all = "snake_case")]
enum OrderText {
    Desc,
    Asc,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Op", rename_all = "snake_case")]
enum OpText {
    Sum,
    Max,
    Min,
    Last,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FieldText {
    #[serde(with = "display")]
    name: FieldName,
    #[serde(with = "OrderText")]
    order: Direction,
    #[serde(with = "OpText")]
    op: Op,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WindowText {
    #[serde(with = "display")]
    period: Period,
    keep: KeepText,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    close_ms: Option<Millis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since_ms: Option<i64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KeepText {
    Forever,
    AfterMs(Millis),
    IdleMs(Millis),
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
        let Retain {
            keep,
            trim_at,
            approximate,
        } = retain;
        Self {
            keep,
            trim_at,
            approximate,
        }
    }
}

impl From<RetainText> for Retain {
    fn from(text: RetainText) -> Self {
        let RetainText {
            keep,
            trim_at,
            approximate,
        } = text;
        Self {
            keep,
            trim_at,
            approximate,
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PackedText {
    most: u64,
    unit_ms: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    span_ms: Option<(i64, i64)>,
}

impl From<&Packing> for PackedText {
    fn from(packing: &Packing) -> Self {
        let ms = Timestamp::millis;
        Self {
            most: packing.max,
            unit_ms: Millis(packing.unit),
            span_ms: packing.span.map(|(from, until)| (ms(from), ms(until))),
        }
    }
}

impl From<PackedText> for Packing {
    fn from(text: PackedText) -> Self {
        let at = Timestamp::from_millis;
        Self {
            max: text.most,
            unit: text.unit_ms.0,
            span: text.span_ms.map(|(from, until)| (at(from), at(until))),
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
            name: rule.name.clone(),
            order: rule.order,
            op: rule.op,
        }
    }
}

impl From<FieldText> for FieldRule {
    fn from(text: FieldText) -> Self {
        Self {
            name: text.name,
            order: text.order,
            op: text.op,
        }
    }
}

impl From<&WindowRule> for WindowText {
    fn from(rule: &WindowRule) -> Self {
        Self {
            period: rule.period,
            keep: match rule.keep {
                Keep::Forever => KeepText::Forever,
                Keep::After(span) => KeepText::AfterMs(Millis(span)),
                Keep::Idle(span) => KeepText::IdleMs(Millis(span)),
            },
            close_ms: rule.close.map(Millis),
            since_ms: rule.since.map(Timestamp::millis),
        }
    }
}

impl From<WindowText> for WindowRule {
    fn from(text: WindowText) -> Self {
        Self {
            period: text.period,
            keep: match text.keep {
                KeepText::Forever => Keep::Forever,
                KeepText::AfterMs(Millis(span)) => Keep::After(span),
                KeepText::IdleMs(Millis(span)) => Keep::Idle(span),
            },
            close: text.close_ms.map(|Millis(span)| span),
            since: text.since_ms.map(Timestamp::from_millis),
        }
    }
}

/// The JSON form of a member's name.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct MemberText(#[serde(with = "display")] pub(super) Member);

pub(super) mod display {
    use std::borrow::Cow;
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(in super::super) fn serialize<T: Display, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(in super::super) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}
