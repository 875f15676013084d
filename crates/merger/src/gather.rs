//! [`ReadContext::gather`]: fetches a range of a board from its shards, and proves that it is complete. A
//! page, a neighbourhood, a score range and a top are each one `gather`, unless the store reads the
//! whole board in one step ([`ReadContext::at_once`]).
//!
//! Members are hashed, so a range of n entries of the whole board has about n/N on each shard, give
//! or take √(n/N). Every shard is asked for that much around one cut of the order; the parts are
//! merged; and only shards whose part may lack entries of the range are asked again, from scratch
//! and for more. A part is the contents of its shard at one moment, independent of earlier rounds.
//!
//! ```text
//!   shard 0   ·····[──|────]········       | the cut: everything left of it is better
//!   shard 1   ···[────|──]·····            [ ] what was fetched
//!   shard 2   ········[|─────]···
//!   merged         └──page──┘              proven: no shard has unfetched entries inside
//! ```

use board::Bound;
use pacing::spend;
use shard_store::{
    Anchor, RangeAsk, RangePart, ShardEntry, ShardQuery, ShardReading, ShardVersion, StoreError,
};

use crate::kway::merge;
use crate::merger::ReadResult;
use crate::ranks::{RankedEntry, ranked};
use crate::read_context::{ReadContext, fetched};
use crate::version::Version;

/// Standard deviations of a shard's share that are fetched in the first round from the top, where
/// cached boards are merged: enough for all of 64 shards nine times in ten, at twice the entries
/// that are returned.
const SPREAD: f64 = 3.5;

/// The spread elsewhere. Ranges are short there and other rounds precede: entries are cheaper than
/// another round. With [`SPARE`] it is insufficient once in a hundred thousand times.
const WIDE_SPREAD: f64 = 5.0;

/// The same around an estimated rank, whose deviation is added to that of the shares: of ten thousand
/// ranges one takes another round.
const ESTIMATED_SPREAD: f64 = 4.5;

/// Entries beyond [`WIDE_SPREAD`], for shares so small that their distribution has a long tail.
const SPARE: f64 = 3.0;

/// Standard deviations of the cut's rank beyond which no entries are fetched.
const ERRORS_MAX: u64 = 5;

/// The spread on a store in this process, where another round for a few shards is cheaper than
/// entries of all.
const LOCAL_SPREAD: f64 = 1.5;

/// Entries beyond [`LOCAL_SPREAD`].
const LOCAL_SPARE: f64 = 1.0;

/// Rounds until a range is given up. Each asks for twice as much, so only a board that changes much
/// faster than it can be read gets there.
const ROUNDS_MAX: usize = 40;

/// Where the order is cut.
#[derive(Debug, Clone)]
pub(crate) enum Cut {
    /// Above everything.
    Top,
    /// At this local rank of every shard; useful only if there is one shard.
    Rank(u64),
    /// Below everything better than the bound.
    Bound(Bound),
}

impl Cut {
    pub(crate) fn anchor(&self) -> Anchor {
        match self {
            Self::Top => Anchor::Rank(0),
            Self::Rank(rank) => Anchor::Rank(*rank),
            Self::Bound(bound) => Anchor::Bound(bound.clone()),
        }
    }
}

/// The range to fetch.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Want {
    /// This many entries above the cut, and this many below it.
    Around { before: u64, after: u64 },
    /// The entries from one rank to another (from 0, end excluded); the cut is assumed to be at
    /// `cut_at`, with a standard deviation of `error`.
    Ranks {
        from: u64,
        to: u64,
        cut_at: u64,
        error: u64,
    },
}

/// A complete range.
pub(crate) struct Gathered {
    /// The version of each shard, in order.
    pub(crate) versions: Vec<ShardVersion>,
    /// Ranked members of the whole board.
    pub(crate) members: u64,
    /// How many of the entries are above the cut.
    pub(crate) above: usize,
    /// The entries of the range.
    pub(crate) entries: Vec<RankedEntry>,
}

/// How many entries one shard is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Reach {
    before: usize,
    after: usize,
}

impl Reach {
    fn ask(self, cut: &Cut) -> RangeAsk {
        RangeAsk {
            anchor: cut.anchor(),
            before: self.before,
            after: self.after,
        }
    }
}

/// Returns how many entries to fetch from a shard whose expected share is `mean`, give or take
/// `error`, and which has at most `entries`.
fn share(mean: f64, error: f64, entries: u64, spread: f64, spare: f64) -> usize {
    // Boards have far fewer than 2^52 entries, and the share is an estimate that is proven later.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let guess = (mean + spread * (mean + error * error).sqrt() + spare).ceil() as u64;
    usize::try_from(guess.min(entries)).unwrap_or(usize::MAX)
}

