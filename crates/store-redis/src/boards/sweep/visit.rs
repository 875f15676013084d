//! The visit of one board: what is past its time, and when it is due next.

use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, Kind, Timestamp, Window};
use bytes::Bytes;
use tokio::time::Instant;

use super::{Next, Sweep};
use crate::boards::registry::{After, Record};
use crate::boards::retention::{LINGER, gone_at, time_to_live_ms, untouched_max};
use crate::boards::shards::{Freeze, Shards, Spent, Survey};
use crate::boards::spread;
use crate::lists::List;
use shard_store::{BoardRecord, BoardSettings, StoreError};

/// The maximum time between two visits of a board. Windows that were not reported are dropped that
/// late.
const DUE_MAX: Duration = Duration::from_hours(24);

/// Returns when a board is visited again that was written to while it was visited: at the next sweep.
fn soon(now: Timestamp) -> Timestamp {
    now.plus(Duration::from_millis(1))
}

/// Returns that a board is not due any more if it has ended, and else soon: it was written to, or changed.
fn unless_ended(ended: bool, now: Timestamp) -> Next {
    (!ended).then(|| soon(now))
}

/// The visit of a board.
struct Visit<'a> {
    sweep: &'a Sweep,
    record: &'a Record,
    kind: &'a Arc<Kind>,
    now: Timestamp,
    surveys: Vec<Survey>,
}

impl Sweep {
    /// Drops what is past its time of one board.
    pub(super) async fn visit(
        &self,
        name: &BoardName,
        kind: &Arc<Kind>,
        now: Timestamp,
    ) -> Result<Next, StoreError> {
        let Some(record) = self.parts.registry.board(name).await? else {
            return Ok(None);
        };
        if record.board.activity.has_expired(now) {
            let until = Instant::now() + self.parts.settings.write_deadline;
            let after = after(&record, kind, now)?;
            let ended = self.end_incarnation(&record, false, after, until).await?;
            // Otherwise its activity was just changed.
            return Ok(unless_ended(ended, now));
        }
        if !record.board.created {
            return self.visit_uncreated(&record, kind, now).await;
        }
        match self.survey(&record).await {
            // The registry has lost the end of this incarnation: it is ended again.
            Err(StoreError::IncarnationEnded) => {
                let until = Instant::now() + self.parts.settings.write_deadline;
                let after = after(&record, kind, now)?;
                let removed = self.end_incarnation(&record, true, after, until).await?;
                Ok(unless_ended(removed, now))
            }
            surveys => {
                let mut visit = Visit {
                    sweep: self,
                    record: &record,
                    kind,
                    now,
                    surveys: surveys?,
                };
                visit.work().await
            }
        }
    }

    /// Ends a board to which nothing was ever applied, and keeps the settings that it had, with
    /// their times.
    pub(crate) async fn withdraw(&self, board: &BoardRecord) -> Result<(), StoreError> {
        let kind = self.parts.registry.kind(board.name.kind()).await?;
        let (Some(record), Some(kind)) = (
            self.parts.registry.board(&board.name).await?,
            kind.and_then(|record| record.kind),
        ) else {
            return Ok(());
        };
        if record.board.incarnation != board.incarnation || !record.board.created {
            return Ok(());
        }
        let visit = Visit {
            sweep: self,
            record: &record,
            kind: &kind,
            // Nothing of it depends on the time.
            now: record.touched,
            surveys: self.survey(&record).await?,
        };
        if visit.written().is_some() {
            return Ok(());
        }
        let kept = visit.kept()?;
        visit.end(Spent::Nothing, kept).await.map(drop)
    }

    async fn visit_uncreated(
        &self,
        record: &Record,
        kind: &Kind,
        now: Timestamp,
    ) -> Result<Next, StoreError> {
        let end = record.board.activity.settings_kept_until(record.at);
        if now < end {
            return Ok(Some(end));
        }
        // Settings that were made again meanwhile are another incarnation, with its own time.
        let until = Instant::now() + self.parts.settings.write_deadline;
        let after = after(record, kind, now)?;
        self.end_incarnation(record, true, after, until).await?;
        Ok(None)
    }

