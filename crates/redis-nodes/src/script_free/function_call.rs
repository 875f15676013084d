//! A call with the arguments of its function: [`FunctionCall`].

use bytes::Bytes;
use tokio::time::Instant;

use super::fence::Fence;
use crate::call::Effect;

/// A call with the arguments of its function.
#[derive(Debug, Clone, Copy)]
pub(super) struct FunctionCall<'a> {
    /// The function's short name.
    pub(super) function: &'static str,
    /// Its full name.
    pub(super) name: &'a str,
    pub(super) keys: &'a [Bytes],
    /// Including the deadline, by the node's clock, if it has one.
    pub(super) args: &'a [Bytes],
    pub(super) effect: Effect,
    pub(super) until: Instant,
    /// The key that expires when the call must not be applied any more.
    pub(super) fence: Option<&'a Fence>,
}