/// Converts a number of entries.
pub(crate) fn entries(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// Converts a count to a number for estimates.
#[expect(clippy::cast_precision_loss)]
const fn guess(count: u64) -> f64 {
    count as f64
}

impl ReadContext<'_> {
    /// Returns a read's result: all entries of a range.
    pub(crate) fn answer(&self, gathered: Gathered) -> ReadResult<Vec<RankedEntry>> {
        self.result(gathered.versions, gathered.members, gathered.entries)
    }

    /// Fetches the range around a cut. `fixed` is an earlier reading of one shard that reaches far
    /// enough and has the first entry from the cut on, so that others have one less of the range.
    pub(crate) async fn gather(
        &self,
        cut: &Cut,
        want: Want,
        fixed: Option<(u16, ShardReading)>,
    ) -> Result<Gathered, StoreError> {
        if fixed.is_none()
            && let Want::Around { before, after } = want
            && let Some(gathered) = self.at_once(cut.anchor(), before, after).await?
        {
            return Ok(gathered);
        }
        let mut readings: Vec<Option<ShardReading>> = vec![None; usize::from(self.shards())];
        let mut reach = self.first_reach(cut, want);
        if let Some((shard, reading)) = fixed {
            readings[usize::from(shard)] = Some(reading);
            reach = match want {
                Want::Around { before, after } if after > 1 => {
                    let after = after - 1;
                    self.first_reach(cut, Want::Around { before, after })
                }
                _ => reach,
            };
        }
        self.gather_from(cut, want, reach, readings).await
    }

    /// Fetches the range around a cut; `None` if no shard has changed since `known`.
    pub(crate) async fn gather_unless(
        &self,
        cut: &Cut,
        want: Want,
        known: &Version,
    ) -> Result<Option<Gathered>, StoreError> {
        let reach = self.first_reach(cut, want);
        let readings = self.round_unless([reach.ask(cut)].into(), known).await?;
        if readings.iter().all(|reading| reading.parts.is_none()) {
            return Ok(None);
        }
        let changed = |reading: ShardReading| reading.parts.is_some().then_some(reading);
        let readings = readings.into_iter().map(changed).collect();
        let gathered = self.gather_from(cut, want, reach, readings).await?;
        Ok(Some(gathered))
    }

    async fn gather_from(
        &self,
        cut: &Cut,
        want: Want,
        reach: Reach,
        mut readings: Vec<Option<ShardReading>>,
    ) -> Result<Gathered, StoreError> {
        let mut reaches = vec![reach; readings.len()];
        for _ in 0..ROUNDS_MAX {
            let queries = self.queries_of_missing(cut, &readings, &reaches);
            if !queries.is_empty() {
                let answers = self.round(&queries).await?;
                for (asked, reading) in queries.iter().zip(answers) {
                    readings[usize::from(asked.shard)] = Some(reading);
                }
            }
            let whole: Vec<ShardReading> = readings.into_iter().flatten().collect();
            spend(fetched(&whole)).await;
            match self.prove(&whole, want, &mut reaches) {
                Ok(gathered) => return Ok(gathered),
                Err(short) => {
                    readings = whole.into_iter().map(Some).collect();
                    for shard in short {
                        readings[shard] = None;
                    }
                }
            }
        }
        Err(StoreError::Unavailable(
            "the board changes faster than it can be read".to_owned(),
        ))
    }

    /// Returns the queries of the shards without a reading. Those of equal reach share their ask.
    fn queries_of_missing(
        &self,
        cut: &Cut,
        readings: &[Option<ShardReading>],
        reaches: &[Reach],
    ) -> Vec<ShardQuery> {
        let mut queries: Vec<ShardQuery> = Vec::with_capacity(readings.len());
        let mut last: Option<Reach> = None;
        for (shard, reach) in (0..).zip(reaches) {
            if readings[usize::from(shard)].is_some() {
                continue;
            }
            let query = match queries.last() {
                Some(other) if last == Some(*reach) => {
                    self.query(shard, other.query.ranges.clone())
                }
                _ => self.query(shard, [reach.ask(cut)]),
            };
            last = Some(*reach);
            queries.push(query);
        }
        queries
    }

    fn first_reach(&self, cut: &Cut, want: Want) -> Reach {
        let (before, after, error) = match want {
            Want::Around { before, after } => (before, after, 0),
            Want::Ranks {
                from,
                to,
                cut_at,
                error,
            } => (
                cut_at.saturating_sub(from),
                to.saturating_sub(cut_at),
                error,
            ),
        };
        let (spread, spare) = match cut {
            _ if self.reads_whole => (LOCAL_SPREAD, LOCAL_SPARE),
            Cut::Top => (SPREAD, 0.0),
            Cut::Bound(_) if error > 0 => (ESTIMATED_SPREAD, SPARE),
            Cut::Rank(_) | Cut::Bound(_) => (WIDE_SPREAD, SPARE),
        };
        let of_one = |entries: u64| {
            let of_shard = |count| guess(count) / f64::from(self.shards());
            let entries_max = entries.saturating_add(error.saturating_mul(ERRORS_MAX));
            share(
                of_shard(entries),
                of_shard(error),
                entries_max,
                spread,
                spare,
            )
        };
        // With shared ranks, one entry above the range shows where its first group begins.
        Reach {
            before: of_one(before) + usize::from(self.shares_ranks()),
            after: of_one(after),
        }
    }

    /// Returns the range, or the shards that have to be asked for more, with their reach widened.
    fn prove(
        &self,
        readings: &[ShardReading],
        want: Want,
        reaches: &mut [Reach],
    ) -> Result<Gathered, Vec<usize>> {
        let members = self.members_of(readings);
        let cut: u64 = readings
            .iter()
            .map(|reading| part(reading).anchor.unwrap_or(0))
            .sum();
        let base: u64 = readings.iter().map(|reading| part(reading).start).sum();
        let (from, to) = match want {
            Want::Around { before, after } => (cut.saturating_sub(before), cut + after),
            Want::Ranks { from, to, .. } => (from, to),
        };
        let (from, to) = (from.min(members), to.min(members));

        let mut seen = vec![MergedRanks::default(); readings.len()];
        let mut stretch: Vec<&ShardEntry> = Vec::new();
        let merged = merge(
            readings
                .iter()
                .map(|reading| part(reading).entries.as_slice()),
        );
        for (rank, (shard, entry)) in (base..to).zip(merged) {
            seen[shard].see(rank);
            if rank >= from {
                stretch.push(entry);
            }
        }
        let mut short = Vec::new();
        // An empty stretch has nothing to prove.
        for (shard, reading) in readings.iter().enumerate().filter(|_| from < to) {
            let (low, high) = seen[shard].proven(part(reading), reading.members, cut);
            let reach = &mut reaches[shard];
            let part_of_all = seen[shard].part_of_all(self.shards());
            if low > from {
                reach.before = wider(reach.before, low - from, part_of_all);
            }
            if high < to {
                reach.after = wider(reach.after, to - high, part_of_all);
            }
            if low > from || high < to {
                short.push(shard);
            }
        }
        if short.is_empty() {
            Ok(Gathered {
                versions: readings.iter().map(|reading| reading.version).collect(),
                members,
                above: entries(cut.saturating_sub(from)),
                entries: self.rank(readings, &stretch, from),
            })
        } else {
            Err(short)
        }
    }

    fn rank(
        &self,
        readings: &[ShardReading],
        stretch: &[&ShardEntry],
        from: u64,
    ) -> Vec<RankedEntry> {
        let rules = self.kind.rules();
        let better = match stretch.first() {
            Some(first) if self.shares_ranks() => {
                let fields = rules.field_words(&first.key.words);
                let parts = readings.iter().map(part);
                parts.map(|part| self.better_in(&fields, part)).sum()
            }
            _ => from,
        };
        let entries = stretch.iter().map(|entry| (*entry).clone());
        ranked(rules, self.kind.rank_style(), entries, from + 1, better)
    }
}

