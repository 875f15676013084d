//! The function library: the Lua that Redis runs, put together from the files beside its callers.
//!
//! A file of Lua is beside its only caller; what several use is here, or in `apply/shard.lua` (how a call that
//! changes a shard begins and ends). All files are one source: a local of one file is visible in those behind it in
//! `PARTS`.
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

/// Prelude first: what comes later uses what stands before.
const PARTS: &[&str] = &[
    include_str!("prelude.lua"),
    include_str!("packed.lua"),
    include_str!("standings.lua"),
    include_str!("../registry/records.lua"),
    include_str!("../registry/kinds.lua"),
    include_str!("../registry/boards.lua"),
    include_str!("../registry/incarnations.lua"),
    include_str!("../registry/due.lua"),
    include_str!("../sweep/sweep.lua"),
    include_str!("../read/order.lua"),
    include_str!("../apply/shard.lua"),
    include_str!("../lists/lists.lua"),
    include_str!("../apply/ids.lua"),
    include_str!("../apply/sums.lua"),
    include_str!("../apply/fold.lua"),
    include_str!("../apply/apply.lua"),
    include_str!("../read/read.lua"),
    include_str!("../read/windows.lua"),
    include_str!("../verify/verify.lua"),
    include_str!("../shared/shared.lua"),
];

/// The library of this version of the program.
pub(super) fn library() -> &'static FunctionLibrary {
    static LIBRARY: LazyLock<FunctionLibrary> =
        LazyLock::new(|| FunctionLibrary::new("megaboard", PARTS));
    &LIBRARY
}

#[cfg(test)]
mod tests;
