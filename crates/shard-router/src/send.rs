//! Batches to the shards of one board.
//!
//! A batch that meets a life of the board that has ended is sent to the next one: nothing of it was
//! applied. Before that, what is outside of the board's time is refused, by the record that counts in that
//! life: none is born for what it would refuse. What is sent just before the board's end has a deadline just
//! behind it. Every other error is the outcome of its items; whether to try those again is told by
//! [`Failure`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use board::{Activity, BoardName, IdDigest, Timestamp, Windows};
use futures::FutureExt;
use futures::stream::{self, StreamExt};
use shard_store::{
    Batch, BirthError, BoardRecord, Failure, Item, Outcome, Refused, ShardStore, StoreError,
};
use tracing::Instrument as _;

use crate::boards::Boards;
use crate::catalogue::{Catalogue, KnownKind};
use crate::metrics::Metrics;
use crate::plan::BoardPlan;
use crate::spans::SPANS;
use crate::write::{Write, Written};

/// Calls under way at once for one request and board.
const SHARD_CALLS_MAX: usize = 64;

/// Lives of a board that end under one request before it gives up.
const LIVES_MAX: usize = 4;

/// Tries at the birth of a board whose kind or settings keep changing.
const BIRTH_TRIES_MAX: usize = 4;

/// How long after the end of its board what came before it may still be applied: about as long as a store
/// that is well takes.
pub(crate) const AFTER_END_MAX: Duration = Duration::from_secs(1);

/// Items for one shard, and their places in the request.
struct ShardBatch {
    shard: u16,
    places: Vec<usize>,
    items: Vec<Item>,
}

/// What there is under a board's name.
enum Found {
    /// A board, whose record counts for as long as its life is on.
    Born(Arc<BoardRecord>),
    /// None yet, and nothing that would bear it; the time that its settings give it.
    Unborn(Activity),
}

/// Whether the time of a board bounds what is written to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gate {
    Kept,
    Open,
}

/// The writes of one request on their way, and what they go by.
#[derive(Clone, Copy)]
pub(crate) struct Sending<'a> {
    pub(crate) store: &'a dyn ShardStore,
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) boards: &'a Boards,
    pub(crate) writes: &'a [Write],
    pub(crate) now: Timestamp,
    /// The same moment by this process's own clock.
    pub(crate) began: Instant,
    pub(crate) report: bool,
    pub(crate) gate: Gate,
    pub(crate) metrics: &'a Metrics,
}

