//! Kinds as clients and configuration files write them: [`KindShape`].

mod parts;
#[cfg(feature = "schema")]
mod words;

use std::collections::BTreeMap;

use board::{
    Calendar, DayStart, Direction, FieldName, FieldRule, Keep, Kind, KindName, KindSpec, Mode,
    Period, PublishTargets, RankStyle, Rules, RulesError, ShardCount, Ties, Weekday, WeeksFrom,
    WindowRule,
};
use serde::{Deserialize, Serialize};

use crate::duration::{duration, duration_text};
use crate::error::{ShapeError, wrong};
use crate::object::{named, not_null, object_not_null, objects, some_object};
use crate::packed::PackedShape;
use crate::publish::PublishShape;
use crate::retain::RetainShape;
use parts::{FieldShape, KeepShape, SeasonsShape};
#[cfg(feature = "schema")]
use words::{ModeWords, RankStyleWords, TiesWords, WeekdayWords};

/// The default depth of the cached global board.
const TOP_DEFAULT: u64 = 1000;

/// A kind's settings, with their defaults. The same in JSON and in TOML.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Kind))]
#[serde(deny_unknown_fields, default, expecting = "a kind's settings, by name")]
pub struct KindShape {
    /// The name. Responses have it; in a request it must be that of the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "gifts"))]
    kind: Option<String>,
    /// How contributions fold into a standing.
    #[cfg_attr(feature = "schema", schema(value_type = ModeWords))]
    mode: Mode,
    /// The fields that members are ordered by, the first one first.
    #[serde(deserialize_with = "objects")]
    #[cfg_attr(feature = "schema", schema(min_items = 1, max_items = 4))]
    fields: Vec<FieldShape>,
    /// How members with equal fields rank. `dense` excludes `packed`, and on Redis `retain` and more than one shard.
    #[cfg_attr(feature = "schema", schema(value_type = RankStyleWords))]
    rank: RankStyle,
    /// Which of two members with equal fields is better.
    #[cfg_attr(feature = "schema", schema(value_type = TiesWords))]
    ties: Ties,
    /// `hour`, `2h`, `3h`, `4h`, `6h`, `8h`, `12h`, `day`, `week`, `2w`, `3w`, `4w`, `month`, `6w`, `8w`, `12w`, `quarter`,
    /// `year`, `season`, `all`: at least one. Reads without a window use the first.
    #[cfg_attr(feature = "schema", schema(min_items = 1, max_items = 20))]
    windows: Vec<String>,
    /// A name of the IANA time zone database.
    time_zone: String,
    /// The local time at which days begin, and with them their parts, weeks, months, quarters and years. A day has the
    /// date on which it begins.
    #[serde(skip_serializing_if = "is_midnight")]
    #[cfg_attr(
        feature = "schema",
        schema(example = "05:00", pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$")
    )]
    day_starts_at: String,
    /// The day on which weeks begin. Week 1 of a year is the first with four days in it.
    #[serde(skip_serializing_if = "is_monday")]
    #[cfg_attr(feature = "schema", schema(value_type = WeekdayWords))]
    week_starts_on: Weekday,
    /// The date from which windows of several weeks (`2w` to `12w`) are counted: one begins on it. Defaults to the first
    /// `week_starts_on` of 1970.
    #[serde(deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schema(nullable = false, format = Date, example = "2026-01-05")
    )]
    weeks_count_from: Option<String>,
    /// The seasons of the window `season`, which requires them: named ones, or the times of a cron expression.
    #[serde(deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    seasons: Option<SeasonsShape>,
    /// The shards of new boards: a power of two. Defaults to 16; on the embedded store to twice the cores that the server
    /// may use, rounded up to a power of two, from 4 to 16.
    #[serde(deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schema(nullable = false, minimum = 1, maximum = 4096)
    )]
    shards: Option<u64>,
    /// The depth of the cached global board. Defaults to 1,000, or to `retain.keep` if that is less.
    #[serde(deserialize_with = "not_null")]
    #[cfg_attr(
        feature = "schema",
        schema(nullable = false, minimum = 1, maximum = 10_000)
    )]
    top: Option<u64>,
    /// How old a cached response may be.
    max_staleness: String,
    /// How long each window is kept after its end.
    #[serde(deserialize_with = "named")]
    keep: BTreeMap<String, KeepShape>,
    /// How long after its end a window accepts late contributions.
    #[serde(deserialize_with = "named", skip_serializing_if = "BTreeMap::is_empty")]
    close: BTreeMap<String, String>,
    /// How long an id is remembered.
    dedupe: String,
    /// After how long without a contribution a member leaves the window `all`.
    #[serde(deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, example = "30d"))]
    score_ttl: Option<String>,
    /// Ranks only the best members.
    #[serde(
        deserialize_with = "object_not_null",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    retain: Option<RetainShape>,
    /// Declares the range of values, so that the score and the time fit into one number.
    #[serde(
        deserialize_with = "object_not_null",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    packed: Option<PackedShape>,
    /// Publishes the top of the kind's boards to another server.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "some_object"
    )]
    publish: Option<PublishShape>,
    /// Lets everybody read the kind's boards, without a key.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schema(default = false))]
    public_read: bool,
}

