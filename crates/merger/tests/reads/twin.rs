//! [`Twin`]: the naive twin of a board. All rows are in one vector, sorted by a comparison as the contract describes
//! it, and every read is a scan.

use std::cmp::Ordering;

use board::{Direction, Kind, Member, RankStyle, Rules, Ties, Timestamp, Value, Values};
use merger::RankedEntry;

/// A member's standing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) member: Member,
    pub(crate) values: Values,
    pub(crate) at: Timestamp,
}

/// An entry as a reader sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shown {
    pub(crate) position: u64,
    pub(crate) rank: u64,
    pub(crate) row: Row,
}

/// Returns an entry as a reader sees it.
pub(crate) fn shown(kind: &Kind, entry: &RankedEntry) -> Shown {
    Shown {
        position: entry.position,
        rank: entry.rank,
        row: Row {
            member: entry.entry.key.member.clone(),
            values: kind.rules().values_of(&entry.entry.key.words),
            at: entry.entry.reached_at,
        },
    }
}

pub(crate) fn all_shown(kind: &Kind, entries: &[RankedEntry]) -> Vec<Shown> {
    entries.iter().map(|entry| shown(kind, entry)).collect()
}

/// A sorted board.
pub(crate) struct Twin {
    rules: Rules,
    /// Best first.
    pub(crate) rows: Vec<Row>,
    /// The competition rank of each row.
    ranks: Vec<u64>,
    /// The dense rank of each row.
    dense_ranks: Vec<u64>,
}

impl Twin {
    pub(crate) fn new(rules: &Rules, mut rows: Vec<Row>) -> Self {
        rows.sort_by(|a, b| compare(rules, b, a));
        let mut ranks: Vec<u64> = Vec::with_capacity(rows.len());
        let mut dense_ranks: Vec<u64> = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let shared = index > 0 && rows[index - 1].values == row.values;
            ranks.push(if shared {
                ranks[index - 1]
            } else {
                index as u64 + 1
            });
            let above = dense_ranks.last().copied().unwrap_or(0);
            dense_ranks.push(if shared { above } else { above + 1 });
        }
        Self {
            rules: rules.clone(),
            rows,
            ranks,
            dense_ranks,
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Returns the entry at a position.
    pub(crate) fn at(&self, style: RankStyle, position: u64) -> Shown {
        let index = usize::try_from(position).unwrap() - 1;
        Shown {
            position,
            rank: match style {
                RankStyle::Ordinal => position,
                RankStyle::Competition => self.ranks[index],
                RankStyle::Dense => self.dense_ranks[index],
            },
            row: self.rows[index].clone(),
        }
    }

    /// Returns the entries at these positions, as far as they exist.
    pub(crate) fn range(&self, style: RankStyle, from: u64, to: u64) -> Vec<Shown> {
        (from..=to.min(self.len()))
            .map(|position| self.at(style, position))
            .collect()
    }

    /// Returns the positions whose first field is between these.
    pub(crate) fn between(&self, (min, max): (Option<Value>, Option<Value>)) -> Vec<u64> {
        let is_between = |row: &Row| {
            row.values.get(0).is_some_and(|first| {
                min.is_none_or(|min| first >= min) && max.is_none_or(|max| first <= max)
            })
        };
        let rows = (1..).zip(&self.rows).filter(|(_, row)| is_between(row));
        rows.map(|(position, _)| position).collect()
    }

    /// Returns the rank and position that these values would have at that time, after all ties.
    pub(crate) fn position_of(
        &self,
        style: RankStyle,
        values: &Values,
        at: Timestamp,
    ) -> (u64, u64) {
        let count = |better: &dyn Fn(&Row) -> bool| {
            self.rows.iter().filter(|row| better(row)).count() as u64 + 1
        };
        let not_worse = |row: &Row| {
            let fields = compare_fields(&self.rules, &row.values, values);
            fields.then(compare_times(&self.rules, row.at, at)) != Ordering::Less
        };
        let better_fields =
            |row: &Row| compare_fields(&self.rules, &row.values, values) == Ordering::Greater;
        let position = count(&not_worse);
        match style {
            RankStyle::Ordinal => (position, position),
            RankStyle::Competition => (count(&better_fields), position),
            RankStyle::Dense => {
                let rows = self.rows.iter().filter(|row| better_fields(row));
                let mut values: Vec<&Values> = rows.map(|row| &row.values).collect();
                values.dedup();
                (values.len() as u64 + 1, position)
            }
        }
    }
}

/// Greater is better.
fn compare(rules: &Rules, a: &Row, b: &Row) -> Ordering {
    compare_fields(rules, &a.values, &b.values)
        .then(compare_times(rules, a.at, b.at))
        .then(compare_names(rules, &a.member, &b.member))
}

fn compare_fields(rules: &Rules, a: &Values, b: &Values) -> Ordering {
    let fields = rules.fields().iter().enumerate();
    let mut compared = fields.map(|(index, field)| match (a.get(index), b.get(index)) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some(a), Some(b)) if field.order == Direction::Desc => a.cmp(&b),
        (Some(a), Some(b)) => b.cmp(&a),
    });
    compared
        .find(|order| *order != Ordering::Equal)
        .unwrap_or(Ordering::Equal)
}

fn compare_times(rules: &Rules, a: Timestamp, b: Timestamp) -> Ordering {
    match rules.ties() {
        Ties::Earliest => b.cmp(&a),
        Ties::Latest => a.cmp(&b),
        Ties::Member => Ordering::Equal,
    }
}

fn compare_names(rules: &Rules, a: &Member, b: &Member) -> Ordering {
    let higher = a.as_bytes().cmp(b.as_bytes());
    match (rules.ties(), rules.fields()[0].order) {
        (Ties::Member, Direction::Asc) => higher.reverse(),
        _ => higher,
    }
}
