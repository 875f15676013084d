//! Where a store in this process keeps what happens: nowhere.

use crate::contract::StoreError;
use crate::engine::{Event, Log};

/// Where it is kept.
#[derive(Debug)]
pub(super) enum Keep {
    /// In memory alone.
    Nowhere,
}

/// The events of one call, and the room that was made for them.
#[derive(Debug)]
pub(super) struct Entry;

impl Keep {
    /// Makes room for what a call may tell, in bytes. Refused where it could not be kept: the
    /// caller has changed nothing yet.
    pub(super) async fn room(&self, _bytes: impl FnOnce() -> usize) -> Result<Entry, StoreError> {
        match self {
            Self::Nowhere => Ok(Entry),
        }
    }

    /// Ready when what the call told is durable, and whatever it saw.
    pub(super) async fn kept(&self, _entry: Entry) -> Result<(), StoreError> {
        match self {
            Self::Nowhere => Ok(()),
        }
    }
}

impl Log for Entry {
    fn note(&mut self, _event: Event<'_>) {}
}
