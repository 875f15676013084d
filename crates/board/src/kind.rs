//! A kind: the named rule set of boards.
//!
//! [`Kind`] is only ever valid: [`Kind::new`] holds a [`KindSpec`] against every rule of the
//! contract. What may change once a kind has boards is in `change`, which contributions its windows
//! take in `admission`.

use std::time::Duration;

use crate::hidden::Hidden;
use crate::ident::KindName;
use crate::limits::{DEDUPE_MAX, KEEP_MAX, SHARDS_MAX, STALENESS_MAX, TOP_MAX};
use crate::meaning::Meaning;
use crate::publication::Publication;
use crate::retain::Retain;
use crate::rules::Rules;
use crate::timestamp::Timestamp;
use crate::window::{Calendar, Period};

/// How position becomes rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum RankStyle {
    /// Rank is the position.
    #[default]
    Ordinal,
    /// Equal fields share a rank: 1 2 2 4.
    Competition,
}

/// How long a window is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Keep {
    /// Without end.
    Forever,
    /// This long after the window's end.
    After(Duration),
    /// Until nothing was written to the board for so long. Only for the window without bounds.
    Idle(Duration),
}

/// One period that a kind ranks by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WindowRule {
    /// The period.
    pub period: Period,
    /// How long its windows are kept.
    pub keep: Keep,
    /// How long after its end a window takes late contributions, where not as long as it is kept.
    pub close: Option<Duration>,
    /// The first start of a window, for a period that was added to a kind with boards.
    pub since: Option<Timestamp>,
}

impl WindowRule {
    /// The rule of a period as it is without settings.
    #[must_use]
    pub const fn with_defaults(period: Period) -> Self {
        const DAY: u64 = 24 * 3600;
        let keep = match period {
            Period::Hour => Keep::After(Duration::from_hours(48)),
            Period::Day => Keep::After(Duration::from_secs(35 * DAY)),
            Period::Week => Keep::After(Duration::from_secs(70 * DAY)),
            // As `humantime` counts: a month is 30.44 days.
            Period::Month => Keep::After(Duration::from_secs(13 * 2_630_016)),
            Period::All => Keep::Forever,
        };
        Self {
            period,
            keep,
            close: None,
            since: None,
        }
    }
}

/// Number of shards: a power of two from 1 to 4096.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShardCount(u16);

impl ShardCount {
    /// Takes a power of two from 1 to 4096.
    #[must_use]
    pub const fn new(count: u64) -> Option<Self> {
        if count.is_power_of_two() && count <= SHARDS_MAX as u64 {
            // At most 4096.
            #[expect(clippy::cast_possible_truncation)]
            Some(Self(count as u16))
        } else {
            None
        }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }

    /// The shard of a placement hash: its top bits, so that when a count doubles, what was in shard
    /// `i` is in `2i` and `2i + 1`.
    #[must_use]
    pub const fn shard_of(self, placement_hash: u64) -> u16 {
        // The product is below 2^76, its upper half below 2^12.
        #[expect(clippy::cast_possible_truncation)]
        let shard = ((placement_hash as u128 * self.0 as u128) >> 64) as u16;
        shard
    }
}

/// What a kind is made of, unchecked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindSpec {
    /// Its name.
    pub name: KindName,
    /// Fields, mode and ties.
    pub rules: Rules,
    /// How position becomes rank.
    pub rank: RankStyle,
    /// The periods it ranks by; the first is what a read without `window` gets.
    pub windows: Vec<WindowRule>,
    /// Where days begin.
    pub calendar: Calendar,
    /// Shards of boards not yet created.
    pub shards: u64,
    /// Depth of the cached global board.
    pub top: u64,
    /// How old a read may be.
    pub max_staleness: Duration,
    /// How long an id is remembered.
    pub dedupe: Duration,
    /// With it only the best are ranked.
    pub retain: Option<Retain>,
    /// Where its merged boards are written out to, if they are.
    pub publish: Option<Publication>,
}

/// Why a spec is no kind. Names the setting and the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {reason}")]
pub struct KindError {
    setting: String,
    reason: String,
}

impl KindError {
    pub(crate) fn new(setting: &str, reason: impl Into<String>) -> Self {
        Self {
            setting: setting.to_owned(),
            reason: reason.into(),
        }
    }

    /// The setting at fault, as configuration writes it: `keep.day`.
    #[must_use]
    pub fn setting(&self) -> &str {
        &self.setting
    }
}

/// A valid kind, and whom its boards do not show, which is no setting of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    pub(crate) spec: KindSpec,
    shards: ShardCount,
    top: usize,
    meaning: Meaning,
    hidden: Hidden,
}