impl Default for KindShape {
    fn default() -> Self {
        Self {
            kind: None,
            mode: Mode::default(),
            fields: vec![FieldShape {
                name: "points".to_owned(),
                order: Direction::Desc,
                op: None,
            }],
            rank: RankStyle::default(),
            ties: Ties::default(),
            windows: Period::DEFAULTS
                .map(|period| period.as_str().to_owned())
                .into(),
            time_zone: "UTC".to_owned(),
            day_starts_at: DayStart::default().to_string(),
            week_starts_on: Weekday::default(),
            weeks_count_from: None,
            seasons: None,
            shards: None,
            top: None,
            max_staleness: "200ms".to_owned(),
            keep: BTreeMap::new(),
            close: BTreeMap::new(),
            dedupe: "1h".to_owned(),
            score_ttl: None,
            retain: None,
            packed: None,
            publish: None,
            public_read: false,
        }
    }
}

impl KindShape {
    /// Returns the kind with this name. No publish targets are configured, and shards may be on several servers.
    pub fn into_kind(self, name: &str) -> Result<Kind, ShapeError> {
        self.into_kind_at(name, ShardCount::DEFAULT, &PublishTargets::default())
    }

    /// Returns the kind with this name. `shards` is the default of the store; `targets` are the configured publish
    /// targets.
    pub fn into_kind_at(
        self,
        name: &str,
        shards: ShardCount,
        targets: &PublishTargets,
    ) -> Result<Kind, ShapeError> {
        if let Some(other) = self.kind.as_deref().filter(|other| *other != name) {
            return Err(wrong(
                "kind",
                format!("{other:?} is not {name:?}, the name of the kind"),
            ));
        }
        let name = KindName::new(name).map_err(|error| wrong("kind", error))?;
        let spec = KindSpec {
            name,
            rules: self.rules()?,
            rank: self.rank,
            windows: self.windows()?,
            calendar: self.calendar()?,
            shards: self.shards.unwrap_or(u64::from(shards.get())),
            top: self.top(),
            max_staleness: duration("max_staleness", &self.max_staleness)?,
            dedupe: duration("dedupe", &self.dedupe)?,
            score_ttl: self
                .score_ttl
                .map(|ttl| duration("score_ttl", &ttl))
                .transpose()?,
            retain: self.retain.map(Into::into),
            publish: self
                .publish
                .as_ref()
                .map(|shape| shape.publication(self.fields.len(), targets))
                .transpose()?,
            public_read: self.public_read,
        };
        Kind::new(spec).map_err(|error| ShapeError::invalid(error.to_string()))
    }

    /// Returns whether it has dense ranks.
    #[must_use]
    pub const fn has_dense_ranks(&self) -> bool {
        matches!(self.rank, RankStyle::Dense)
    }

    fn top(&self) -> u64 {
        let default = || {
            self.retain
                .map_or(TOP_DEFAULT, |retain| retain.top_within(TOP_DEFAULT))
        };
        self.top.unwrap_or_else(default)
    }

    fn rules(&self) -> Result<Rules, ShapeError> {
        let attempts = self.mode != Mode::Accumulate;
        let fields = self.fields.iter().map(|field| {
            if attempts && field.op.is_some() {
                let reason = format!("{} has an op: only mode accumulate accepts one", field.name);
                return Err(wrong("fields", reason));
            }
            Ok(FieldRule {
                name: FieldName::new(&field.name).map_err(|error| wrong("fields", error))?,
                order: field.order,
                op: field.op.unwrap_or_default(),
            })
        });
        let fields = fields.collect::<Result<_, _>>()?;
        let invalid = |error: RulesError| ShapeError::invalid(error.to_string());
        let rules = Rules::new(fields, self.mode, self.ties).map_err(invalid)?;
        match &self.packed {
            Some(shape) => rules.packed(shape.packing()?).map_err(invalid),
            None => Ok(rules),
        }
    }

