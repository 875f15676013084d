//! The function library: the Lua that Redis runs, put together from the files beside its callers.
//!
//! A file of Lua is beside its only caller; what several use is in `boards/library`, or in `apply/shard.lua` (how a
//! call that changes a shard begins and ends). All files are one source: a local of one file is visible in those behind
//! it.
//!
//! **Invariant:** a function decides everything before its first write, since nothing in Redis rolls back.
//!
//! **Invariant:** a function reads no key that it has written to, and uses no reply of a command that writes: without
//! scripts (`redis-nodes`, `script_free`) its writes are sent when it has ended.
//!
//! **Invariant:** the caller names the keys. No function makes up a name, so that every call stays in its slot.
//!
//! **Invariant:** a function returns one string. fred takes lists of users' strings for messages of its own.

use std::sync::LazyLock;

use redis_nodes::FunctionLibrary;

/// The pieces, in this order: the prelude is first, since all others use it.
const LUA: &[&str] = &[
    include_str!("boards/library/prelude.lua"),
    include_str!("boards/library/packed.lua"),
    include_str!("boards/library/standings.lua"),
    include_str!("boards/registry/records.lua"),
    include_str!("boards/registry/kinds.lua"),
    include_str!("boards/registry/profiles.lua"),
    include_str!("boards/registry/boards.lua"),
    include_str!("boards/registry/incarnations.lua"),
    include_str!("boards/registry/due.lua"),
    include_str!("boards/sweep/sweep.lua"),
    include_str!("boards/shared/shared.lua"),
    include_str!("boards/profiles/profiles.lua"),
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
pub(crate) fn library() -> &'static FunctionLibrary {
    static LIBRARY: LazyLock<FunctionLibrary> =
        LazyLock::new(|| FunctionLibrary::new("megaboard", LUA));
    &LIBRARY
}

#[cfg(test)]
mod tests;
