//! [`Small`]: a small ranking, a vector sorted best first.
//!
//! While a board is small its shards share one vector; each row has its shard, and a read of a
//! shard skips the rows of others. Everything is a scan, so it also serves as the naive twin of the
//! tree.

use board::{Bound, Member, RankKey, RankWords, Rules, Standing};
use smallvec::SmallVec;

use super::anchor_read::Order;
use super::member_ref::MemberRef;
use shard_store::ShardEntry;

/// A standing's words: two are inline, which is enough for a kind with one field.
type Words = SmallVec<[u64; 2]>;

#[derive(Debug, Clone)]
struct Row {
    member: Member,
    words: Words,
    shard: u16,
}

impl Row {
    fn key(&self, rules: &Rules) -> RankKey {
        let words = rules.rank_words_of(&rules.standing_from(&self.words));
        rules.rank_key(words, self.member.clone())
    }

    fn entry(&self, rules: &Rules) -> ShardEntry {
        let reached_at = rules.reached_at(&rules.standing_from(&self.words));
        ShardEntry {
            key: self.key(rules),
            reached_at,
        }
    }
}

/// Rows, best first.
#[derive(Debug, Clone)]
pub(super) struct Small {
    rows: Vec<Row>,
}

impl Small {
    pub(super) const fn new() -> Self {
        Self { rows: Vec::new() }
    }

    pub(super) fn with_room(rows: usize) -> Self {
        Self {
            rows: Vec::with_capacity(rows),
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn of_shard(&self, shard: u16) -> impl Iterator<Item = &Member> {
        self.rows
            .iter()
            .filter(move |row| row.shard == shard)
            .map(|row| &row.member)
    }

    pub(super) fn find(&self, member: &Member) -> Option<u32> {
        let position = self.rows.iter().position(|row| row.member == *member)?;
        u32::try_from(position).ok()
    }

    pub(super) fn standing(&self, rules: &Rules, position: u32) -> Standing {
        rules.standing_from(&self.rows[position as usize].words)
    }

    pub(super) fn holds(&self, position: u32, words: &[u64]) -> bool {
        self.rows[position as usize].words.as_slice() == words
    }

    pub(super) fn insert(&mut self, rules: &Rules, target: MemberRef<'_>, standing: &Standing) {
        // With a million boards of ten members, capacity must not double.
        const SPARE_ROWS: usize = 4;
        if self.rows.len() == self.rows.capacity() {
            self.rows.reserve_exact(SPARE_ROWS.max(self.rows.len() / 4));
        }
        let words = SmallVec::from_slice(rules.standing_words(standing));
        self.position(
            rules,
            Row {
                member: target.member.clone(),
                words,
                shard: target.shard,
            },
        );
    }

    pub(super) fn replace(&mut self, rules: &Rules, position: u32, standing: &Standing) {
        let mut row = self.rows.remove(position as usize);
        row.words = SmallVec::from_slice(rules.standing_words(standing));
        self.position(rules, row);
    }

    pub(super) fn remove(&mut self, position: u32) {
        self.rows.remove(position as usize);
    }

    /// Adds a row that was in a small ranking before, usually the worst so far.
    pub(super) fn push_row(&mut self, rules: &Rules, member: Member, words: &[u64], shard: u16) {
        let row = Row {
            member,
            words: SmallVec::from_slice(words),
            shard,
        };
        let last = self.rows.last();
        if last.is_none_or(|last| last.key(rules) > row.key(rules)) {
            self.rows.push(row);
        } else {
            self.position(rules, row);
        }
    }

    fn position(&mut self, rules: &Rules, row: Row) {
        let key = row.key(rules);
        let position = self.rows.partition_point(|other| other.key(rules) > key);
        self.rows.insert(position, row);
    }

    /// Splits the rows by shard, each still best first.
    pub(super) fn split(self, shards: u16) -> Vec<Self> {
        let mut parts: Vec<Self> = (0..shards).map(|_| Self::new()).collect();
        for row in self.rows {
            parts[usize::from(row.shard)].rows.push(row);
        }
        parts
    }

    /// Returns the rows of one shard, or of all, under their rules.
    pub(super) const fn view<'a>(&'a self, rules: &'a Rules, shard: Option<u16>) -> SmallView<'a> {
        SmallView {
            small: self,
            rules,
            shard,
        }
    }

    /// Returns the position of a bound.
    pub(super) fn locate(&self, rules: &Rules, bound: &Bound) -> usize {
        self.rows
            .partition_point(|row| bound.is_below(&row.key(rules)))
    }

    /// Returns the rank words of the row at this position, if there is one.
    pub(super) fn rank_words(&self, rules: &Rules, position: usize) -> Option<RankWords> {
        let row = self.rows.get(position)?;
        Some(rules.rank_words_of(&rules.standing_from(&row.words)))
    }

    /// Returns the name of the member at this position.
    pub(super) fn name(&self, position: u32) -> &[u8] {
        self.rows[position as usize].member.as_bytes()
    }

    /// Returns the entry at this position.
    pub(super) fn entry(&self, rules: &Rules, position: u32) -> ShardEntry {
        self.rows[position as usize].entry(rules)
    }

    /// Iterates over members and the words of their standings, best first.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&Member, &[u64])> {
        self.rows.iter().map(|row| (&row.member, &row.words[..]))
    }

    pub(super) fn verify(&self, rules: &Rules) -> Vec<(Option<Member>, String)> {
        let wrong = self
            .rows
            .windows(2)
            .filter(|pair| pair[0].key(rules) <= pair[1].key(rules));
        wrong
            .map(|pair| (Some(pair[1].member.clone()), "is out of order".to_owned()))
            .collect()
    }
}

/// A view of the rows of one shard, or of all.
pub(super) struct SmallView<'a> {
    small: &'a Small,
    rules: &'a Rules,
    shard: Option<u16>,
}

