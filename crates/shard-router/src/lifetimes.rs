//! [`Lifetimes`]: members leave the window without bounds when they have not contributed for the `score_ttl` of their
//! kind.
//!
//! Each board of such a kind is read whole at intervals. Members whose standing is old enough are removed by an item
//! that the shard checks once more (`Change::Expire`): a member who contributes meanwhile stays. Several servers of one
//! store do the same work; a second removal finds nothing.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use board::{Bound, Kind, KindName, Member, Timestamp, Window};
use shard_store::{
    Anchor, BoardRecord, Groups, Query, RangeAsk, ShardEntry, ShardQuery, ShardReading, StoreError,
};

use crate::catalogue::KnownKind;
use crate::moment::Moment;
use crate::router::Router;
use crate::write::WriteOutcome;

/// Members that are read at once.
const PAGE_MEMBERS: usize = 1_000;

/// Boards that are listed at once.
const BOARDS_LISTED: usize = 1_000;

/// Boards are read every 32nd part of the span, within these bounds.
const INTERVAL_PART: u32 = 32;
const INTERVAL_MIN: Duration = Duration::from_secs(1);
const INTERVAL_MAX: Duration = Duration::from_hours(24);

/// How long after a failure the boards of a kind are read again, at most.
const RETRY: Duration = Duration::from_mins(1);

/// Removes members whose time is over, kind by kind.
pub struct Lifetimes {
    router: Arc<Router>,
    /// When the boards of a kind were last read, by the server's clock.
    read_at: HashMap<KindName, Timestamp>,
}

impl Lifetimes {
    /// Creates the sweep of a router's kinds. Each is due at once.
    #[must_use]
    pub fn new(router: Arc<Router>) -> Self {
        Self {
            router,
            read_at: HashMap::new(),
        }
    }

    /// Removes the members whose time is over at a moment from the boards of all kinds that are due. A kind that fails
    /// is tried again a little later; the first failure is returned.
    pub async fn sweep(&mut self, moment: &Moment) -> Result<(), StoreError> {
        let now = moment.now;
        let mut swept = Ok(());
        let kinds = self.router.catalogue().kinds();
        self.read_at
            .retain(|name, _| kinds.iter().any(|kind| kind.name() == name));
        for kind in kinds {
            let Some(ttl) = kind.score_ttl() else {
                continue;
            };
            let interval = (ttl / INTERVAL_PART).clamp(INTERVAL_MIN, INTERVAL_MAX);
            let read_at = self.read_at.get(kind.name());
            // A clock that was set back does not stop it.
            let is_due = read_at.is_none_or(|at| now >= at.plus(interval) || now < *at);
            if is_due {
                let of_kind = self.sweep_kind(&kind, now.minus(ttl), moment).await;
                let waited = match of_kind {
                    Ok(()) => Duration::ZERO,
                    Err(_) => interval.saturating_sub(RETRY),
                };
                self.read_at.insert(kind.name().clone(), now.minus(waited));
                swept = swept.and(of_kind);
            }
        }
        swept
    }

    /// Removes the members of a kind's boards whose standings were reached up to `bound`.
    async fn sweep_kind(
        &self,
        kind: &Kind,
        bound: Timestamp,
        moment: &Moment,
    ) -> Result<(), StoreError> {
        let Some(known) = self.router.catalogue().known(kind.name().as_str()) else {
            return Ok(());
        };
        let mut swept = Ok(());
        let mut after = None;
        loop {
            let boards = self
                .router
                .store()
                .boards(kind.name(), "", after.as_ref(), BOARDS_LISTED)
                .await?;
            for board in &boards {
                // What was final when it ended stays as it is.
                if board.activity.has_ended(moment.now) {
                    continue;
                }
                match self.sweep_board(&known, board, bound, moment).await {
                    // It ended, or was changed: it is read again at its next time.
                    Ok(()) | Err(StoreError::IncarnationEnded | StoreError::SettingsChanged) => {}
                    Err(error) => swept = swept.and(Err(error)),
                }
            }
            match boards.last() {
                Some(last) if boards.len() == BOARDS_LISTED => {
                    after = Some(last.name.subject().clone());
                }
                _ => return swept,
            }
        }
    }

    async fn sweep_board(
        &self,
        known: &KnownKind,
        board: &BoardRecord,
        bound: Timestamp,
        moment: &Moment,
    ) -> Result<(), StoreError> {
        for shard in 0..board.read_as(&known.kind).get() {
            let mut from = None;
            loop {
                let entries = self.page(board, shard, from.as_ref()).await?;
                let is_last = entries.len() < PAGE_MEMBERS;
                from = entries.last().map(|entry| Bound::key(&entry.key));
                let over = entries
                    .into_iter()
                    .filter(|entry| entry.reached_at <= bound)
                    .map(|entry| entry.key.member);
                self.remove(known, board, over.collect(), bound, moment)
                    .await?;
                if is_last {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Reads members of a shard, best first; from a key on, which may be that of the last member of another page.
    async fn page(
        &self,
        board: &BoardRecord,
        shard: u16,
        from: Option<&Bound>,
    ) -> Result<Vec<ShardEntry>, StoreError> {
        let ask = RangeAsk {
            anchor: from.map_or(Anchor::Rank(0), |bound| Anchor::Bound(bound.clone())),
            before: 0,
            after: PAGE_MEMBERS,
        };
        let query = Query {
            window: Window::ALL_TIME,
            unless: None,
            groups: Groups::None,
            ranges: Arc::new([ask]),
        };
        let query = ShardQuery { shard, query };
        let mut readings: Vec<ShardReading> = self
            .router
            .store()
            .read(board, std::slice::from_ref(&query))
            .await?;
        let reading = readings.pop();
        let parts = reading.and_then(|reading| reading.parts);
        let part = parts.and_then(|mut parts| parts.pop());
        Ok(part.map(|part| part.entries).unwrap_or_default())
    }

    /// Removes members of which the shard finds the same.
    async fn remove(
        &self,
        known: &KnownKind,
        board: &BoardRecord,
        members: Vec<Member>,
        bound: Timestamp,
        moment: &Moment,
    ) -> Result<(), StoreError> {
        if members.is_empty() {
            return Ok(());
        }
        let written = self
            .router
            .expire(known, &board.name, members, bound, moment.clone())
            .await;
        // Others were rejected: they have contributed, have left, or the board has ended.
        let failed = written.into_iter().find_map(|outcome| match outcome {
            WriteOutcome::Failed(failure) => Some(failure.to_string()),
            _ => None,
        });
        failed.map_or(Ok(()), |why| Err(StoreError::Unavailable(why)))
    }
}