/// The ranks of the entries of one shard in the merged list.
#[derive(Debug, Clone, Copy, Default)]
struct MergedRanks {
    first: Option<u64>,
    last: u64,
    count: usize,
}

impl MergedRanks {
    fn see(&mut self, rank: u64) {
        self.first.get_or_insert(rank);
        self.last = rank;
        self.count += 1;
    }

    /// Returns the shard's share of the merged entries.
    fn part_of_all(self, shards: u16) -> f64 {
        match self.first {
            Some(first) if self.count > 1 => {
                guess(self.count as u64) / guess(self.last - first + 1)
            }
            _ => 1.0 / f64::from(shards),
        }
    }

    /// Returns the ranks (end excluded) between which the shard has no unfetched entries. Entries
    /// before its part are better than its first entry and than the cut; entries after it are worse
    /// than its last entry and than the cut.
    fn proven(self, part: &RangePart, members: u64, cut: u64) -> (u64, u64) {
        let anchor = part.anchor.unwrap_or(0);
        let end = part.start + part.entries.len() as u64;
        let low = match self.first {
            _ if part.start == 0 => 0,
            _ if part.start == anchor => cut,
            // The entries fetched from above the cut are merged after the range, before the cut.
            None => cut,
            Some(first) => first,
        };
        let high = if end >= members || self.count < part.entries.len() {
            u64::MAX
        } else if end == anchor {
            cut
        } else {
            self.last + 1
        };
        (low, high)
    }
}

/// Returns a reach that covers the shard's share of what is missing, and at least twice the old
/// one.
fn wider(reach: usize, missing: u64, part_of_all: f64) -> usize {
    const FEW: usize = 4;
    let share = share(
        guess(missing) * part_of_all,
        0.0,
        missing,
        WIDE_SPREAD,
        SPARE,
    );
    let missing = usize::try_from(missing).unwrap_or(usize::MAX);
    reach.saturating_add(share.max(reach).max(FEW).min(missing))
}

/// Returns the part of the cut's own ask.
pub(crate) fn part(reading: &ShardReading) -> &RangePart {
    reading
        .parts
        .as_ref()
        .and_then(|parts| parts.first())
        .expect("every query had an ask")
}
