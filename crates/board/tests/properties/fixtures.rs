//! The kind that most properties begin with: [`gifts`].

use std::time::Duration;

use board::{
    Calendar, FieldName, FieldRule, KindName, KindSpec, Mode, Period, RankStyle, Rules, Ties,
    WindowRule,
};

/// A field that sums.
pub(crate) fn sum(name: &str) -> FieldRule {
    FieldRule::sum(FieldName::new(name).unwrap())
}

/// Points that sum, in these windows, by UTC.
pub(crate) fn gifts(periods: &[Period]) -> KindSpec {
    KindSpec {
        name: KindName::new("gifts").unwrap(),
        rules: Rules::new(vec![sum("points")], Mode::Accumulate, Ties::Earliest).unwrap(),
        rank: RankStyle::Ordinal,
        windows: periods
            .iter()
            .map(|period| WindowRule::with_defaults(*period))
            .collect(),
        calendar: Calendar::utc(),
        shards: 16,
        top: 1000,
        max_staleness: Duration::from_millis(200),
        dedupe: Duration::from_hours(1),
        score_ttl: None,
        retain: None,
        publish: None,
    }
}