impl Sending<'_> {
    /// Applies the writes of one board: an outcome for each place.
    pub(crate) async fn send(&self, plan: BoardPlan) -> Vec<(usize, Written)> {
        let BoardPlan {
            name,
            kind,
            writes: mut left,
        } = plan;
        let mut written = Vec::with_capacity(left.len());
        for _ in 0..LIVES_MAX {
            let record = match self.record_for(&name, &kind, &left).await {
                Ok(Found::Born(record)) => record,
                Ok(Found::Unborn(activity)) => {
                    self.refuse_outside(&activity, &mut left, &mut written);
                    return none_there(written, &left, self.writes);
                }
                Err(failure) => return fail(written, &left, &failure),
            };
            self.refuse_outside(&record.activity, &mut left, &mut written);
            let batches = batches(&record, &left, self.writes);
            let calls = batches.into_iter();
            let calls = calls.map(|batch| self.call(&record, &kind, batch).boxed());
            let mut calls =
                stream::iter(calls.collect::<Vec<_>>()).buffer_unordered(SHARD_CALLS_MAX);
            let mut dead: Vec<usize> = Vec::new();
            while let Some((places, result)) = calls.next().await {
                match result {
                    Ok(outcomes) => written.extend(places.into_iter().zip(outcomes)),
                    Err(()) => dead.extend(places),
                }
            }
            if dead.is_empty() {
                return written;
            }
            self.boards.forget(&record);
            dead.sort_unstable();
            left.retain(|(place, _)| dead.binary_search(place).is_ok());
        }
        let failure = Failure::Unavailable(format!("board {name} is deleted again and again"));
        fail(written, &left, &failure)
    }

    /// Refuses what falls outside of a board's time.
    fn refuse_outside(
        &self,
        activity: &Activity,
        left: &mut Vec<(usize, Windows)>,
        written: &mut Vec<(usize, Written)>,
    ) {
        if activity.is_always() || self.gate == Gate::Open {
            return;
        }
        left.retain(
            |(place, _)| match activity.admit(self.writes[*place].at, self.now) {
                Ok(()) => true,
                Err(not_open) => {
                    written.push((*place, Written::Refused(not_open.into())));
                    false
                }
            },
        );
    }

    /// When what is sent may not be applied any more.
    fn until(&self, activity: &Activity) -> Option<Instant> {
        let ends_at = activity.ends_at().filter(|_| self.gate == Gate::Kept)?;
        let left = ends_at.millis() - self.now.millis();
        let left = Duration::from_millis(u64::try_from(left).unwrap_or(0));
        // An end that no clock of this process reaches bounds nothing.
        self.began.checked_add(left)?.checked_add(AFTER_END_MAX)
    }

    /// The board's record. Taking members off does not bring a board into being, nor does what falls
    /// outside of its time.
    async fn record_for(
        &self,
        name: &BoardName,
        kind: &KnownKind,
        left: &[(usize, Windows)],
    ) -> Result<Found, Failure> {
        let bears = |activity: &Activity| {
            let mut writes = left.iter().map(|(place, _)| &self.writes[*place]);
            writes.any(|write| !write.is_removal() && activity.admit(write.at, self.now).is_ok())
        };
        if !bears(&Activity::ALWAYS) {
            return match self.boards.found_of(name, &kind.kind, self.now).await {
                Ok(Some(record)) if record.born => Ok(Found::Born(record)),
                Ok(unborn) => Ok(Found::Unborn(
                    unborn.map_or(Activity::ALWAYS, |record| record.activity),
                )),
                Err(StoreError::StaleKind) => Err(self.changed(name).await),
                Err(error) => Err(Failure::Unavailable(error.to_string())),
            };
        }
        let mut known = kind.clone();
        let mut seen = None;
        for _ in 0..BIRTH_TRIES_MAX {
            match self.boards.born_now(name, &known, seen, self.now).await {
                Ok(record) => return Ok(Found::Born(record)),
                Err(BirthError::Unseen(unborn)) if bears(&unborn.activity) => {
                    seen = Some(unborn.incarnation);
                }
                Err(BirthError::Unseen(unborn)) => return Ok(Found::Unborn(unborn.activity)),
                // A birth that may have happened is met again by whoever comes next: nothing of the
                // contribution was sent.
                Err(BirthError::Store(error)) => {
                    return Err(Failure::Unavailable(error.to_string()));
                }
                Err(BirthError::StaleKind) => match self.still_meant(kind).await {
                    Some(current) => known = current,
                    None => return Err(has_changed(name)),
                },
            }
        }
        let why = format!("the kind or the settings of board {name} keep changing: send it again");
        Err(Failure::Unavailable(why))
    }

    /// The failure of what was read by a kind that another has replaced. Whoever sends it again
    /// finds that one in the catalogue.
    async fn changed(&self, name: &BoardName) -> Failure {
        match self.catalogue.refresh().await {
            Ok(()) => has_changed(name),
            Err(error) => Failure::Unavailable(error.to_string()),
        }
    }

    /// A kind as it has become, if what was read and admitted by it means the same. What does not
    /// has to be read again by whoever sends it again, by then in the catalogue.
    async fn still_meant(&self, read_by: &KnownKind) -> Option<KnownKind> {
        self.catalogue.refresh().await.ok()?;
        let current = self.catalogue.known(read_by.kind.name().as_str())?;
        let same = current.kind.rules() == read_by.kind.rules()
            && current.kind.windows() == read_by.kind.windows()
            && current.kind.calendar() == read_by.kind.calendar();
        same.then_some(current)
    }

    /// One call. `Err(())`: that life has ended, and nothing was applied.
    async fn call(
        &self,
        record: &BoardRecord,
        kind: &KnownKind,
        batch: ShardBatch,
    ) -> (Vec<usize>, Result<Vec<Written>, ()>) {
        let ShardBatch {
            shard,
            places,
            items,
        } = batch;
        let call = Batch {
            kind: &kind.kind,
            now: self.now,
            report: self.report,
            until: self.until(&record.activity),
            items: &items,
        };
        self.metrics.batches.observe_count(items.len());
        let all = |failure: Failure| vec![Written::Failed(failure); places.len()];
        let span = tracing::trace_span!(
            target: SPANS,
            "apply",
            megaboard.board = %record.name,
            megaboard.shard = i64::from(shard),
            megaboard.contributions = i64::try_from(items.len()).unwrap_or(i64::MAX),
        );
        let applied = self.store.apply(record, shard, call).instrument(span);
        let result = match applied.await {
            Ok(outcomes) => Ok(outcomes.into_iter().map(Written::from).collect()),
            Err(StoreError::Dead) => {
                self.metrics.met_dead.inc();
                Err(())
            }
            Err(error @ StoreError::WindowDropped) => {
                Ok(all(Failure::Unavailable(error.to_string())))
            }
            Err(StoreError::StaleKind) => Ok(all(self.changed(&record.name).await)),
            Err(StoreError::Unavailable(why)) => Ok(all(Failure::Unavailable(why))),
            Err(StoreError::Unknown(why)) => Ok(all(Failure::Unknown(why))),
        };
        (places, result)
    }
}

