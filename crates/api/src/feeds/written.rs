//! [`ChangesWritten`]: the shape of event `changes`, for the document of the contract.

use utoipa::ToSchema;
use wire::{EntryWritten, EnvelopeWritten};

/// What moved in a top, as event `changes` of a stream shows it. Take out whom any list names, then put
/// the entries at their positions.
#[derive(ToSchema)]
#[schema(as = Changes)]
#[expect(dead_code, reason = "a schema is made of it")]
pub(crate) struct ChangesWritten {
    #[serde(flatten)]
    envelope: EnvelopeWritten,
    /// True while the store is away: the last board that was seen.
    #[schema(required = false)]
    stale: bool,
    /// Who was not there before.
    entered: Vec<MovedWritten>,
    /// The members who are there no more.
    left: Vec<String>,
    /// Who climbed.
    up: Vec<MovedWritten>,
    /// Who fell.
    down: Vec<MovedWritten>,
    /// Who stands where they stood, with other values.
    changed: Vec<MovedWritten>,
}

/// An entry at its position.
#[derive(ToSchema)]
#[schema(as = Moved)]
#[expect(dead_code, reason = "a schema is made of it")]
struct MovedWritten {
    /// Counted from 1.
    #[schema(minimum = 1)]
    position: u64,
    /// Of those who climbed or fell: the position before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1)]
    was: Option<u64>,
    #[serde(flatten)]
    entry: EntryWritten,
}
