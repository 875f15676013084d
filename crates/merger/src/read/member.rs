//! One member among its neighbours.
//!
//! Two round trips: its own shard tells where it stands; all others count what is better than that,
//! and send what is next to it. Its own shard is not asked again: its part of the answer is the
//! moment of the first round, when the standing was the one that is shown.

use std::sync::Arc;

use board::{BoardName, Bound, Kind, Member, RankKey, Window};
use shard_store::{Anchor, Ask, Reading, StoreError};

use crate::error::ReadError;
use crate::gather::{Cut, Gathered, Want, part};
use crate::merger::{Answer, Merger};
use crate::ranks::RankedEntry;
use crate::scope::Scope;
use crate::version::Version;

/// A ranked member and those around it.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberView {
    /// Better ones, the member, worse ones: best first.
    pub around: Vec<RankedEntry>,
    /// The place of the member in `around`.
    pub index: usize,
    /// With a target: the entry at that position, where the member stands below it. It is looked at
    /// in a moment of its own: none where by then nobody better than the member shown stands there.
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
    /// A member with so many above and below it; `None` if it is not ranked. With `target`, what
    /// stands at that position too.
    pub async fn member(
        &self,
        board: &BoardName,
        kind: &Arc<Kind>,
        window: Window,
        member: &Member,
        (above, below): (u64, u64),
        target: Option<u64>,
    ) -> Result<Answer<Option<MemberView>>, ReadError> {
        self.on_board(board, kind, window, |scope| async move {
            let Some((gathered, key)) = scope.around(member, above, below).await? else {
                return Ok(Answer {
                    version: Version::UNBORN,
                    as_of: scope.as_of,
                    activity: scope.record.activity,
                    members: 0,
                    value: None,
                });
            };
            let index = gathered
                .entries
                .iter()
                .position(|ranked| ranked.entry.key == key);
            let index = index.ok_or_else(|| lost(member))?;
            let position = gathered.entries[index].position;
            let mut at_target = None;
            if let Some(target) = target.filter(|target| (1..position).contains(target)) {
                at_target = scope
                    .page(target - 1, target)
                    .await?
                    .entries
                    .into_iter()
                    .next()
                    .filter(|there| there.entry.key > key && there.entry.key.member != *member);
            }
            let value = MemberView {
                around: gathered.entries,
                index,
                target: at_target,
            };
            let version = scope.version(&gathered.readings);
            Ok(Answer {
                version,
                as_of: scope.as_of,
                activity: scope.record.activity,
                members: gathered.members,
                value: Some(value),
            })
        })
        .await
    }
}

fn lost(member: &Member) -> StoreError {
    StoreError::Unavailable(format!(
        "a shard sent no entry for {member}, which it ranks"
    ))
}

impl Scope<'_> {
    async fn around(
        &self,
        member: &Member,
        above: u64,
        below: u64,
    ) -> Result<Option<(Gathered, RankKey)>, StoreError> {
        let shard = self.record.shards.shard_of(member.placement_hash());
        let Some((reading, key)) = self.own_part(shard, member, above, below).await? else {
            return Ok(None);
        };
        let cut = Cut::Bound(Bound::key(&key));
        let want = Want::Around {
            before: above,
            after: below + 1,
        };
        let gathered = self.gather(&cut, want, Some((shard, reading))).await?;
        Ok(Some((gathered, key)))
    }

    /// Where the member stands on its shard, with all neighbours that the answer can need, so that
    /// the shard need not be asked again.
    async fn own_part(
        &self,
        shard: u16,
        member: &Member,
        above: u64,
        below: u64,
    ) -> Result<Option<(Reading, RankKey)>, StoreError> {
        let entries = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let ask = Ask {
            anchor: Anchor::Member(member.clone()),
            before: entries(above) + 1,
            after: entries(below) + 1,
        };
        let reading = self.round(vec![(shard, [ask].into())]).await?.pop();
        let Some(reading) = reading else {
            return Ok(None);
        };
        let own = part(&reading);
        let Some(anchor) = own.anchor else {
            return Ok(None);
        };
        let entry = own
            .entries
            .get(entries(anchor - own.start))
            .ok_or_else(|| lost(member))?;
        let key = entry.key.clone();
        Ok(Some((reading, key)))
    }
}
