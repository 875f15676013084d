//! Where a store in this process keeps what happens: nowhere, or in a journal.
//!
//! An [`Entry`] holds the events of one call. What was reported is in the journal's memory when the engine releases
//! its locks, and durable when [`Keep::kept`] returns.
//!
//! **Invariant:** what cannot be kept is refused before it happens. Room in the journal is reserved before the engine
//! is called.

use std::sync::Arc;

use crate::{Snapshots, record};
use engine::{Event, Log};
use journal::{Journal, Reservation, Sequence};
use shard_store::StoreError;

/// Where it is kept.
#[derive(Debug)]
pub(super) enum Keep {
    /// In memory alone.
    Nowhere,
    /// Nothing may happen: the store was opened to look at it.
    ReadOnly,
    /// In a journal, and in snapshots of what it tells.
    Journal {
        /// Dropped first, so that nothing reads what is going.
        snapshots: Snapshots,
        journal: Arc<Journal>,
    },
}

/// The events of one call, and the room that was made for them.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    written: Option<Written<'a>>,
}

#[derive(Debug)]
struct Written<'a> {
    journal: &'a Journal,
    /// What is left of it is given back at the end.
    room: Reservation<'a>,
    /// Behind the last event; `None`: none was told.
    until: Option<Sequence>,
    record: Vec<u8>,
    /// Records that are appended at once, while there are such.
    together: Option<Vec<Vec<u8>>>,
}

impl Keep {
    /// Makes room for what a call may tell, in bytes. Refused where it could not be kept: the
    /// caller has changed nothing yet.
    pub(super) async fn room(
        &self,
        bytes_max: impl FnOnce() -> usize,
    ) -> Result<Entry<'_>, StoreError> {
        let journal = match self {
            Self::Nowhere => return Ok(Entry { written: None }),
            Self::ReadOnly => {
                let why = "the store was opened for reading alone".to_owned();
                return Err(StoreError::Unavailable(why));
            }
            Self::Journal { journal, .. } => journal,
        };
        let room = journal.reserve(bytes_max()).await;
        let room = room.map_err(|error| StoreError::Unavailable(error.to_string()))?;
        let written = Written {
            journal,
            room,
            until: None,
            record: Vec::new(),
            together: None,
        };
        Ok(Entry {
            written: Some(written),
        })
    }

    /// Whether writes are taken.
    pub(super) fn ready(&self) -> Result<(), StoreError> {
        let refusal = match self {
            Self::Nowhere | Self::ReadOnly => None,
            Self::Journal { journal, .. } => journal.refusal(),
        };
        refusal.map_or(Ok(()), |why| Err(StoreError::Unavailable(why)))
    }

    /// Waits until everything that has happened so far is durable.
    pub(super) async fn durable(&self) -> Result<(), StoreError> {
        let Self::Journal { journal, .. } = self else {
            return Ok(());
        };
        durable(journal, journal.next()).await
    }

    /// Ready when what the call told is durable, and what it saw.
    pub(super) async fn kept(&self, entry: Entry<'_>) -> Result<(), StoreError> {
        let Some(written) = entry.written else {
            return Ok(());
        };
        let journal = written.journal;
        // An answer that tells nothing speaks of what others told: of anything so far.
        let until = written.until.unwrap_or_else(|| journal.next());
        drop(written);
        durable(journal, until).await
    }
}

async fn durable(journal: &Journal, until: Sequence) -> Result<(), StoreError> {
    let durable = journal.durable(until).await;
    durable.map_err(|error| StoreError::Unknown(error.to_string()))
}

impl Log for Entry<'_> {
    fn note(&mut self, event: Event<'_>) {
        if let Some(written) = &mut self.written {
            written.record.clear();
            record::encode(&event, &mut written.record);
            if let Some(together) = &mut written.together {
                together.push(written.record.clone());
                return;
            }
            let until = written.journal.append(&mut written.room, &written.record);
            written.until = Some(until);
        }
    }

    fn begin_together(&mut self) {
        if let Some(written) = &mut self.written {
            written.together = Some(Vec::new());
        }
    }

    fn end_together(&mut self) {
        if let Some(written) = &mut self.written
            && let Some(together) = written.together.take().filter(|all| !all.is_empty())
        {
            let until = written
                .journal
                .append_together(&mut written.room, &together);
            written.until = Some(until);
        }
    }
}
