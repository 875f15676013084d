//! Reads one member with its neighbours.
//!
//! One step if the store reads whole boards. Otherwise two round trips: its own shard returns its
//! standing; all others count what is better than that, and return the entries next to it. Its own
//! shard is not asked again: its part of the result is from the first round, when the standing was
//! the one that is returned.

use std::sync::Arc;

use board::{BoardName, Bound, Kind, Member, Standing, Window};
use shard_store::{Anchor, RangeAsk, RangePart, ShardEntry, ShardReading, StoreError};

use crate::gather::{Cut, Gathered, Want, entries, part};
use crate::merger::{Merger, ReadFuture, ReadResult};
use crate::ranks::{MemberStanding, RankedEntry};
use crate::read_context::ReadContext;
use crate::version::Version;

/// A ranked member and its neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberView {
    /// Better entries, the member, worse entries: best first.
    pub around: Vec<RankedEntry>,
    /// The index of the member in `around`.
    pub index: usize,
    /// Its standing.
    pub standing: Standing,
    /// With a target: the entry at that position, if the member is below it. It is read at a later
    /// moment: `None` if by then the entry at that position is not better than the member.
    pub target: Option<RankedEntry>,
}

/// A member that has a standing but is not on the list of a kind that ranks only its best.
#[derive(Debug, Clone, PartialEq)]
pub struct UnlistedView {
    /// Its entry, as it would be.
    pub entry: ShardEntry,
    /// Its standing.
    pub standing: Standing,
    /// See [`MemberView::target`].
    pub target: Option<RankedEntry>,
}

impl MemberView {
    /// Returns the member's own entry.
    #[must_use]
    pub fn own(&self) -> &RankedEntry {
        &self.around[self.index]
    }
}

/// What is read of a member.
#[derive(Debug, Clone, Copy, Default)]
pub struct MemberAsk {
    /// Maximum better entries.
    pub above: u64,
    /// Maximum worse entries.
    pub below: u64,
    /// The position whose entry is read, too, if the member is below it.
    pub target: Option<u64>,
    /// Whether the version and the members of the board are also read for a member without a standing, which reads
    /// every shard.
    pub counts_without_standing: bool,
}

impl From<(u64, u64)> for MemberAsk {
    /// Asks for so many entries above and below.
    fn from((above, below): (u64, u64)) -> Self {
        Self {
            above,
            below,
            ..Self::default()
        }
    }
}

impl Merger {
    /// Returns a member with its neighbours, if it is ranked.
    pub fn member<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        member: &'a Member,
        ask: impl Into<MemberAsk>,
    ) -> ReadFuture<'a, MemberStanding<MemberView, UnlistedView>> {
        let ask = ask.into();
        let read = move |context: ReadContext<'a>| async move { context.member(member, ask).await };
        self.on_board(board, kind, window, read)
    }
}

fn lost(member: &Member) -> StoreError {
    StoreError::Unavailable(format!(
        "a shard sent no entry for {member}, which it ranks"
    ))
}

/// Returns the standing and the entry of the member that was asked for, if it has one.
fn own(part: &RangePart, member: &Member) -> Result<Option<(Standing, ShardEntry)>, StoreError> {
    let entry = match (part.anchor, &part.unlisted) {
        (None, None) => return Ok(None),
        (None, Some(unlisted)) => Some(unlisted),
        (Some(anchor), _) => part.entries.get(entries(anchor - part.start)),
    };
    let own = part.standing.zip(entry.cloned());
    own.map(Some).ok_or_else(|| lost(member))
}

impl ReadContext<'_> {
    async fn member(
        &self,
        member: &Member,
        ask: MemberAsk,
    ) -> Result<ReadResult<MemberStanding<MemberView, UnlistedView>>, StoreError> {
        let range = RangeAsk {
            anchor: Anchor::Member(member.clone()),
            before: entries(ask.above),
            after: entries(ask.below).saturating_add(1),
        };
        let nothing = || ReadResult {
            version: Version::UNCREATED,
            ..self.result(Vec::new(), 0, MemberStanding::NoStanding)
        };
        let (own, gathered) = if let Some(reading) = self.read_board(&range).await? {
            let own = own(&reading.part, member)?;
            if own.is_none() && !ask.counts_without_standing {
                return Ok(nothing());
            }
            (own, self.gathered(reading))
        } else {
            let shard = self.placement().shard_of(member.placement_hash());
            let reading = self.own_reading(shard, range).await?;
            let reading = reading.ok_or_else(|| lost(member))?;
            let own = own(part(&reading), member)?;
            if own.is_none() && !ask.counts_without_standing {
                return Ok(nothing());
            }
            let ranked = own.as_ref().filter(|_| part(&reading).anchor.is_some());
            let (cut, before, after) = match ranked {
                Some((_, entry)) => {
                    let cut = Cut::Bound(Bound::key(&entry.key));
                    (cut, ask.above, ask.below + 1)
                }
                None => (Cut::Top, 0, 0),
            };
            let want = Want::Around { before, after };
            let gathered = self.gather(&cut, want, Some((shard, reading))).await?;
            (own, gathered)
        };
        let Gathered {
            versions,
            members,
            above: index,
            entries: around,
        } = gathered;
        let Some((standing, entry)) = own else {
            return Ok(self.result(versions, members, MemberStanding::NoStanding));
        };
        // The member is the first entry from the cut on.
        let listed = around.get(index).filter(|at| at.entry.key == entry.key);
        let position = match listed {
            Some(listed) => listed.position,
            None if self.kind.retain().is_some() => self.keep().saturating_add(1),
            None => return Err(lost(member)),
        };
        let is_listed = listed.is_some();
        let mut target = None;
        if let Some(at) = ask.target.filter(|at| (1..position).contains(at)) {
            let page = self.page(at - 1, at).await?;
            let there = page.entries.into_iter().next();
            target = there
                .filter(|there| there.entry.key > entry.key && there.entry.key.member != *member);
        }
        let value = if is_listed {
            MemberStanding::Ranked(MemberView {
                around,
                index,
                standing,
                target,
            })
        } else {
            MemberStanding::Unlisted(UnlistedView {
                entry,
                standing,
                target,
            })
        };
        Ok(self.result(versions, members, value))
    }

    /// Reads the member from its shard, with all neighbours that the result can need, so that the
    /// shard is not asked again.
    async fn own_reading(
        &self,
        shard: u16,
        range: RangeAsk,
    ) -> Result<Option<ShardReading>, StoreError> {
        let ask = RangeAsk {
            before: range.before + 1,
            ..range
        };
        Ok(self.round(&[self.query(shard, [ask])]).await?.pop())
    }
}