impl SmallView<'_> {
    fn rows(&self, until: usize) -> impl Iterator<Item = &Row> {
        let shard = self.shard;
        self.small.rows[..until]
            .iter()
            .filter(move |row| shard.is_none_or(|s| row.shard == s))
    }
}

impl Order for SmallView<'_> {
    fn len(&self) -> usize {
        self.rows(self.small.rows.len()).count()
    }

    fn count_better(&self, bound: &Bound) -> usize {
        self.rows(self.small.locate(self.rules, bound)).count()
    }

    fn find(&self, member: &Member) -> Option<(Standing, RankKey)> {
        let row = self
            .rows(self.small.rows.len())
            .find(|row| row.member == *member)?;
        Some((self.rules.standing_from(&row.words), row.key(self.rules)))
    }

    fn stretch(&self, from: usize, len: usize) -> Vec<ShardEntry> {
        let rows = self.rows(self.small.rows.len()).skip(from).take(len);
        rows.map(|row| row.entry(self.rules)).collect()
    }
}

#[cfg(test)]
mod tests {
    use board::{FieldName, FieldRule, Mode, Ties, Timestamp, Value, Values};

    use super::*;

    #[test]
    fn a_row_out_of_order_is_found() {
        let points = FieldRule::sum(FieldName::new("points").unwrap());
        let rules = Rules::new(vec![points], Mode::Accumulate, Ties::Earliest).unwrap();
        let mut small = Small::new();
        for number in 0..4 {
            let member = Member::new(&format!("u{number}")).unwrap();
            let target = MemberRef {
                member: &member,
                hash: member.placement_hash(),
                shard: 0,
            };
            let points = Values::from(Value::new(number).unwrap());
            small.insert(
                &rules,
                target,
                &rules.standing_of(&points, Timestamp::from_millis(0)),
            );
        }
        assert_eq!(small.verify(&rules), []);
        small.rows.swap(1, 2);
        let expected = Some(Member::new("u2").unwrap());
        assert_eq!(
            small.verify(&rules),
            [(expected, "is out of order".to_owned())]
        );
    }
}
