//! One member among its neighbours.
//!
//! Two round trips: its own shard tells where it stands; all others count what is better than that,
//! and send what is next to it. Its own shard is not asked again: its part of the answer is the
//! moment of the first round, when the standing was the one that is shown.

use std::sync::Arc;

use board::{BoardName, Bound, Kind, Member, Standing, Window};
use shard_store::{Anchor, Ask, Entry, Reading, StoreError};

use crate::gather::{Cut, Gathered, Want, part};
use crate::merger::{Answer, AnswerFuture, Merger};
use crate::ranks::{Found, RankedEntry};
use crate::scope::Scope;
use crate::version::Version;

/// A ranked member and those around it.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberView {
    /// Better ones, the member, worse ones: best first.
    pub around: Vec<RankedEntry>,
    /// The place of the member in `around`.
    pub index: usize,
    /// Its standing.
    pub standing: Standing,
    /// With a target: the entry at that position, where the member stands below it. It is looked at
    /// in a moment of its own: none where by then nobody better than the member shown stands there.
    pub target: Option<RankedEntry>,
}

/// A member who has a standing and is not on the list of a kind that ranks only its best.
#[derive(Debug, Clone, PartialEq)]
pub struct UnlistedView {
    /// Its entry, as it would be.
    pub entry: Entry,
    /// Its standing.
    pub standing: Standing,
    /// As [`MemberView::target`].
    pub target: Option<RankedEntry>,
}

impl MemberView {
    /// The member's own entry.
    #[must_use]
    pub fn own(&self) -> &RankedEntry {
        &self.around[self.index]
    }
}

impl Merger {
    /// A member with so many above and below it, if it is ranked. With `target`, what stands at that
    /// position too. Of one who has no standing nothing is counted: no version, no members.
    pub fn member<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        member: &'a Member,
        (above, below): (u64, u64),
        target: Option<u64>,
    ) -> AnswerFuture<'a, Found<MemberView, UnlistedView>> {
        self.on_board(board, kind, window, move |scope| async move {
            match scope.around(member, above, below).await? {
                Around::Nobody(_) => Ok(scope.nobody(Version::UNCREATED, 0)),
                Around::There(gathered, own) => scope.found(member, *gathered, own, target).await,
            }
        })
    }

    /// The same without a target, and of one who has no standing with the version and the members of the
    /// board: a look at every shard for that, too.
    pub fn member_of_whole<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        member: &'a Member,
        (above, below): (u64, u64),
    ) -> AnswerFuture<'a, Found<MemberView, UnlistedView>> {
        self.on_board(board, kind, window, move |scope| async move {
            match scope.around(member, above, below).await? {
                Around::Nobody(own) => {
                    let gathered = scope.gather(&Cut::Top, NOTHING, Some(own)).await?;
                    let version = scope.version(&gathered.readings);
                    Ok(scope.nobody(version, gathered.members))
                }
                Around::There(gathered, own) => scope.found(member, *gathered, own, None).await,
            }
        })
    }
}

/// No stretch: readings alone.
const NOTHING: Want = Want::Ranks {
    from: 0,
    to: 0,
    cut_at: 0,
};

/// What there is around a member.
enum Around {
    /// It has no standing: its shard, and how that was seen.
    Nobody((u16, Reading)),
    /// Its neighbours, and its own.
    There(Box<Gathered>, Own),
}

/// What a member's own shard says of it.
struct Own {
    entry: Entry,
    standing: Standing,
}

type Seen = Answer<Found<MemberView, UnlistedView>>;

fn lost(member: &Member) -> StoreError {
    StoreError::Unavailable(format!(
        "a shard sent no entry for {member}, which it ranks"
    ))
}

impl Scope<'_> {
    /// What there is of a member who has this entry among what was gathered around it.
    async fn found(
        &self,
        member: &Member,
        gathered: Gathered,
        Own { entry, standing }: Own,
        target: Option<u64>,
    ) -> Result<Seen, StoreError> {
        let (version, members) = (self.version(&gathered.readings), gathered.members);
        let around = gathered.entries;
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
            Some(index) => Found::Ranked(MemberView {
                around,
                index,
                standing,
                target: at_target,
            }),
            None => Found::Unlisted(UnlistedView {
                entry,
                standing,
                target: at_target,
            }),
        };
        Ok(Answer {
            version,
            as_of: self.as_of,
            activity: self.record.activity,
            members,
            value,
        })
    }

    fn nobody(&self, version: Version, members: u64) -> Seen {
        Answer {
            version,
            as_of: self.as_of,
            activity: self.record.activity,
            members,
            value: Found::NotRanked,
        }
    }

    /// What is around the member, and its entry, where it has one.
    async fn around(&self, member: &Member, above: u64, below: u64) -> Result<Around, StoreError> {
        let shard = self.record.shards.shard_of(member.placement_hash());
        let reading = self.own_part(shard, member, above, below).await?;
        let own = part(&reading);
        let (cut, want, entry) = match (own.anchor, &own.unlisted) {
            (None, None) => return Ok(Around::Nobody((shard, reading))),
            (None, Some(entry)) => (Cut::Top, NOTHING, entry.clone()),
            (Some(anchor), _) => {
                let place = usize::try_from(anchor - own.start).ok();
                let entry = place.and_then(|place| own.entries.get(place));
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
        Ok(Around::There(Box::new(gathered), Own { entry, standing }))
    }

    /// Where the member stands on its shard, with all neighbours that the answer can need, so that
    /// the shard need not be asked again.
    async fn own_part(
        &self,
        shard: u16,
        member: &Member,
        above: u64,
        below: u64,
    ) -> Result<Reading, StoreError> {
        let entries = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let ask = Ask {
            anchor: Anchor::Member(member.clone()),
            before: entries(above) + 1,
            after: entries(below) + 1,
        };
        let reading = self.round(vec![(shard, [ask].into())]).await?.pop();
        reading.ok_or_else(|| lost(member))
    }
}
