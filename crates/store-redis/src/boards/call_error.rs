//! Errors of calls, as errors of the store.

use crate::boards::wire::Garbled;
use redis_nodes::{CallError, Refusal};
use shard_store::{Overload, StoreError};

/// Returns the error of the store. `refused` converts a refusal.
pub(crate) fn store_error(
    error: CallError,
    refused: impl FnOnce(Refusal) -> StoreError,
) -> StoreError {
    match error {
        CallError::Refused(refusal) => refused(refusal),
        CallError::Overloaded(overload) => StoreError::Overloaded(overloaded(overload)),
        CallError::Unavailable(why) => StoreError::Unavailable(why),
        CallError::Unknown(why) => StoreError::Unknown(why),
    }
}

/// Returns the error of a failed call for which no refusal is expected.
pub(crate) fn failed(error: CallError) -> StoreError {
    store_error(error, |refusal| {
        StoreError::Unavailable(format!("Redis refused: {}", refusal.code))
    })
}

/// Returns the same overload as a type of the contract.
pub(crate) fn overloaded(overload: redis_nodes::Overload) -> Overload {
    let redis_nodes::Overload { why, wait } = overload;
    Overload { why, wait }
}

/// Returns the error of a call that changed nothing, and whose reply could not be read.
pub(crate) fn unread(error: Garbled) -> StoreError {
    StoreError::Unavailable(error.to_string())
}