impl Kind {
    /// Checks a spec against every rule of the contract.
    pub fn new(spec: KindSpec) -> Result<Self, KindError> {
        check_windows(&spec)?;
        let shards = ShardCount::new(spec.shards).ok_or_else(|| {
            let reason = format!("{} is no power of two from 1 to {SHARDS_MAX}", spec.shards);
            KindError::new("shards", reason)
        })?;
        if spec.top == 0 || spec.top > u64::from(TOP_MAX) {
            let reason = format!("{} is not between 1 and {TOP_MAX}", spec.top);
            return Err(KindError::new("top", reason));
        }
        if spec.max_staleness > STALENESS_MAX {
            return Err(KindError::new("max_staleness", "is longer than an hour"));
        }
        if spec.dedupe > DEDUPE_MAX {
            return Err(KindError::new("dedupe", "is longer than seven days"));
        }
        if let Some(packing) = spec.rules.packing() {
            packing.check_windows(&spec.windows)?;
            if spec.retain.is_some() {
                let reason = "a list needs scores beside its order, which a packed kind has not";
                return Err(KindError::new("retain", reason));
            }
        }
        if let Some(retain) = &spec.retain {
            retain.check(&spec.rules, spec.top)?;
        }
        if let Some(publication) = &spec.publish {
            publication.check(&spec.windows, spec.top)?;
        }
        let top = usize::try_from(spec.top).map_err(|_| KindError::new("top", "is too large"))?;
        Ok(Self {
            meaning: Meaning::of(&spec.rules, &spec.calendar, spec.retain.as_ref()),
            spec,
            shards,
            top,
            hidden: Hidden::default(),
        })
    }

    /// The same, with these members hidden and no others.
    #[must_use]
    pub fn hiding(mut self, hidden: Hidden) -> Self {
        self.hidden = hidden;
        self
    }

    /// Members that its boards do not show.
    #[must_use]
    pub const fn hidden(&self) -> &Hidden {
        &self.hidden
    }

    /// What it is made of.
    #[must_use]
    pub const fn spec(&self) -> &KindSpec {
        &self.spec
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &KindName {
        &self.spec.name
    }

    /// Fields, mode and ties.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.spec.rules
    }

    /// What standings on its boards mean: never changes once it has boards.
    #[must_use]
    pub const fn meaning(&self) -> Meaning {
        self.meaning
    }

    /// How position becomes rank.
    #[must_use]
    pub const fn rank_style(&self) -> RankStyle {
        self.spec.rank
    }

    /// The periods it ranks by.
    #[must_use]
    pub fn windows(&self) -> &[WindowRule] {
        &self.spec.windows
    }

    /// The rule of this period.
    #[must_use]
    pub fn window_rule(&self, period: Period) -> Option<&WindowRule> {
        self.spec.windows.iter().find(|rule| rule.period == period)
    }

    /// Where days begin.
    #[must_use]
    pub const fn calendar(&self) -> &Calendar {
        &self.spec.calendar
    }

    /// Shards of boards not yet created.
    #[must_use]
    pub const fn shards(&self) -> ShardCount {
        self.shards
    }

    /// Depth of the cached global board, in entries.
    #[must_use]
    pub const fn top(&self) -> usize {
        self.top
    }

    /// How old a read may be.
    #[must_use]
    pub const fn max_staleness(&self) -> Duration {
        self.spec.max_staleness
    }

    /// How long an id is remembered.
    #[must_use]
    pub const fn dedupe(&self) -> Duration {
        self.spec.dedupe
    }

    /// How much of its boards is ranked, where that is not all.
    #[must_use]
    pub const fn retain(&self) -> Option<&Retain> {
        self.spec.retain.as_ref()
    }

    /// Where its merged boards are written out to.
    #[must_use]
    pub const fn publication(&self) -> Option<&Publication> {
        self.spec.publish.as_ref()
    }
}

fn check_windows(spec: &KindSpec) -> Result<(), KindError> {
    if spec.windows.is_empty() {
        return Err(KindError::new("windows", "a kind has at least one window"));
    }
    for (i, rule) in spec.windows.iter().enumerate() {
        let period = rule.period.as_str();
        if spec.windows[..i]
            .iter()
            .any(|other| other.period == rule.period)
        {
            return Err(KindError::new(
                "windows",
                format!("{period} is named twice"),
            ));
        }
        check_keep(rule)?;
        if let Some(close) = rule.close {
            let setting = format!("close.{period}");
            if rule.period == Period::All {
                return Err(KindError::new(
                    &setting,
                    "the window without bounds never closes",
                ));
            }
            if close > KEEP_MAX {
                return Err(KindError::new(&setting, "is longer than a thousand years"));
            }
        }
    }
    let hours = spec.windows.iter().any(|rule| rule.period == Period::Hour);
    if hours && !spec.calendar.has_whole_hours() {
        let zone = spec.calendar.time_zone();
        let reason = format!("the clock of {zone} shifts by less than an hour: no hour windows");
        return Err(KindError::new("windows", reason));
    }
    Ok(())
}

fn check_keep(rule: &WindowRule) -> Result<(), KindError> {
    let setting = format!("keep.{}", rule.period.as_str());
    match (rule.period, rule.keep) {
        (Period::All, Keep::After(_)) => Err(KindError::new(
            &setting,
            "the window without bounds never ends: say \"forever\" or { idle = \"7d\" }",
        )),
        (Period::All, Keep::Idle(Duration::ZERO)) => Err(KindError::new(&setting, "idle is 0")),
        (Period::All, Keep::Idle(span)) | (_, Keep::After(span)) if span > KEEP_MAX => Err(
            KindError::new(&setting, "is longer than a thousand years: say \"forever\""),
        ),
        (Period::All, _) | (_, Keep::After(_) | Keep::Forever) => Ok(()),
        (_, Keep::Idle(_)) => Err(KindError::new(
            &setting,
            "idle is only for the window without bounds",
        )),
    }
}
