//! The function library: the Lua that Redis runs, put together from the files beside its callers.
//!
//! A file of Lua is beside its only caller; what several use is in `boards`, or in `apply/shard.lua` (how a call
//! that changes a shard begins and ends). All files are one source: a local of one file is visible in those behind it.
//! The rules for all functions are in the head of `crate::boards::library`.

use std::sync::LazyLock;

use crate::boards::library::LUA;
use redis_nodes::FunctionLibrary;

/// The functions of this crate. Those of `boards`, which these use, precede them.
const OWN_LUA: &[&str] = &[
    include_str!("read/order.lua"),
    include_str!("apply/shard.lua"),
    include_str!("lists/lists.lua"),
    include_str!("apply/ids.lua"),
    include_str!("apply/single.lua"),
    include_str!("apply/fold.lua"),
    include_str!("apply/values.lua"),
    include_str!("apply/apply.lua"),
    include_str!("read/read.lua"),
    include_str!("read/windows.lua"),
    include_str!("verify/verify.lua"),
];

/// Returns the library of this version of the program.
pub(super) fn library() -> &'static FunctionLibrary {
    static LIBRARY: LazyLock<FunctionLibrary> =
        LazyLock::new(|| FunctionLibrary::new("megaboard", &[LUA, OWN_LUA].concat()));
    &LIBRARY
}

#[cfg(test)]
mod tests;
