//! [`Facts`]: what a prepared response depends on, beside the request.

use crate::repeated::ServedBoard;
use crate::route::Matched;

/// What a prepared response depends on, beside the request.
pub(super) struct Facts {
    pub(super) board: ServedBoard,
    /// For the metrics.
    pub(super) matched: Matched,
    /// Whether keys were configured.
    pub(super) had_keys: bool,
}
