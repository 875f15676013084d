//! [`Catalogue`]: a copy of the kinds, read without waiting, written through to the store.
//!
//! The store is the authority. The copy is renewed by [`Catalogue::refresh`] and by this server's
//! writes ([`Catalogue::add_written`]); an unknown kind is looked up in the store before it is reported
//! as unknown.
//!
//! **Invariant:** a write that the store has acknowledged succeeds, even if the store fails
//! afterwards. So the store is not asked anything after it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use board::limits::KINDS_MAX;
use board::{ChangeError, Hidden, Kind, KindName, Timestamp, TooManyHidden};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use futures::lock::Mutex;
use shard_store::{KindRecord, KindWriteError, Revision, ShardStore, StoreError, UnsupportedKind};

use crate::changes::Changes;

/// Attempts at writing a kind that others keep writing.
const WRITE_TRIES_MAX: usize = 5;

/// An existing kind and its record.
#[derive(Debug, Clone)]
pub struct KnownKind {
    /// The kind.
    pub kind: Arc<Kind>,
    /// Its record, which creations of boards pass to the store.
    pub record: Arc<KindRecord>,
}

/// Why a kind was not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// There is no such kind.
    #[error("there is no kind {0}")]
    Unknown(KindName),
    /// It has boards, whose meaning would change.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// It has boards, so it cannot be deleted.
    #[error("kind {0} has boards: delete them first, with DELETE /v1/boards/{0}/{{subject}}")]
    HasBoards(KindName),
    /// It already hides the maximum number of members.
    #[error(transparent)]
    TooManyHidden(#[from] TooManyHidden),
    /// The store has the maximum number of kinds.
    #[error("kind {0} cannot be added: there are {KINDS_MAX} kinds, deleted ones included")]
    TooMany(KindName),
    /// Others wrote it repeatedly in the meantime.
    #[error("kind {0} is being changed by another request: retry")]
    Contended(KindName),
    /// The store does not support it.
    #[error(transparent)]
    Unsupported(#[from] UnsupportedKind),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn is_public(record: &KindRecord) -> bool {
    record.kind.as_ref().is_some_and(|kind| kind.is_public())
}

/// All kinds, as last read from the store.
pub struct Catalogue {
    store: Arc<dyn ShardStore>,
    records: ArcSwap<HashMap<KindName, Arc<KindRecord>>>,
    changes: Changes,
    /// The number of reads of the store that have begun.
    reads_begun: AtomicU64,
    /// The last read that is in `records`. Reads are serialized, so that an older one does not
    /// replace a newer one.
    last_read: Mutex<u64>,
}

impl Catalogue {
    /// Reads all kinds.
    pub async fn open(store: Arc<dyn ShardStore>) -> Result<Self, StoreError> {
        let catalogue = Self {
            store,
            records: ArcSwap::default(),
            changes: Changes::of_everything(),
            reads_begun: AtomicU64::new(0),
            last_read: Mutex::new(0),
        };
        catalogue.refresh().await?;
        Ok(catalogue)
    }

    /// Reads all kinds again. Callers that arrive during a read share the next one.
    ///
    /// A store never forgets a kind, even a deleted one: if it does not know one that it had, it
    /// has lost its data, and this server writes back what it has.
    pub fn refresh(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        let refreshed = async {
            let begun = self.reads_begun.load(Ordering::SeqCst);
            let mut last_read = self.last_read.lock().await;
            if *last_read > begun {
                return Ok(());
            }
            let read = self.reads_begun.fetch_add(1, Ordering::SeqCst) + 1;
            let mut records = self.read().await?;
            if self.put_back(&records).await? {
                records = self.read().await?;
            }
            self.replace(records);
            *last_read = read;
            Ok(())
        };
        // Boxed, since this is rare and would increase the size of callers.
        refreshed.boxed()
    }

    /// Adds records that this server has written, unless newer ones are known.
    ///
    /// Waits for a read in progress, which may have begun before the write.
    pub async fn add_written(&self, written: Vec<KindRecord>) {
        if written.is_empty() {
            return;
        }
        let _no_read = self.last_read.lock().await;
        let mut records = (**self.records.load()).clone();
        for record in written {
            let known = records.get(&record.name);
            if known.is_none_or(|known| known.revision < record.revision) {
                records.insert(record.name.clone(), Arc::new(record));
            }
        }
        self.replace(records);
    }

    /// Returns the changes of the copy, all with the key `()`.
    #[must_use]
    pub const fn changes(&self) -> &Changes {
        &self.changes
    }

    fn replace(&self, records: HashMap<KindName, Arc<KindRecord>>) {
        let replace = || self.records.store(Arc::new(records));
        self.changes.change(&(), replace);
    }

    async fn read(&self) -> Result<HashMap<KindName, Arc<KindRecord>>, StoreError> {
        let records = self.store.kinds().await?.into_iter();
        let records = records.map(|record| (record.name.clone(), Arc::new(record)));
        Ok(records.collect())
    }

    /// Writes back kinds that the store has lost, and returns whether there were any.
    async fn put_back(
        &self,
        found: &HashMap<KindName, Arc<KindRecord>>,
    ) -> Result<bool, StoreError> {
        let known = self.records.load_full();
        let lost = known
            .values()
            .filter(|known| !found.contains_key(&known.name));
        let mut any = false;
        for kind in lost.filter_map(|record| record.kind.clone()) {
            any = true;
            let put = self.store.put_kind(kind, Revision::default(), false).await;
            // Any other error: another server has written the kind, and its version counts.
            if let Err(KindWriteError::Store(error)) = put {
                return Err(error);
            }
        }
        Ok(any)
    }

    /// Returns the kind of this name. An unknown one is looked up in the store.
    pub async fn kind(&self, name: &str) -> Result<Option<KnownKind>, StoreError> {
        if let Some(known) = self.known(name) {
            return Ok(Some(known));
        }
        self.refresh().await?;
        Ok(self.known(name))
    }

    /// Returns the kind of this name, if it is known here: never waits.
    #[must_use]
    pub fn known(&self, name: &str) -> Option<KnownKind> {
        let records = self.records.load();
        let record = records.get(name)?;
        Some(KnownKind {
            kind: record.kind.clone()?,
            record: record.clone(),
        })
    }

    /// Returns whether a kind of this name exists or has been deleted, as far as is known here.
    #[must_use]
    pub fn ever_existed(&self, name: &KindName) -> bool {
        self.records.load().contains_key(name)
    }

    /// Returns all existing kinds, by name.
    #[must_use]
    pub fn kinds(&self) -> Vec<Arc<Kind>> {
        let records = self.records.load();
        let mut kinds: Vec<_> = records.values().filter_map(|r| r.kind.clone()).collect();
        kinds.sort_by(|a, b| a.name().cmp(b.name()));
        kinds
    }

    /// Returns whether boards of this kind are read without a key, as far as is known here.
    #[must_use]
    pub fn is_public(&self, name: &str) -> bool {
        let records = self.records.load();
        records.get(name).is_some_and(|record| is_public(record))
    }

    /// Returns whether boards of any kind are read without a key, as far as is known here.
    #[must_use]
    pub fn has_public(&self) -> bool {
        self.records.load().values().any(|record| is_public(record))
    }

    /// Writes a kind that the store has never known. Otherwise returns the existing one.
    pub async fn seed(&self, kind: Kind) -> Result<Option<Arc<KindRecord>>, CatalogueError> {
        let name = kind.name().clone();
        if let Some(held) = self.records.load().get(&name) {
            return Ok(Some(held.clone()));
        }
        self.store.check_kind(&kind)?;
        match self
            .store
            .put_kind(Arc::new(kind), Revision::default(), false)
            .await
        {
            Ok(record) => {
                self.add_written(vec![record]).await;
                Ok(None)
            }
            Err(KindWriteError::Store(error)) => Err(error.into()),
            Err(KindWriteError::TooMany) => Err(CatalogueError::TooMany(name)),
            Err(KindWriteError::Stale | KindWriteError::HasBoards) => {
                // Another server wrote it first.
                self.refresh().await?;
                Ok(self.records.load().get(&name).cloned())
            }
        }
    }

    /// Creates or changes a kind; one with boards only as far as it may change. Hidden members stay
    /// hidden. Returns whether it is new.
    pub async fn put(
        &self,
        wanted: Kind,
        now: Timestamp,
    ) -> Result<(KnownKind, bool), CatalogueError> {
        let checked = |_: Option<&Kind>| Ok(wanted.clone());
        self.put_checked(wanted.name(), checked, now).await
    }

    /// Creates or changes a kind to one that depends on the one that it replaces. `wanted` may reject
    /// that, and is called again if another write came first.
    pub async fn put_checked<E: From<CatalogueError>>(
        &self,
        name: &KindName,
        wanted: impl Fn(Option<&Kind>) -> Result<Kind, E>,
        now: Timestamp,
    ) -> Result<(KnownKind, bool), E> {
        for _ in 0..WRITE_TRIES_MAX {
            let held = self.held(name).await.map_err(CatalogueError::from)?;
            let revision = held
                .as_ref()
                .map_or(Revision::default(), |record| record.revision);
            let current = held.and_then(|record| record.kind.clone());
            let hidden = current.as_ref().map(|kind| kind.hidden().clone());
            let wanted = wanted(current.as_deref())?.hiding(hidden.unwrap_or_default());
            let supported = self.store.check_kind(&wanted);
            supported.map_err(CatalogueError::from)?;
            let whole = self
                .store
                .put_kind(Arc::new(wanted.clone()), revision, true)
                .await;
            let result = match (whole, &current) {
                (Err(KindWriteError::HasBoards), Some(current)) => {
                    // An added window counts from now on.
                    self.store.check_time().map_err(CatalogueError::from)?;
                    let changed = current.changed_to(&wanted, now);
                    let changed = changed.map_err(CatalogueError::from)?;
                    self.store
                        .put_kind(Arc::new(changed), revision, false)
                        .await
                }
                (result, _) => result,
            };
            match result {
                Ok(record) => {
                    self.add_written(vec![record.clone()]).await;
                    let written = record.kind.clone().unwrap_or_else(|| Arc::new(wanted));
                    let known = KnownKind {
                        kind: written,
                        record: Arc::new(record),
                    };
                    return Ok((known, current.is_none()));
                }
                Err(KindWriteError::Stale | KindWriteError::HasBoards) => {}
                Err(KindWriteError::TooMany) => {
                    return Err(CatalogueError::TooMany(name.clone()).into());
                }
                Err(KindWriteError::Store(error)) => {
                    return Err(CatalogueError::from(error).into());
                }
            }
        }
        Err(CatalogueError::Contended(name.clone()).into())
    }

    /// Changes the hidden members of a kind. Returns its record, if that made a difference.
    ///
    /// Starts from the kind as it is known here. The caller passes the records to
    /// [`Catalogue::add_written`], those of many kinds at once, since each call copies all kinds.
    pub async fn hide(
        &self,
        name: &KindName,
        change: impl Fn(&Hidden) -> Result<Hidden, TooManyHidden>,
    ) -> Result<Option<KindRecord>, CatalogueError> {
        let mut held = self.records.load().get(name).cloned();
        for _ in 0..WRITE_TRIES_MAX {
            let unknown = || CatalogueError::Unknown(name.clone());
            let record = held.ok_or_else(unknown)?;
            let current = record.kind.as_ref().ok_or_else(unknown)?;
            let hidden = change(current.hidden())?;
            if hidden == *current.hidden() {
                return Ok(None);
            }
            let changed = Arc::new(Kind::clone(current).hiding(hidden));
            match self.store.put_kind(changed, record.revision, false).await {
                Ok(record) => return Ok(Some(record)),
                Err(KindWriteError::Stale | KindWriteError::HasBoards) => {
                    held = self.held(name).await?;
                }
                Err(KindWriteError::TooMany) => return Err(CatalogueError::TooMany(name.clone())),
                Err(KindWriteError::Store(error)) => return Err(error.into()),
            }
        }
        Err(CatalogueError::Contended(name.clone()))
    }

    /// Deletes a kind without boards.
    pub async fn delete(&self, name: &KindName) -> Result<(), CatalogueError> {
        self.delete_checked(name, |_| Ok(())).await
    }

    /// Deletes a kind without boards, unless `check` rejects that.
    pub async fn delete_checked<E: From<CatalogueError>>(
        &self,
        name: &KindName,
        check: impl Fn(&Kind) -> Result<(), E>,
    ) -> Result<(), E> {
        for _ in 0..WRITE_TRIES_MAX {
            let held = self.held(name).await.map_err(CatalogueError::from)?;
            let unknown = || CatalogueError::Unknown(name.clone());
            let held = held.ok_or_else(unknown)?;
            check(held.kind.as_deref().ok_or_else(unknown)?)?;
            let error = match self.store.delete_kind(name, held.revision).await {
                Ok(()) => {
                    // The record of a deleted kind.
                    let deleted = KindRecord {
                        name: name.clone(),
                        revision: Revision(held.revision.0 + 1),
                        kind: None,
                    };
                    self.add_written(vec![deleted]).await;
                    return Ok(());
                }
                Err(KindWriteError::Stale) => continue,
                Err(KindWriteError::HasBoards) => CatalogueError::HasBoards(name.clone()),
                Err(KindWriteError::TooMany) => CatalogueError::TooMany(name.clone()),
                Err(KindWriteError::Store(error)) => error.into(),
            };
            return Err(error.into());
        }
        Err(CatalogueError::Contended(name.clone()).into())
    }

    async fn held(&self, name: &KindName) -> Result<Option<Arc<KindRecord>>, StoreError> {
        self.refresh().await?;
        Ok(self.records.load().get(name).cloned())
    }
}
