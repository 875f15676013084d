//! Reads one member with its neighbours.
//!
//! One step if the store reads whole boards. Otherwise two round trips: its own shard returns its
//! standing; all others count what is better than that, and return the entries next to it. Its own
//! shard is not asked again: its part of the result is from the first round, when the standing was
//! the one that is returned.

use std::sync::Arc;

use board::{BoardName, Bound, Kind, Member, Standing, Window};
use shard_store::{Anchor, RangeAsk, ShardEntry, ShardReading, StoreError};

use crate::gather::{Cut, Gathered, Want, entries, part};
use crate::merger::{Merger, ReadFuture, ReadResult};
use crate::ranks::{MemberStanding, RankedEntry};
use crate::scope::Scope;
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

impl Merger {
    /// Returns a member with this many entries above and below it, if it is ranked. With `target`,
    /// also the entry at that position. For a member without a standing nothing is counted: no
    /// version, no members.
    pub fn member<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        member: &'a Member,
        (above, below): (u64, u64),
        target: Option<u64>,
    ) -> ReadFuture<'a, MemberStanding<MemberView, UnlistedView>> {
        self.on_board(board, kind, window, move |scope| async move {
            match scope.around(member, above, below).await? {
                Around::Unranked(_) | Around::Absent(_) => Ok(ReadResult {
                    version: Version::UNCREATED,
                    ..scope.result(Vec::new(), 0, MemberStanding::NoStanding)
                }),
                Around::Ranked(gathered, own) => scope.found(member, *gathered, own, target).await,
            }
        })
    }

    /// Returns the entries around a member, without a target. For a member without a standing, also returns the version
    /// and the members of the board, which reads every shard.
    pub fn member_of_whole<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        member: &'a Member,
        (above, below): (u64, u64),
    ) -> ReadFuture<'a, MemberStanding<MemberView, UnlistedView>> {
        self.on_board(board, kind, window, move |scope| async move {
            match scope.around(member, above, below).await? {
                Around::Unranked(own) => {
                    let gathered = scope.gather(&Cut::Top, NOTHING, Some(own)).await?;
                    Ok(scope.absent(gathered))
                }
                Around::Absent(gathered) => Ok(scope.absent(*gathered)),
                Around::Ranked(gathered, own) => scope.found(member, *gathered, own, None).await,
            }
        })
    }
}

/// An empty range: only readings.
const NOTHING: Want = Want::Ranks {
    from: 0,
    to: 0,
    cut_at: 0,
    error: 0,
};

/// A member's neighbours.
enum Around {
    /// It has no standing: its shard, and the reading of it.
    Unranked((u16, ShardReading)),
    /// It has no standing, by a reading of the whole board.
    Absent(Box<Gathered>),
    /// Its neighbours, and its own entry.
    Ranked(Box<Gathered>, OwnEntry),
}

/// What a member's own shard returned.
struct OwnEntry {
    entry: ShardEntry,
    standing: Standing,
}

type MemberResult = ReadResult<MemberStanding<MemberView, UnlistedView>>;

fn lost(member: &Member) -> StoreError {
    StoreError::Unavailable(format!(
        "a shard sent no entry for {member}, which it ranks"
    ))
}

impl Scope<'_> {
    /// Assembles the result for a member that has this entry, from what was gathered around it.
    async fn found(
        &self,
        member: &Member,
        gathered: Gathered,
        OwnEntry { entry, standing }: OwnEntry,
        target: Option<u64>,
    ) -> Result<MemberResult, StoreError> {
        let Gathered {
            versions,
            members,
            entries: around,
        } = gathered;
        let index = around
            .iter()
            .position(|ranked| ranked.entry.key == entry.key);
        let position = match index {
            Some(index) => around[index].position,
            None if self.kind.retain().is_some() => self.keep().saturating_add(1),
            None => return Err(lost(member)),
        };
        let mut at_target = None;
        if let Some(target) = target.filter(|target| (1..position).contains(target)) {
            let page = self.page(target - 1, target).await?;
            at_target =
                page.entries.into_iter().next().filter(|there| {
                    there.entry.key > entry.key && there.entry.key.member != *member
                });
        }
        let value = match index {
            Some(index) => MemberStanding::Ranked(MemberView {
                around,
                index,
                standing,
                target: at_target,
            }),
            None => MemberStanding::Unlisted(UnlistedView {
                entry,
                standing,
                target: at_target,
            }),
        };
        Ok(self.result(versions, members, value))
    }

    fn absent(&self, gathered: Gathered) -> MemberResult {
        let value = MemberStanding::NoStanding;
        self.result(gathered.versions, gathered.members, value)
    }

    /// Reads the neighbours of the member, and its entry, if it has one.
    async fn around(&self, member: &Member, above: u64, below: u64) -> Result<Around, StoreError> {
        if let Some(around) = self.around_at_once(member, above, below).await? {
            return Ok(around);
        }
        let shard = self.placement().shard_of(member.placement_hash());
        let reading = self.own_part(shard, member, above, below).await?;
        let own = part(&reading);
        let (cut, want, entry) = match (own.anchor, &own.unlisted) {
            (None, None) => return Ok(Around::Unranked((shard, reading))),
            (None, Some(entry)) => (Cut::Top, NOTHING, entry.clone()),
            (Some(anchor), _) => {
                let index = usize::try_from(anchor - own.start).ok();
                let entry = index.and_then(|index| own.entries.get(index));
                let entry = entry.ok_or_else(|| lost(member))?.clone();
                let around = Want::Around {
                    before: above,
                    after: below + 1,
                };
                (Cut::Bound(Bound::key(&entry.key)), around, entry)
            }
        };
        let standing = own.standing.ok_or_else(|| lost(member))?;
        let gathered = self.gather(&cut, want, Some((shard, reading))).await?;
        Ok(Around::Ranked(
            Box::new(gathered),
            OwnEntry { entry, standing },
        ))
    }

    /// Reads them in one step, if the store reads boards so.
    async fn around_at_once(
        &self,
        member: &Member,
        above: u64,
        below: u64,
    ) -> Result<Option<Around>, StoreError> {
        let ask = RangeAsk {
            anchor: Anchor::Member(member.clone()),
            before: entries(above),
            after: entries(below).saturating_add(1),
        };
        let Some(reading) = self.read_board(&ask).await? else {
            return Ok(None);
        };
        let part = &reading.part;
        let Some(anchor) = part.anchor else {
            return Ok(Some(Around::Absent(Box::new(self.gathered(reading)))));
        };
        let own = part.entries.get(entries(anchor - part.start)).cloned();
        let (Some(entry), Some(standing)) = (own, part.standing) else {
            return Err(lost(member));
        };
        let gathered = Box::new(self.gathered(reading));
        let own = OwnEntry { entry, standing };
        Ok(Some(Around::Ranked(gathered, own)))
    }

    /// Reads the member from its shard, with all neighbours that the result can need, so that the
    /// shard is not asked again.
    async fn own_part(
        &self,
        shard: u16,
        member: &Member,
        above: u64,
        below: u64,
    ) -> Result<ShardReading, StoreError> {
        let ask = RangeAsk {
            anchor: Anchor::Member(member.clone()),
            before: entries(above) + 1,
            after: entries(below) + 1,
        };
        let reading = self.round(&[self.query(shard, [ask])]).await?.pop();
        reading.ok_or_else(|| lost(member))
    }
}
