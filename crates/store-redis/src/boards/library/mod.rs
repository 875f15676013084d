//! The Lua of this crate's functions, and what functions of other crates build on: [`LUA`].
//!
//! A file of Lua is beside its only caller; what several use is here. All files of a store are one source
//! (`store-redis`, `library.rs`): a local of one file is visible in those behind it.
//!
//! **Invariant:** a function decides everything before its first write, since nothing in Redis rolls back.
//!
//! **Invariant:** a function reads no key that it has written to, and uses no reply of a command that writes: without
//! scripts (`redis-nodes`, `script_free`) its writes are sent when it has ended.
//!
//! **Invariant:** the caller names the keys. No function makes up a name, so that every call stays in its slot.
//!
//! **Invariant:** a function returns one string. fred takes lists of users' strings for messages of its own.

/// Pieces of one source, in this order: the prelude is first, since all others use it.
pub const LUA: &[&str] = &[
    include_str!("prelude.lua"),
    include_str!("packed.lua"),
    include_str!("standings.lua"),
    include_str!("../registry/records.lua"),
    include_str!("../registry/kinds.lua"),
    include_str!("../registry/profiles.lua"),
    include_str!("../registry/boards.lua"),
    include_str!("../registry/incarnations.lua"),
    include_str!("../registry/due.lua"),
    include_str!("../sweep/sweep.lua"),
    include_str!("../shared/shared.lua"),
    include_str!("../profiles/profiles.lua"),
];

/// The library of this crate alone.
#[cfg(test)]
pub(crate) fn library() -> &'static redis_nodes::FunctionLibrary {
    use std::sync::LazyLock;

    use redis_nodes::FunctionLibrary;

    static LIBRARY: LazyLock<FunctionLibrary> =
        LazyLock::new(|| FunctionLibrary::new("megaboard", LUA));
    &LIBRARY
}
