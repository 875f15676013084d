//! A call as a function is given it: [`FunctionCall`].

use bytes::Bytes;
use tokio::time::Instant;

use super::fence::Fence;
use crate::call::Effect;

/// A call as a function is given it.
#[derive(Debug, Clone, Copy)]
pub(super) struct FunctionCall<'a> {
    /// The function's short name.
    pub(super) function: &'static str,
    /// Its full one.
    pub(super) name: &'a str,
    pub(super) keys: &'a [Bytes],
    /// With the deadline, by the node's clock, where there is one.
    pub(super) args: &'a [Bytes],
    pub(super) effect: Effect,
    pub(super) until: Instant,
    /// What it must not come behind.
    pub(super) fence: Option<&'a Fence>,
}
