//! The standing of a member, computed from all of its contributions, and the order of standings.

use std::cmp::Ordering;

use super::kind::{Field, Kind, Op};

/// The largest value, sum and delta.
pub(super) const VALUE_MAX: i64 = (1 << 53) - 1;

pub(super) type Values = Vec<Option<i64>>;

/// All contributions of a member in a window since it was last set, in order of arrival.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct History {
    set: Option<(Values, i64)>,
    contributions: Vec<(Values, i64)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) values: Values,
    pub(super) at: i64,
}

/// The result is out of range.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OutOfRange;

impl History {
    pub(super) fn set(kind: &Kind, values: &Values, at: i64) -> Self {
        Self {
            set: Some((values.clone(), kept(kind, at))),
            contributions: Vec::new(),
        }
    }

    /// Returns the history with one more contribution.
    pub(super) fn with(&self, kind: &Kind, values: &Values, at: i64) -> Result<Self, OutOfRange> {
        let mut more = self.clone();
        more.contributions.push((values.clone(), kept(kind, at)));
        let most = kind.packed.as_ref().map(|packed| packed.most);
        let fits = |value: &i64| match most {
            Some(most) => (0..=most).contains(value),
            None => value.abs() <= VALUE_MAX,
        };
        let standing = more.standing(kind);
        if standing.values.iter().flatten().all(fits) {
            Ok(more)
        } else {
            Err(OutOfRange)
        }
    }

    pub(super) fn standing(&self, kind: &Kind) -> Standing {
        match kind.mode {
            "accumulate" => self.accumulated(kind),
            mode => {
                let attempts = self.set.iter().chain(&self.contributions);
                let attempts = attempts.map(|(values, at)| Standing {
                    values: values.clone(),
                    at: *at,
                });
                let better = |a: &Standing, b: &Standing| {
                    let fields = compare_values(kind, &a.values, &b.values);
                    if mode == "best" {
                        fields.then(b.at.cmp(&a.at))
                    } else {
                        a.at.cmp(&b.at).then(fields)
                    }
                };
                attempts.max_by(better).unwrap()
            }
        }
    }

    fn accumulated(&self, kind: &Kind) -> Standing {
        let fields = (0..kind.fields.len()).map(|index| {
            let field = &kind.fields[index];
            match (field.op, &kind.packed) {
                (Op::Sum, Some(_)) => Some(self.packed_sum()),
                (Op::Sum, None) => Some(self.sum(index)),
                _ => self.held(field, index),
            }
        });
        let fields: Vec<Option<(i64, i64)>> = fields.collect();
        Standing {
            at: fields.iter().flatten().map(|(_, at)| *at).max().unwrap(),
            values: fields.into_iter().map(|held| Some(held?.0)).collect(),
        }
    }

    fn sum(&self, index: usize) -> (i64, i64) {
        let set = self.set.iter();
        let set = set.map(|(values, at)| (values[index].unwrap_or(0), *at));
        let contributions = self.contributions.iter();
        let contributions: Vec<_> = contributions
            .map(|(values, at)| (values[index].unwrap_or(0), *at))
            .collect();
        let sum = set
            .clone()
            .chain(contributions.iter().copied())
            .map(|(value, _)| value)
            .sum();
        let moves = contributions
            .iter()
            .copied()
            .filter(|(delta, _)| *delta != 0);
        let latest = set.chain(moves).map(|(_, at)| at).max();
        let at = latest.or_else(|| contributions.iter().map(|(_, at)| *at).min());
        (sum, at.unwrap())
    }

    /// Returns a sum whose history is reset whenever it becomes 0.
    fn packed_sum(&self) -> (i64, i64) {
        let mut held = self
            .set
            .as_ref()
            .map(|(values, at)| (values[0].unwrap_or(0), *at));
        for (values, at) in &self.contributions {
            let delta = values[0].unwrap_or(0);
            held = Some(match held {
                Some((0, since)) if delta == 0 => (0, since.min(*at)),
                None | Some((0, _)) => (delta, *at),
                Some((sum, since)) if delta == 0 => (sum, since),
                Some((sum, since)) => (sum + delta, since.max(*at)),
            });
        }
        held.unwrap()
    }

    fn held(&self, field: &Field, index: usize) -> Option<(i64, i64)> {
        let all = self.set.iter().chain(&self.contributions);
        let named = all.filter_map(|(values, at)| Some((values[index]?, *at)));
        named.max_by(|(a, a_at), (b, b_at)| match field.op {
            Op::Max => a.cmp(b).then(b_at.cmp(a_at)),
            Op::Min => b.cmp(a).then(b_at.cmp(a_at)),
            _ => a_at.cmp(b_at).then(directed(field, a.cmp(b))),
        })
    }
}

/// Returns a time rounded as the kind stores it.
pub(super) fn kept(kind: &Kind, at: i64) -> i64 {
    let unit = kind
        .packed
        .as_ref()
        .map_or(1, |packed| 1_000 * packed.unit_ms);
    at.div_euclid(unit) * unit
}

fn directed(field: &Field, order: Ordering) -> Ordering {
    if field.is_asc { order.reverse() } else { order }
}

/// Compares values: greater is better, null is worst.
pub(super) fn compare_values(kind: &Kind, a: &Values, b: &Values) -> Ordering {
    let fields = kind.fields.iter().zip(a.iter().zip(b));
    let mut orders = fields.map(|(field, (a, b))| match (a, b) {
        (Some(a), Some(b)) => directed(field, a.cmp(b)),
        _ => a.is_some().cmp(&b.is_some()),
    });
    orders
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Compares standings: greater is better.
pub(super) fn compare(kind: &Kind, a: (&Standing, &str), b: (&Standing, &str)) -> Ordering {
    let ties = match kind.ties {
        "earliest" => b.0.at.cmp(&a.0.at),
        "latest" => a.0.at.cmp(&b.0.at),
        _ => Ordering::Equal,
    };
    let is_lower_first = kind.ties == "member" && kind.fields[0].is_asc;
    let names = a.1.as_bytes().cmp(b.1.as_bytes());
    let names = if is_lower_first {
        names.reverse()
    } else {
        names
    };
    compare_values(kind, &a.0.values, &b.0.values)
        .then(ties)
        .then(names)
}
