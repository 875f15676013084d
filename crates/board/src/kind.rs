//! A kind: the named rule set of boards.
//!
//! A [`Kind`] is always valid: [`Kind::new`] checks a [`KindSpec`] against every rule of the
//! contract. What may change once a kind has boards is in `change`; which contributions its windows
//! accept is in `admission`.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::calendar::{Calendar, Period};
use crate::hidden::Hidden;
use crate::ident::KindName;
use crate::kind_error::KindError;
use crate::limits::{DEDUPE_MAX, KEEP_MAX, SCORE_TTL_MIN, SHARDS_MAX, STALENESS_MAX, TOP_MAX};
use crate::meaning::Meaning;
use crate::publication::Publication;
use crate::retain::Retain;
use crate::rules::{Mode, Op, Rules};
use crate::shard_count::ShardCount;
use crate::window_rule::{Keep, WindowRule};

/// How a position becomes a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RankStyle {
    /// The rank is the position.
    #[default]
    Ordinal,
    /// Equal fields share a rank: 1 2 2 4.
    Competition,
    /// Equal fields share a rank, and no rank is left out: 1 2 2 3. Part of the kind's meaning:
    /// stores count the distinct fields of a window from a board's first contribution on.
    Dense,
}

impl RankStyle {
    /// Returns whether members with equal fields share a rank.
    #[must_use]
    pub const fn is_shared(self) -> bool {
        !matches!(self, Self::Ordinal)
    }
}

/// The settings of a kind, not yet validated.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KindSpec {
    /// Its name.
    pub name: KindName,
    /// Fields, mode and ties.
    pub rules: Rules,
    /// How position becomes rank.
    pub rank: RankStyle,
    /// The periods it ranks by; a read without `window` gets the first.
    pub windows: Vec<WindowRule>,
    /// The time zone, which determines where days begin.
    pub calendar: Calendar,
    /// Shards of boards not yet created.
    pub shards: u64,
    /// Depth of the cached global board.
    pub top: u64,
    /// The maximum age of what a read returns.
    pub max_staleness: Duration,
    /// How long a contribution id is remembered.
    pub dedupe: Duration,
    /// After how long without a contribution a member leaves the window without bounds.
    pub score_ttl: Option<Duration>,
    /// If set, only the best members are ranked.
    pub retain: Option<Retain>,
    /// Where merged boards are published, if they are.
    pub publish: Option<Publication>,
    /// Whether its boards are read without a key.
    pub public_read: bool,
}

impl KindSpec {
    /// Creates the settings of a kind of one shard that ranks by all time, with defaults for everything else.
    #[must_use]
    pub fn new(name: KindName, rules: Rules) -> Self {
        Self {
            name,
            rules,
            rank: RankStyle::default(),
            windows: vec![WindowRule::with_defaults(Period::All)],
            calendar: Calendar::utc(),
            shards: 1,
            top: 1_000,
            max_staleness: Duration::from_millis(200),
            dedupe: Duration::from_hours(1),
            score_ttl: None,
            retain: None,
            publish: None,
            public_read: false,
        }
    }
}

/// A valid kind, and the members that its boards hide, which are not a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    pub(crate) spec: KindSpec,
    shards: ShardCount,
    top: usize,
    meaning: Meaning,
    hidden: Hidden,
}

impl Kind {
    /// Validates a spec against every rule of the contract.
    pub fn new(spec: KindSpec) -> Result<Self, KindError> {
        check_windows(&spec)?;
        check_score_ttl(&spec)?;
        let shards = ShardCount::new(spec.shards).ok_or_else(|| {
            let reason = format!(
                "{} is not a power of two from 1 to {SHARDS_MAX}",
                spec.shards
            );
            KindError::new("shards", reason)
        })?;
        let is_valid = (1..=u64::from(TOP_MAX)).contains(&spec.top);
        let reason = format!("{} is not between 1 and {TOP_MAX}", spec.top);
        KindError::unless(is_valid, "top", reason)?;
        let is_valid = spec.max_staleness <= STALENESS_MAX;
        KindError::unless(is_valid, "max_staleness", "is longer than an hour")?;
        let is_valid = spec.dedupe <= DEDUPE_MAX;
        KindError::unless(is_valid, "dedupe", "is longer than seven days")?;
        if let Some(packing) = spec.rules.packing() {
            packing.check_windows(&spec.windows)?;
            let reason = "not supported for packed kinds, whose order and scores are one";
            KindError::unless(spec.retain.is_none(), "retain", reason)?;
            let is_dense = spec.rank == RankStyle::Dense;
            KindError::unless(!is_dense, "rank", "dense is not supported for packed kinds")?;
        }
        if let Some(retain) = &spec.retain {
            retain.check(&spec.rules, spec.top)?;
        }
        if let Some(publication) = &spec.publish {
            publication.check(&spec.windows, spec.top)?;
        }
        let top = usize::try_from(spec.top).map_err(|_| KindError::new("top", "is too large"))?;
        Ok(Self {
            meaning: Meaning::of(&spec),
            spec,
            shards,
            top,
            hidden: Hidden::default(),
        })
    }

    /// Returns the kind with exactly these members hidden.
    #[must_use]
    pub fn hiding(mut self, hidden: Hidden) -> Self {
        self.hidden = hidden;
        self
    }

    /// Returns the members that its boards do not show.
    #[must_use]
    pub const fn hidden(&self) -> &Hidden {
        &self.hidden
    }

    /// Returns the settings.
    #[must_use]
    pub const fn spec(&self) -> &KindSpec {
        &self.spec
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(&self) -> &KindName {
        &self.spec.name
    }

    /// Returns fields, mode and ties.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.spec.rules
    }

