//! [`Persistence`]: where the events of a store go, nowhere or to a journal.
//!
//! A [`CallRecords`] holds the events of one call. Events are in the journal's memory when the
//! engine releases its locks, and durable when [`Persistence::wait_durable`] returns.
//!
//! **Invariant:** what cannot be persisted is rejected before it happens. Capacity in the journal
//! is reserved before the engine is called.

use std::sync::Arc;

use crate::Snapshots;
use crate::files::record::{self, Record};
use engine::{Event, Log};
use journal::{Journal, Reservation, Sequence};
use shard_store::StoreError;

/// The capacity with which the buffer of a record begins: enough for a contribution of its own.
const RECORD_BYTES_USUAL: usize = 512;

/// Where events are persisted.
#[derive(Debug)]
pub(super) enum Persistence {
    /// Nowhere: the store is in memory only.
    Nowhere,
    /// Nowhere, and writes are rejected: the store was opened for inspection.
    ReadOnly,
    /// In a journal, and in snapshots that replace old parts of it.
    Journal {
        /// Dropped first, so that the snapshot thread ends before the journal.
        snapshots: Snapshots,
        journal: Arc<Journal>,
    },
}

/// The events of one call, and the capacity that was reserved for them.
#[derive(Debug)]
pub(super) struct CallRecords<'a> {
    written: Option<JournalCall<'a>>,
}

#[derive(Debug)]
struct JournalCall<'a> {
    journal: &'a Journal,
    /// The reservation; unused bytes are returned on drop.
    reservation: Reservation<'a>,
    /// The sequence after the last event; `None` if there was none.
    until: Option<Sequence>,
    record: Vec<u8>,
}

impl Persistence {
    /// Reserves capacity for the events of a call, in bytes. An error means that they could not be
    /// persisted: the caller has changed nothing yet.
    pub(super) async fn reserve(
        &self,
        bytes_max: impl FnOnce() -> usize,
    ) -> Result<CallRecords<'_>, StoreError> {
        let journal = match self {
            Self::Nowhere => return Ok(CallRecords { written: None }),
            Self::ReadOnly => {
                let why = "the store was opened read-only".to_owned();
                return Err(StoreError::Unavailable(why));
            }
            Self::Journal { journal, .. } => journal,
        };
        let bytes_max = bytes_max();
        let reservation = journal.reserve(bytes_max).await;
        let reservation =
            reservation.map_err(|error| StoreError::Unavailable(error.to_string()))?;
        let written = JournalCall {
            journal,
            reservation,
            until: None,
            record: Vec::with_capacity(bytes_max.min(RECORD_BYTES_USUAL)),
        };
        Ok(CallRecords {
            written: Some(written),
        })
    }

    /// Checks that writes are accepted, or will be without a restart.
    pub(super) fn ready(&self) -> Result<(), StoreError> {
        let failure = match self {
            Self::Nowhere | Self::ReadOnly => None,
            Self::Journal { journal, .. } => journal.failure(),
        };
        failure.map_or(Ok(()), |why| Err(StoreError::Unavailable(why)))
    }

    /// Waits until everything that has happened so far is durable.
    pub(super) async fn durable(&self) -> Result<(), StoreError> {
        let Self::Journal { journal, .. } = self else {
            return Ok(());
        };
        let durable = journal.durable(journal.next()).await;
        durable.map_err(|error| StoreError::Unknown(error.to_string()))
    }

    /// Waits until the events of the call are durable, and everything that the call has seen.
    pub(super) async fn wait_durable(&self, call: CallRecords<'_>) -> Result<(), StoreError> {
        let Some(JournalCall {
            journal,
            reservation,
            until,
            ..
        }) = call.written
        else {
            return Ok(());
        };
        // A call without events may return what others wrote: anything up to now.
        let until = until.unwrap_or_else(|| journal.next());
        let durable = journal.commit(reservation, until).await;
        durable.map_err(|error| StoreError::Unknown(error.to_string()))
    }
}

impl Log for CallRecords<'_> {
    fn record(&mut self, event: Event<'_>) {
        if let Some(written) = &mut self.written {
            written.record.clear();
            record::encode(&Record::Event(event), &mut written.record);
            let until = written
                .journal
                .append(&mut written.reservation, &written.record);
            written.until = Some(until);
        }
    }

    fn record_together(&mut self, events: [Event<'_>; 2]) {
        if let Some(written) = &mut self.written {
            let records = events.map(|event| record::encoded(&Record::Event(event)));
            let until = written
                .journal
                .append_together(&mut written.reservation, &records);
            written.until = Some(until);
        }
    }
}