    fn calendar(&self) -> Result<Calendar, ShapeError> {
        let calendar = Calendar::new(&self.time_zone).map_err(|error| wrong("time_zone", error))?;
        let start = self.day_starts_at.parse();
        let start = start.map_err(|error| wrong("day_starts_at", error))?;
        let from = self
            .weeks_count_from
            .as_deref()
            .map(str::parse::<WeeksFrom>);
        let from = from.transpose();
        let from = from.map_err(|error| wrong("weeks_count_from", error))?;
        let has_window = self.windows.iter().any(|window| window == "season");
        let seasons = match (&self.seasons, has_window) {
            (Some(_), false) => return Err(wrong("seasons", "requires the window `season`")),
            (None, true) => return Err(wrong("seasons", "is required by the window `season`")),
            (seasons, _) => seasons.as_ref().map(SeasonsShape::seasons).transpose(),
        };
        let seasons = seasons.map_err(|error| wrong("seasons", error))?;
        Ok(calendar
            .beginning(start, self.week_starts_on)
            .counting_weeks_from(from)
            .with_seasons(seasons))
    }

    fn windows(&self) -> Result<Vec<WindowRule>, ShapeError> {
        for (setting, period) in self.periods_set() {
            if !self.windows.contains(period) {
                return Err(wrong(
                    setting,
                    format!("{period:?} is not one of the kind's windows"),
                ));
            }
        }
        self.windows
            .iter()
            .map(|period| self.window(period))
            .collect()
    }

    fn periods_set(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let keep = self.keep.keys().map(|period| ("keep", period));
        keep.chain(self.close.keys().map(|period| ("close", period)))
    }

    fn window(&self, text: &str) -> Result<WindowRule, ShapeError> {
        let period: Period = text.parse().map_err(|error| wrong("windows", error))?;
        let mut rule = WindowRule::with_defaults(period);
        let setting = format!("keep.{text}");
        match self.keep.get(text) {
            None => {}
            Some(KeepShape::Text(keep)) if keep == "forever" => rule.keep = Keep::Forever,
            Some(KeepShape::Text(keep)) => rule.keep = Keep::After(duration(&setting, keep)?),
            Some(KeepShape::Idle(shape)) => {
                rule.keep = Keep::Idle(duration(&format!("{setting}.idle"), &shape.idle)?);
            }
        }
        if let Some(close) = self.close.get(text) {
            rule.close = Some(duration(&format!("close.{text}"), close)?);
        }
        Ok(rule)
    }
}

impl From<&Kind> for KindShape {
    fn from(kind: &Kind) -> Self {
        let attempts = kind.rules().mode() != Mode::Accumulate;
        let fields = kind.rules().fields().iter().map(|field| FieldShape {
            name: field.name.to_string(),
            order: field.order,
            op: (!attempts).then_some(field.op),
        });
        let period = |rule: &WindowRule| rule.period.as_str().to_owned();
        let keep = kind
            .windows()
            .iter()
            .map(|rule| (period(rule), KeepShape::from(rule.keep)));
        let closing = kind
            .windows()
            .iter()
            .filter_map(|rule| Some((period(rule), rule.close?)));
        Self {
            kind: Some(kind.name().to_string()),
            mode: kind.rules().mode(),
            fields: fields.collect(),
            rank: kind.rank_style(),
            ties: kind.rules().ties(),
            windows: kind.windows().iter().map(period).collect(),
            time_zone: kind.calendar().time_zone().to_owned(),
            day_starts_at: kind.calendar().day_start().to_string(),
            week_starts_on: kind.calendar().week_start(),
            weeks_count_from: kind.calendar().weeks_from().map(|from| from.to_string()),
            seasons: kind.calendar().seasons().map(SeasonsShape::from),
            shards: Some(u64::from(kind.shards().get())),
            top: Some(kind.top() as u64),
            max_staleness: duration_text(kind.max_staleness()),
            keep: keep.collect(),
            close: closing
                .map(|(period, close)| (period, duration_text(close)))
                .collect(),
            dedupe: duration_text(kind.dedupe()),
            score_ttl: kind.score_ttl().map(duration_text),
            retain: kind.retain().map(RetainShape::from),
            packed: kind.rules().packing().map(PackedShape::from),
            publish: kind.publication().map(PublishShape::from),
            public_read: kind.is_public(),
        }
    }
}

fn is_midnight(text: &str) -> bool {
    text.parse() == Ok(DayStart::default())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_monday(day: &Weekday) -> bool {
    *day == Weekday::Monday
}

#[cfg(test)]
mod tests;
