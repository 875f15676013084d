//! The kind that most properties begin with: [`gifts`].

use board::{FieldName, FieldRule, KindName, KindSpec, Mode, Period, Rules, Ties, WindowRule};

/// A field that sums.
pub(crate) fn sum(name: &str) -> FieldRule {
    FieldRule::sum(FieldName::new(name).unwrap())
}

/// Points that sum, in these windows, by UTC.
pub(crate) fn gifts(periods: &[Period]) -> KindSpec {
    let rules = Rules::new(vec![sum("points")], Mode::Accumulate, Ties::Earliest).unwrap();
    KindSpec {
        windows: periods
            .iter()
            .map(|period| WindowRule::with_defaults(*period))
            .collect(),
        shards: 16,
        ..KindSpec::new(KindName::new("gifts").unwrap(), rules)
    }
}
