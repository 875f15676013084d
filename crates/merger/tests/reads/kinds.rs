//! The kinds of the boards in these tests.

use std::time::Duration;

use board::{Direction, FieldName, FieldRule, Kind, KindSpec, Mode, Op, Rules, Ties, Value};
use testkit::conformance::fixtures::gifts_spec;

/// A kind of one field that sums, ranked for all time, to be modified.
pub(crate) fn points(shards: u64) -> KindSpec {
    KindSpec {
        shards,
        max_staleness: Duration::from_hours(1),
        ..gifts_spec()
    }
}

/// A kind whose fields can be null: each keeps the largest value.
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
