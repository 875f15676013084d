//! [`ProfiledTops`]: tops with profiles, kept as bytes.
//!
//! A top is joined by one caller at a time. The result is used as long as the merged top that it was made of is, and no
//! member was erased: the join began after that merge and the last erasure.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use board::{Incarnation, Window};
use merger::{Snapshot, TopView};
use moka::sync::Cache;
use parking_lot::Mutex;
use shard_router::KnownKind;
use shard_store::{ShardStore, StoreError};
use wire::{rendered_members, with_profiles};

use crate::profile_join::shown_profiles;

/// The first so many entries of a window of a board.
type Key = (Incarnation, Window, usize);

/// Attempts at a join during which members are erased.
const JOINS_MAX: usize = 8;

/// A joined top, and how many erasures there had been when its join began.
#[derive(Clone)]
struct Joined {
    top: Arc<Snapshot>,
    erasures: u64,
}

/// The last join of a key, for callers that waited for it.
type Slot = Arc<tokio::sync::Mutex<Option<Joined>>>;

/// Tops with profiles, under a limit of bytes.
pub(crate) struct ProfiledTops {
    tops: Cache<Key, Joined>,
    /// How often profiles of erased members were deleted.
    erasures: AtomicU64,
    /// The joins in progress.
    joins: Mutex<HashMap<Key, Slot>>,
}

impl ProfiledTops {
    /// Creates a cache for so many bytes.
    pub(crate) fn up_to(bytes_max: usize) -> Self {
        let tops = Cache::builder()
            .max_capacity(bytes_max as u64)
            .weigher(|_, joined: &Joined| joined.top.weight())
            .build();
        Self {
            tops,
            erasures: AtomicU64::new(0),
            joins: Mutex::default(),
        }
    }

    /// Returns the first `n` entries of a top with the profiles of their members. A stale top, which is shown because
    /// the store does not respond, has none if they cannot be read.
    pub(crate) async fn of(
        &self,
        store: &dyn ShardStore,
        known: &KnownKind,
        view: TopView,
        window: Window,
        n: usize,
    ) -> Result<TopView, StoreError> {
        // Without an incarnation there are no entries.
        let Some(incarnation) = view.snapshot.incarnation() else {
            return Ok(view);
        };
        let key = (incarnation, window, n);
        let snapshot = match self.kept(&key, &view.snapshot) {
            Some(kept) => kept,
            None => match self.joined(store, known, &view.snapshot, key).await {
                Err(_) if view.stale => return Ok(view),
                joined => joined?,
            },
        };
        Ok(TopView { snapshot, ..view })
    }

    /// Makes all tops anew from now on: the profile of an erased member was deleted.
    pub(crate) fn forget(&self) {
        self.erasures.fetch_add(1, Ordering::SeqCst);
    }

    fn erasures(&self) -> u64 {
        self.erasures.load(Ordering::SeqCst)
    }

    fn kept(&self, key: &Key, merged: &Snapshot) -> Option<Arc<Snapshot>> {
        self.usable(self.tops.get(key), merged)
    }

    /// Returns a joined top if it is of this merge, and of the members that are left.
    fn usable(&self, joined: Option<Joined>, merged: &Snapshot) -> Option<Arc<Snapshot>> {
        let joined = joined.filter(|joined| joined.erasures == self.erasures())?;
        Some(joined.top).filter(|top| top.is_of_same_merge(merged))
    }

    async fn joined(
        &self,
        store: &dyn ShardStore,
        known: &KnownKind,
        merged: &Snapshot,
        key: Key,
    ) -> Result<Arc<Snapshot>, StoreError> {
        let join = Join::at(self, key);
        let mut last = join.slot.lock().await;
        let of_last = self.usable(last.clone(), merged);
        if let Some(kept) = of_last.or_else(|| self.kept(&key, merged)) {
            return Ok(kept);
        }
        let (_, _, n) = key;
        let members = rendered_members(&merged.rendered, n).ok_or_else(|| {
            StoreError::Unavailable("the entries of a top could not be read".to_owned())
        })?;
        for _ in 0..JOINS_MAX {
            let erasures = self.erasures();
            let shown = shown_profiles(store, known, &members).await?;
            if erasures != self.erasures() {
                continue;
            }
            let rendered = with_profiles(&merged.rendered, &members, &shown);
            let top = Arc::new(merged.with_profiles(rendered, shown.digest()));
            let joined = Joined {
                top: top.clone(),
                erasures,
            };
            self.tops.insert(key, joined.clone());
            *last = Some(joined);
            return Ok(top);
        }
        Err(StoreError::Unavailable(
            "members are erased faster than their profiles can be read".to_owned(),
        ))
    }
}

/// A caller's use of a key. The last one removes the key on drop.
struct Join<'a> {
    all: &'a ProfiledTops,
    key: Key,
    slot: Slot,
}

impl<'a> Join<'a> {
    fn at(all: &'a ProfiledTops, key: Key) -> Self {
        let slot = all.joins.lock().entry(key).or_default().clone();
        Self { all, key, slot }
    }
}

impl Drop for Join<'_> {
    fn drop(&mut self) {
        /// The map's and this caller's.
        const LAST: usize = 2;
        let mut joins = self.all.joins.lock();
        // Under the lock, so that exactly one of several concurrent callers is the last.
        let is_last = joins
            .get(&self.key)
            .is_some_and(|slot| Arc::ptr_eq(slot, &self.slot) && Arc::strong_count(slot) <= LAST);
        if is_last {
            joins.remove(&self.key);
        }
    }
}