    /// Returns what standings on its boards mean: never changes once it has boards.
    #[must_use]
    pub const fn meaning(&self) -> Meaning {
        self.meaning
    }

    /// Returns how a position becomes a rank.
    #[must_use]
    pub const fn rank_style(&self) -> RankStyle {
        self.spec.rank
    }

    /// Returns whether its ranks count distinct fields ([`RankStyle::Dense`]).
    #[must_use]
    pub const fn is_dense(&self) -> bool {
        matches!(self.spec.rank, RankStyle::Dense)
    }

    /// Returns whether its boards are read without a key.
    #[must_use]
    pub const fn is_public(&self) -> bool {
        self.spec.public_read
    }

    /// Returns the periods it ranks by.
    #[must_use]
    pub fn windows(&self) -> &[WindowRule] {
        &self.spec.windows
    }

    /// Returns the rule of this period.
    #[must_use]
    pub fn window_rule(&self, period: Period) -> Option<&WindowRule> {
        self.spec.windows.iter().find(|rule| rule.period == period)
    }

    /// Returns the calendar, which determines where days begin.
    #[must_use]
    pub const fn calendar(&self) -> &Calendar {
        &self.spec.calendar
    }

    /// Returns the shard count of boards not yet created.
    #[must_use]
    pub const fn shards(&self) -> ShardCount {
        self.shards
    }

    /// Returns the depth of the cached global board, in entries.
    #[must_use]
    pub const fn top(&self) -> usize {
        self.top
    }

    /// Returns the maximum age of what a read returns.
    #[must_use]
    pub const fn max_staleness(&self) -> Duration {
        self.spec.max_staleness
    }

    /// Returns how long a contribution id is remembered.
    #[must_use]
    pub const fn dedupe(&self) -> Duration {
        self.spec.dedupe
    }

    /// Returns after how long without a contribution a member leaves the window without bounds, if it
    /// does.
    #[must_use]
    pub const fn score_ttl(&self) -> Option<Duration> {
        self.spec.score_ttl
    }

    /// Returns how many members are ranked, if not all are.
    #[must_use]
    pub const fn retain(&self) -> Option<&Retain> {
        self.spec.retain.as_ref()
    }

    /// Returns where merged boards are published.
    #[must_use]
    pub const fn publication(&self) -> Option<&Publication> {
        self.spec.publish.as_ref()
    }
}

fn check_windows(spec: &KindSpec) -> Result<(), KindError> {
    let is_valid = !spec.windows.is_empty();
    KindError::unless(is_valid, "windows", "a kind has at least one window")?;
    for (i, rule) in spec.windows.iter().enumerate() {
        let period = rule.period.as_str();
        let mut earlier = spec.windows[..i].iter();
        let is_new = earlier.all(|other| other.period != rule.period);
        KindError::unless(is_new, "windows", format!("{period} is named twice"))?;
        check_keep(rule)?;
        if let Some(close) = rule.close {
            let setting = format!("close.{period}");
            let has_bounds = rule.period != Period::All;
            let reason = "the window without bounds never closes";
            KindError::unless(has_bounds, &setting, reason)?;
            let is_valid = close <= KEEP_MAX;
            KindError::unless(is_valid, &setting, "is longer than a thousand years")?;
        }
    }
    let hours = spec.windows.iter().any(|rule| rule.period == Period::Hour);
    let reason = format!(
        "the clock of {} shifts by less than an hour: hour windows are not supported",
        spec.calendar.time_zone()
    );
    KindError::unless(!hours || spec.calendar.has_whole_hours(), "windows", reason)
}

fn check_keep(rule: &WindowRule) -> Result<(), KindError> {
    let setting = format!("keep.{}", rule.period.as_str());
    match (rule.period, rule.keep) {
        (Period::All, Keep::After(_)) => Err(KindError::new(
            &setting,
            "the window without bounds never ends: use \"forever\" or { idle = \"7d\" }",
        )),
        (Period::All, Keep::Idle(Duration::ZERO)) => Err(KindError::new(&setting, "idle is 0")),
        (Period::All, Keep::Idle(span)) | (_, Keep::After(span)) if span > KEEP_MAX => Err(
            KindError::new(&setting, "is longer than a thousand years: use \"forever\""),
        ),
        (Period::All, _) | (_, Keep::After(_) | Keep::Forever) => Ok(()),
        (_, Keep::Idle(_)) => Err(KindError::new(
            &setting,
            "idle is supported only for the window without bounds",
        )),
    }
}

/// Checks that the time of a standing is that of the last contribution, so that it says how long ago that was.
fn check_score_ttl(spec: &KindSpec) -> Result<(), KindError> {
    let Some(ttl) = spec.score_ttl else {
        return Ok(());
    };
    let rules = &spec.rules;
    let reason = if !(SCORE_TTL_MIN..=KEEP_MAX).contains(&ttl) {
        "is not from 1 s to 1000 years"
    } else if !spec.windows.iter().any(|rule| rule.period == Period::All) {
        "requires the window all, which members leave"
    } else if spec.retain.is_some() {
        "cannot be combined with retain"
    } else if rules.mode() == Mode::Best
        || rules.mode() == Mode::Accumulate
            && rules
                .fields()
                .iter()
                .any(|field| matches!(field.op, Op::Max | Op::Min))
    {
        "requires mode latest, or accumulate with the ops sum and last: a best has the time at which it was reached, \
         not that of the last contribution"
    } else {
        return Ok(());
    };
    Err(KindError::new("score_ttl", reason))
}
