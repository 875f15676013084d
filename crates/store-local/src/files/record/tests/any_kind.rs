//! Random kinds with every setting that a record has.

use std::sync::Arc;
use std::time::Duration;

use board::limits::{DEDUPE_MAX, KEEP_MAX, STALENESS_MAX};
use board::{
    Calendar, Direction, FieldName, FieldRule, Keep, Kind, KindName, KindSpec, Mode, Op, Period,
    RankStyle, Rules, Seasons, Ties, Weekday, WindowRule,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{select, subsequence};
use shard_store::{KindRecord, Revision};

use super::any_event::time;

/// The longest name of a time zone.
pub(super) const LONGEST_ZONE: &str = "America/Argentina/ComodRivadavia";

pub(crate) fn kind_name() -> impl Strategy<Value = KindName> {
    "[a-z][a-z0-9-]{0,62}".prop_map(|text| KindName::new(&text).unwrap())
}

pub(crate) fn kind_record() -> impl Strategy<Value = KindRecord> {
    (kind(), any::<u64>(), any::<bool>()).prop_map(|(kind, revision, deleted)| KindRecord {
        name: kind.name().clone(),
        revision: Revision(revision),
        kind: (!deleted).then(|| Arc::new(kind)),
    })
}

/// Also spans that are not whole milliseconds.
fn span(longest: Duration) -> impl Strategy<Value = Duration> {
    let seconds = (0..longest.as_secs(), 0..1_000_000_000_u32);
    prop_oneof![
        (0..=longest.as_secs()).prop_map(Duration::from_secs),
        seconds.prop_map(|(seconds, nanos)| Duration::new(seconds, nanos)),
    ]
}

fn rules() -> impl Strategy<Value = Rules> {
    let field = (
        "[a-z][a-z0-9_]{0,27}",
        select(vec![Direction::Desc, Direction::Asc]),
        select(vec![Op::Sum, Op::Max, Op::Min, Op::Last]),
    );
    let mode = select(vec![Mode::Accumulate, Mode::Best, Mode::Latest]);
    let ties = select(vec![Ties::Earliest, Ties::Latest, Ties::Member]);
    (vec(field, 1..=4), mode, ties).prop_map(|(fields, mode, ties)| {
        let fields = (0..)
            .zip(fields)
            .map(|(index, (name, order, op))| FieldRule {
                // Distinct, and not reserved.
                name: FieldName::new(&format!("{name}_{index}z")).unwrap(),
                order,
                op: if mode == Mode::Accumulate {
                    op
                } else {
                    Op::Sum
                },
            });
        Rules::new(fields.collect(), mode, ties).unwrap()
    })
}

fn window_rule(period: Period) -> impl Strategy<Value = WindowRule> {
    let bounded = period != Period::All;
    let keep =
        prop_oneof![Just(None), span(KEEP_MAX).prop_map(Some)].prop_map(move |span| match span {
            None => Keep::Forever,
            Some(span) if bounded => Keep::After(span),
            Some(span) => Keep::Idle(span.max(Duration::from_nanos(1))),
        });
    let close = option::of(span(KEEP_MAX)).prop_map(move |close| close.filter(|_| bounded));
    (keep, close, option::of(time())).prop_map(move |(keep, close, since)| WindowRule {
        period,
        keep,
        close,
        since,
    })
}

fn calendar() -> impl Strategy<Value = Calendar> {
    let zone = select(vec!["UTC", "Asia/Shanghai", LONGEST_ZONE]);
    let begin = select(vec![
        ("00:00", Weekday::Monday),
        ("05:07", Weekday::Monday),
        ("00:00", Weekday::Sunday),
    ]);
    let weeks_from = option::of(select(vec!["1970-01-01", "2026-02-28"]));
    let cron = Seasons::cron("0 5 1 */3 *").unwrap();
    let named = Seasons::named([("a", "2026-01-01"), ("b.2", "2026-03-01T05:00")]);
    let seasons = option::of(select(vec![cron, named.unwrap()]));
    (zone, begin, weeks_from, seasons).prop_map(|(zone, (day, week), weeks_from, seasons)| {
        Calendar::new(zone)
            .unwrap()
            .beginning(day.parse().unwrap(), week)
            .counting_weeks_from(weeks_from.map(|date| date.parse().unwrap()))
            .with_seasons(seasons)
    })
}

pub(crate) fn kind() -> impl Strategy<Value = Kind> {
    let rank = select(vec![
        RankStyle::Ordinal,
        RankStyle::Competition,
        RankStyle::Dense,
    ]);
    let windows = subsequence(&Period::ALL_PERIODS, 1..=Period::ALL_PERIODS.len())
        .prop_shuffle()
        .prop_flat_map(|periods| periods.into_iter().map(window_rule).collect::<Vec<_>>());
    let numbers = (
        0..=12_u32,
        1..=10_000_u64,
        span(STALENESS_MAX),
        span(DEDUPE_MAX),
    );
    (kind_name(), rules(), rank, windows, calendar(), numbers).prop_map(
        |(name, rules, rank, windows, calendar, (shards, top, max_staleness, dedupe))| {
            let sums = |rules: &Rules| {
                let mut ops = rules.fields().iter().map(|field| field.op);
                ops.all(|op| matches!(op, Op::Sum | Op::Last))
            };
            let keeps_time = match rules.mode() {
                Mode::Accumulate => sums(&rules),
                Mode::Best => false,
                Mode::Latest => true,
            };
            let is_unbounded = |rule: &WindowRule| rule.period == Period::All;
            let may_leave = keeps_time && windows.iter().any(is_unbounded);
            Kind::new(KindSpec {
                name,
                rules,
                rank,
                windows,
                calendar,
                shards: 1 << shards,
                top,
                max_staleness,
                dedupe,
                score_ttl: may_leave.then(|| Duration::from_secs(top)),
                retain: None,
                publish: None,
                public_read: top % 2 == 1,
            })
            .unwrap()
        },
    )
}
