//! One life of a board in memory, and its locks.
//!
//! A [`Cell`] begins with one [`Shard`] for all members: a million rooms with ten members each are
//! a million short vectors. When a window of it outgrows that, it is split into the shards of its
//! record, each under a lock of its own. The outer lock is held for writing only to split and to
//! end a board; everything else shares it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use board::{BoardName, Incarnation, Kind, ShardCount, Timestamp};
use parking_lot::RwLock;

use super::ids::IdBudget;
use super::shard::Shard;
use crate::contract::{
    Batch, BoardRecord, Disagreement, Outcome, Query, Reading, StoreError, WindowCount,
};

/// One life of a board.
#[derive(Debug)]
pub(crate) struct Cell {
    name: BoardName,
    /// As it was at birth: of what it says, the rules never change.
    kind: Arc<Kind>,
    incarnation: Incarnation,
    shards: ShardCount,
    born: AtomicBool,
    last_write: AtomicI64,
    body: RwLock<Body>,
}

#[derive(Debug)]
enum Body {
    /// All shards in one, until a window has more members than a small ranking takes.
    Whole(RwLock<Shard>),
    Split(Box<[RwLock<Shard>]>),
    Dead,
}

impl Cell {
    pub(crate) fn new(
        name: BoardName,
        kind: Arc<Kind>,
        incarnation: Incarnation,
        shards: ShardCount,
        born: bool,
        now: Timestamp,
    ) -> Self {
        let body = if shards.get() == 1 {
            Body::Split(Box::new([RwLock::default()]))
        } else {
            Body::Whole(RwLock::default())
        };
        Self {
            name,
            kind,
            incarnation,
            shards,
            born: AtomicBool::new(born),
            last_write: AtomicI64::new(now.millis()),
            body: RwLock::new(body),
        }
    }

    pub(crate) fn record(&self) -> BoardRecord {
        BoardRecord {
            name: self.name.clone(),
            incarnation: self.incarnation,
            shards: self.shards,
            born: self.is_born(),
        }
    }

    pub(crate) const fn name(&self) -> &BoardName {
        &self.name
    }

    pub(crate) const fn incarnation(&self) -> Incarnation {
        self.incarnation
    }

    pub(crate) fn is_born(&self) -> bool {
        self.born.load(Ordering::Acquire)
    }

    pub(crate) fn bear(&self) {
        self.born.store(true, Ordering::Release);
    }

    pub(crate) fn apply(
        &self,
        shard: u16,
        batch: &Batch<'_>,
        budget: &IdBudget,
    ) -> Result<Vec<Outcome>, StoreError> {
        let shard_of = |hash| self.shards.shard_of(hash);
        let (outcomes, crowded) = match &*self.body.read() {
            Body::Dead => return Err(StoreError::Dead),
            Body::Split(shards) => {
                let mut held = shards[usize::from(shard)].write();
                let outcomes = held.apply(batch, shard_of, budget);
                held.settle(batch.kind.rules());
                (outcomes, false)
            }
            Body::Whole(whole) => {
                let mut held = whole.write();
                (held.apply(batch, shard_of, budget), held.is_crowded())
            }
        };
        self.last_write
            .fetch_max(batch.now.millis(), Ordering::Relaxed);
        if crowded {
            self.split(batch.kind, budget);
        }
        Ok(outcomes)
    }

    pub(crate) fn read(
        &self,
        epoch: u64,
        shard: u16,
        query: &Query,
    ) -> Result<Reading, StoreError> {
        self.look(shard, |held, only| {
            held.read(&self.kind, epoch, only, query)
        })
    }

    pub(crate) fn windows(&self, shard: u16) -> Result<Vec<WindowCount>, StoreError> {
        self.look(shard, Shard::windows)
    }

    pub(crate) fn verify(&self, shard: u16) -> Result<Vec<Disagreement>, StoreError> {
        self.look(shard, |held, only| {
            if only.is_some_and(|shard| shard > 0) {
                // The one vector of a small board is looked through with shard 0.
                return Vec::new();
            }
            let wrong = held.rankings().flat_map(|(window, ranking)| {
                let wrong = ranking.verify(self.kind.rules()).into_iter();
                wrong.map(move |(member, what)| Disagreement {
                    window,
                    member,
                    what,
                })
            });
            wrong.collect()
        })
    }

    /// Drops what is past its time, shard by shard. True when nothing is left and the board may go.
    pub(crate) fn expire(&self, kind: &Kind, now: Timestamp, budget: &IdBudget) -> bool {
        let written = Timestamp::from_millis(self.last_write.load(Ordering::Relaxed));
        let idle = kind.idle().is_some_and(|idle| now >= written.plus(idle));
        let body = self.body.read();
        let shards = match &*body {
            Body::Dead => return true,
            Body::Whole(whole) => std::slice::from_ref(whole),
            Body::Split(shards) => shards,
        };
        let mut empty = true;
        for shard in shards {
            let mut held = shard.write();
            let expired = held.take_expired(kind, idle, now, budget);
            empty &= held.is_empty();
            drop(held);
            // Freeing a large window takes a while, and nobody waits for it.
            drop(expired);
        }
        empty
    }

    /// Ends this life unless something was written meanwhile.
    pub(crate) fn end_if_empty(&self) -> bool {
        let mut body = self.body.write();
        let empty = match &*body {
            Body::Dead => true,
            Body::Whole(whole) => whole.read().is_empty(),
            Body::Split(shards) => shards.iter().all(|shard| shard.read().is_empty()),
        };
        if empty {
            *body = Body::Dead;
        }
        empty
    }

    /// Ends this life, whatever it holds.
    pub(crate) fn end(&self, budget: &IdBudget) {
        let body = std::mem::replace(&mut *self.body.write(), Body::Dead);
        match body {
            Body::Dead => {}
            Body::Whole(whole) => whole.read().release_ids(budget),
            Body::Split(shards) => {
                shards
                    .iter()
                    .for_each(|shard| shard.read().release_ids(budget));
            }
        }
    }

    fn look<T>(
        &self,
        shard: u16,
        look: impl FnOnce(&Shard, Option<u16>) -> T,
    ) -> Result<T, StoreError> {
        match &*self.body.read() {
            Body::Dead => Err(StoreError::Dead),
            Body::Split(shards) => Ok(look(&shards[usize::from(shard)].read(), None)),
            Body::Whole(whole) => Ok(look(&whole.read(), Some(shard))),
        }
    }

    fn split(&self, kind: &Kind, budget: &IdBudget) {
        let mut body = self.body.write();
        if let Body::Whole(whole) = &mut *body {
            let shards = std::mem::take(whole.get_mut()).split(kind, self.shards, budget);
            *body = Body::Split(shards.into_iter().map(RwLock::new).collect());
        }
    }
}

/// A board as the registry hands it out.
pub(crate) type Shared = Arc<Cell>;