    /// Returns the content of all shards, or an error at once if a node is not connected: neither other boards that are
    /// due nor a request wait for it.
    async fn survey(&self, record: &Record) -> Result<Vec<Survey>, StoreError> {
        self.shards(record).check_connected()?;
        if let Some(bound) = record.emptying {
            // The server that began it has stopped.
            self.empty(record, bound).await?;
        }
        let shards = self.shards(record);
        shards.each(|shard| shards.survey(shard)).await
    }

    /// Empties the window without bounds on all shards of a board for which that was decided.
    async fn empty(&self, record: &Record, bound: Timestamp) -> Result<(), StoreError> {
        let shards = self.shards(record);
        shards.empty_all(bound, &self.parts.session).await?;
        let registry = &self.parts.registry;
        registry.end_emptying(&record.board, bound).await
    }
}

impl Visit<'_> {
    async fn work(&mut self) -> Result<Next, StoreError> {
        if let Some((end, idle)) = self.over_at()
            && self.now >= end
        {
            return self.end_idle(idle).await;
        }
        self.drop_windows().await?;
        self.renew_windows().await?;
        self.refill_lists();
        let idle = self.is_idle();
        if idle && self.surveys.iter().any(|held| held.ranked > 0) && !self.empty_idle().await? {
            return Ok(Some(soon(self.now)));
        }
        let end = self.may_end_at(idle);
        if end.is_some_and(|end| self.now >= end) {
            let kept = self.kept()?;
            let spent = if idle {
                Spent::IdleWindow
            } else {
                Spent::Nothing
            };
            let ended = self.end(spent, kept).await?;
            return Ok(unless_ended(ended, self.now));
        }
        Ok(Some(self.next(idle, end)))
    }

    /// Windows that one shard drops are closed on all, also if they never had a member there.
    async fn drop_windows(&mut self) -> Result<(), StoreError> {
        let all = self.surveys.iter().flat_map(|held| &held.windows).copied();
        let mut gone: Vec<Window> = all
            .filter(|window| self.kind.is_expired(*window, self.now))
            .collect();
        gone.sort_unstable();
        gone.dedup();
        if gone.is_empty() {
            return Ok(());
        }
        let shards = self.shards();
        let drop = |shard| shards.drop_windows(shard, &gone);
        shards.each(drop).await?;
        for held in &mut self.surveys {
            held.windows.retain(|window| !gone.contains(window));
            held.short.retain(|window| !gone.contains(window));
        }
        Ok(())
    }

    /// Sets the expiry of keys by the current kind, which may keep windows longer than when they
    /// were created.
    async fn renew_windows(&self) -> Result<(), StoreError> {
        let shards = self.shards();
        let renew = |shard: u16| {
            let windows = &self.surveys[usize::from(shard)].windows;
            let ttls = windows.iter().map(|window| {
                let ttl_ms = time_to_live_ms(self.kind, *window, self.now);
                (*window, ttl_ms)
            });
            let ttls: Vec<_> = ttls.collect();
            async move { shards.renew_windows(shard, &ttls).await }
        };
        shards.each(renew).await.map(drop)
    }

    /// Starts the refills of lists that are still marked.
    fn refill_lists(&self) {
        for (shard, held) in (0..).zip(&self.surveys) {
            for window in &held.short {
                let list = List {
                    board: self.record.board.clone(),
                    shard,
                    kind: self.kind.clone(),
                    place: spread::place(&self.record.board, &self.record.servers, shard),
                    window: *window,
                };
                drop(self.sweep.lists.start(list));
            }
        }
    }

    /// Returns whether there was no write for the idle time of the kind.
    fn is_idle(&self) -> bool {
        let end = idle_end(self.record, self.kind);
        end.is_some_and(|end| self.now >= end)
    }

    /// Empties the window without bounds of an idle board: on all shards or on none, since a writer
    /// that touches the board after the decision finishes it before writing. Returns false if a
    /// writer touched it before.
    async fn empty_idle(&mut self) -> Result<bool, StoreError> {
        let Some(idle) = self.kind.idle() else {
            return Ok(false);
        };
        let bound = self.record.touched.plus(untouched_max(idle));
        if self.touch_if_written_after(bound).await?.is_some() {
            return Ok(false);
        }
        if !self
            .sweep
            .parts
            .registry
            .begin_emptying(self.record, bound)
            .await?
        {
            return Ok(false);
        }
        self.sweep.empty(self.record, bound).await?;
        for held in &mut self.surveys {
            held.ranked = 0;
        }
        Ok(true)
    }

    /// Returns from when on the board is deleted with all that it holds, and its own idle span, for which
    /// nothing was written to it. A board to which nothing was ever applied is withdrawn instead.
    fn over_at(&self) -> Option<(Timestamp, Duration)> {
        let idle = self.record.board.activity.idle_span(self.kind)?;
        self.written()?;
        Some((end_of_idleness(self.record.touched, idle), idle))
    }

    /// Ends a board that is over, unless it was written to.
    async fn end_idle(&self, idle: Duration) -> Result<Next, StoreError> {
        let bound = self.record.touched.plus(untouched_max(idle));
        if let Some(written) = self.touch_if_written_after(bound).await? {
            return Ok(Some(end_of_idleness(written, idle).max(soon(self.now))));
        }
        let after = after(self.record, self.kind, self.now)?;
        let ended = self.end(|_| Spent::UnwrittenSince(bound), after).await?;
        Ok(unless_ended(ended, self.now))
    }

    /// Makes up for a touch that is missing: the registry lost it with its latest writes, or the board got its
    /// idle span after the write. Returns the time of the write.
    async fn touch_if_written_after(
        &self,
        bound: Timestamp,
    ) -> Result<Option<Timestamp>, StoreError> {
        let written = self.written().filter(|written| *written > bound);
        if let Some(written) = written {
            let registry = &self.sweep.parts.registry;
            let board = &self.record.board;
            registry.touch(board, Some(written), None).await?;
        }
        Ok(written)
    }

    /// Returns the latest time of anything that was written.
    fn written(&self) -> Option<Timestamp> {
        self.surveys.iter().filter_map(|held| held.written).max()
    }

    /// Returns what the name keeps when the board ends: the settings that it had, with their times,
    /// if nothing was ever applied to it.
    fn kept(&self) -> Result<Option<After>, StoreError> {
        if self.written().is_some() {
            return after(self.record, self.kind, self.now);
        }
        let board = &self.record.board;
        let settings = BoardSettings {
            shards: board.shards,
            activity: board.activity,
        };
        let had_settings = settings != self.kind.shards().into();
        let kept = had_settings.then(|| After::new(settings, self.record.at));
        kept.transpose()
    }

    /// Returns from when on a board that holds nothing may end: the first contribution of a board
    /// that was just created is still under way. `None` while it holds windows.
    fn may_end_at(&self, idle: bool) -> Option<Timestamp> {
        let is_spent = |window: &Window| idle && *window == Window::ALL_TIME;
        let holds_windows = |held: &Survey| !held.windows.iter().all(is_spent);
        if self.surveys.iter().any(holds_windows) {
            return None;
        }
        // An id is added until its generation is one span old, and is remembered for one more.
        let spans = self.kind.dedupe() * 2;
        let ids = self.surveys.iter().filter_map(Survey::ids_began).max();
        let touched = self.record.touched;
        let written = self
            .written()
            .map_or(touched, |written| written.max(touched));
        let linger = written.plus(LINGER);
        let end = ids.map_or(linger, |began| linger.max(began.plus(spans)));
        let activity = self.record.board.activity;
        // Settings of a board to which nothing was applied outlast it.
        if activity.is_always() || self.written().is_none() {
            return Some(end);
        }
        // A name must not be used again without the bounds that its board has.
        Some(end.max(activity.settings_kept_until(written)))
    }

    /// Ends the incarnation of a board whose shards hold nothing but what is `spent`. No shard accepts
    /// writes while that is decided, and it is decided long before the first of them would again.
    /// Returns false if one holds something else.
    async fn end<'a>(
        &'a self,
        spent: impl Fn(&'a Survey) -> Spent<'a>,
        after: Option<After>,
    ) -> Result<bool, StoreError> {
        match self.end_within(Freeze::SHORT, &spent, after.clone()).await {
            Err(StoreError::Unavailable(_) | StoreError::Overloaded(_)) => {
                self.end_within(Freeze::LONG, &spent, after).await
            }
            ended => ended,
        }
    }

    async fn end_within<'a>(
        &'a self,
        freeze: Freeze,
        spent: impl Fn(&'a Survey) -> Spent<'a>,
        after: Option<After>,
    ) -> Result<bool, StoreError> {
        let decided = Instant::now() + freeze.decided;
        let token = self.sweep.token();
        let shards = Shards {
            until: decided,
            ..self.shards()
        };
        let freeze = |shard: u16| {
            let spent = spent(&self.surveys[usize::from(shard)]);
            self.freeze(shards, shard, &token, spent, freeze)
        };
        let frozen = match shards.each(freeze).await {
            Ok(frozen) => frozen.into_iter().all(|frozen| frozen),
            Err(error) => {
                self.thaw(&token).await;
                return Err(error);
            }
        };
        // If the reply is lost, nothing is thawed: writers ask the registry for the outcome.
        if frozen
            && self
                .sweep
                .end_incarnation(self.record, true, after, decided)
                .await?
        {
            return Ok(true);
        }
        self.thaw(&token).await;
        Ok(false)
    }

    /// Freezes a shard. A change of the board's activity that a server has left undecided is settled first.
    async fn freeze(
        &self,
        shards: Shards<'_>,
        shard: u16,
        token: &Bytes,
        spent: Spent<'_>,
        freeze: Freeze,
    ) -> Result<bool, StoreError> {
        match shards.freeze(shard, token, spent, freeze).await {
            Err(StoreError::SettingsChanged) => {
                let incarnations = &self.sweep.parts.incarnations;
                incarnations.thaw(&self.record.board, shard).await?;
                shards.freeze(shard, token, spent, freeze).await
            }
            frozen => frozen,
        }
    }

    /// Best effort: freezes expire.
    async fn thaw(&self, token: &Bytes) {
        let shards = self.shards();
        if let Err(error) = shards.each(|shard| shards.thaw(shard, token, None)).await {
            tracing::debug!(board = %self.record.board.name, %error, "a freeze ends by itself");
        }
    }

    /// Returns when something of the board is past its time.
    fn next(&self, idle: bool, end: Option<Timestamp>) -> Timestamp {
        let windows = self.surveys.iter().flat_map(|held| &held.windows);
        let windows = windows.filter_map(|window| gone_at(self.kind, *window));
        let idle_end = idle_end(self.record, self.kind).filter(|_| !idle);
        let expires_at = self.record.board.activity.expires_at();
        // Whether they are complete by then.
        let is_short = self.surveys.iter().any(|held| !held.short.is_empty());
        let refilled = is_short.then(|| self.now.plus(LINGER));
        let over_at = self.over_at().map(|(end, _)| end);
        let first = windows.chain(idle_end).chain(end).chain(expires_at);
        let first = first.chain(over_at);
        let first = first.chain(refilled).min();
        let latest = self.now.plus(DUE_MAX);
        let soonest = self.now.plus(Duration::from_millis(1));
        first.map_or(latest, |first| first.clamp(soonest, latest))
    }

    fn shards(&self) -> Shards<'_> {
        self.sweep.shards(self.record)
    }
}

/// Returns what the name of a board keeps when it ends.
pub(super) fn after(
    record: &Record,
    kind: &Kind,
    now: Timestamp,
) -> Result<Option<After>, StoreError> {
    let activity = &record.board.activity;
    let after = activity.settings_after(|at| kind.admits_until(at), now);
    let kept = after.map(|(activity, settled)| {
        let settings = BoardSettings {
            shards: kind.shards(),
            activity,
        };
        After::new(settings, settled)
    });
    kept.transpose()
}

fn idle_end(record: &Record, kind: &Kind) -> Option<Timestamp> {
    Some(end_of_idleness(record.touched, kind.idle()?))
}

fn end_of_idleness(touched: Timestamp, idle: Duration) -> Timestamp {
    touched.plus(idle).plus(untouched_max(idle))
}
