//! The kinds that boards under test are of.

use std::time::Duration;

use board::{
    Calendar, Direction, FieldName, FieldRule, Kind, KindName, KindSpec, Mode, Op, Period,
    RankStyle, Rules, Ties, Value, WindowRule,
};

/// A kind of one field that sums, ranked for all time, with room to change it.
pub(crate) fn points(shards: u64) -> KindSpec {
    let points = FieldRule::sum(FieldName::new("points").unwrap());
    KindSpec {
        name: KindName::new("gifts").unwrap(),
        rules: Rules::new(vec![points], Mode::Accumulate, Ties::Earliest).unwrap(),
        rank: RankStyle::Ordinal,
        windows: vec![WindowRule::with_defaults(Period::All)],
        calendar: Calendar::utc(),
        shards,
        top: 1000,
        max_staleness: Duration::from_hours(1),
        dedupe: Duration::from_hours(1),
        retain: None,
        publish: None,
    }
}

/// A kind whose fields can be null: they hold the largest value named.
pub(crate) fn nullable(shards: u64, orders: &[Direction], ties: Ties) -> KindSpec {
    let field = |(index, order): (usize, &Direction)| FieldRule {
        name: FieldName::new(&format!("f{index}")).unwrap(),
        order: *order,
        op: Op::Max,
    };
    let fields = orders.iter().enumerate().map(field).collect();
    KindSpec {
        rules: Rules::new(fields, Mode::Accumulate, ties).unwrap(),
        ..points(shards)
    }
}

pub(crate) fn kind(spec: KindSpec) -> Kind {
    Kind::new(spec).unwrap()
}

pub(crate) fn value(number: i64) -> Value {
    Value::new(number).unwrap()
}
