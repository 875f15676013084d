//! [`ChangesWritten`]: the twin of event `changes`, which is written by hand, for the document of the contract.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use wire::{EntryWritten, EnvelopeWritten};

/// What moved in a top, as event `changes` of a stream shows it. Take out whom any list names, then put
/// the entries at their positions.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Changes)]
pub(crate) struct ChangesWritten {
    #[serde(flatten)]
    pub(crate) envelope: EnvelopeWritten,
    /// True while the store is away: the last board that was seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub(crate) stale: bool,
    /// Who was not there before.
    pub(crate) entered: Vec<MovedWritten>,
    /// The members who are there no more.
    pub(crate) left: Vec<String>,
    /// Who climbed.
    pub(crate) up: Vec<MovedWritten>,
    /// Who fell.
    pub(crate) down: Vec<MovedWritten>,
    /// Who stands where they stood, with other values.
    pub(crate) changed: Vec<MovedWritten>,
}

/// An entry at its position.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Moved)]
pub(crate) struct MovedWritten {
    /// Counted from 1.
    #[schema(minimum = 1)]
    pub(crate) position: u64,
    /// Of those who climbed or fell: the position before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1)]
    pub(crate) was: Option<u64>,
    #[serde(flatten)]
    pub(crate) entry: EntryWritten,
}