fn has_changed(name: &BoardName) -> Failure {
    let kind = name.kind();
    Failure::Unavailable(format!("kind {kind} has just changed: send it again"))
}

fn none_there(
    mut written: Vec<(usize, Written)>,
    left: &[(usize, Windows)],
    writes: &[Write],
) -> Vec<(usize, Written)> {
    let refused = left.iter().map(|(place, _)| {
        let refused = Refused::NotRanked(writes[*place].member.clone());
        (*place, Written::Refused(refused.into()))
    });
    written.extend(refused);
    written
}

fn fail(
    mut written: Vec<(usize, Written)>,
    left: &[(usize, Windows)],
    failure: &Failure,
) -> Vec<(usize, Written)> {
    let failed = left
        .iter()
        .map(|(place, _)| (*place, Written::Failed(failure.clone())));
    written.extend(failed);
    written
}

/// The writes by shard, in order. A shard gets all of its writes in one batch, so that those of one
/// member stay in order.
fn batches(record: &BoardRecord, left: &[(usize, Windows)], writes: &[Write]) -> Vec<ShardBatch> {
    let mut batches: Vec<ShardBatch> = Vec::new();
    let mut of_shard = vec![usize::MAX; usize::from(record.shards.get())];
    for (place, windows) in left {
        let write = &writes[*place];
        let hash = write.member.placement_hash();
        let shard = record.shards.shard_of(hash);
        let slot = &mut of_shard[usize::from(shard)];
        if *slot == usize::MAX {
            *slot = batches.len();
            batches.push(ShardBatch {
                shard,
                places: Vec::new(),
                items: Vec::new(),
            });
        }
        let batch = &mut batches[*slot];
        batch.places.push(*place);
        batch.items.push(Item {
            member: write.member.clone(),
            hash,
            change: write.change,
            at: write.kind.kind.rules().kept_time(write.at),
            id: write
                .id
                .as_ref()
                .map(|id| IdDigest::new(record.incarnation, &write.member, id)),
            windows: windows.clone(),
        });
    }
    batches
}

impl From<Outcome> for Written {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Applied(standings) => Self::Applied(standings),
            Outcome::Duplicate(standings) => Self::Duplicate(standings),
            Outcome::Refused(refused) => Self::Refused(refused.into()),
            Outcome::Failed(failure) => Self::Failed(failure),
        }
    }
}
