//! The function library: the Lua that Redis runs, put together from the files beside its callers.
//!
//! A file of Lua is beside its only caller; what several use is here, or in `apply/shard.lua` (how a call that
//! changes a shard begins and ends). All files are one source: a local of one file is visible in those behind it in
//! `PARTS`. The library and each of its functions are named by a digest of the source, so that versions live beside
//! one another: an older server never replaces what a newer one calls, nor the other way round.
//!
//! **Invariant:** a function decides everything before its first write, since nothing in Redis rolls back.
//!
//! **Invariant:** a function reads no key that it has written to, and uses no reply of a command that writes: without
//! scripts (`servers/script_free`) its writes are sent when it has ended.
//!
//! **Invariant:** the caller names the keys. No function makes up a name, so that every call stays in its slot.
//!
//! **Invariant:** a function returns one string. fred takes lists of users' strings for messages of its own.

use std::sync::OnceLock;

use twox_hash::XxHash3_64;

/// Where the source leaves room for the digest.
const DIGEST: &str = "@DIGEST@";

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

/// A library as Redis loads it.
#[derive(Debug)]
pub(super) struct Library {
    /// With its first line, which names engine and library: `megaboard_5f3a9c2e`.
    pub(super) source: String,
    digest: String,
}

impl Library {
    /// The library of this version of the program.
    pub(super) fn this() -> &'static Self {
        static THIS: OnceLock<Library> = OnceLock::new();
        THIS.get_or_init(|| Self::of(PARTS))
    }

    fn of(parts: &[&str]) -> Self {
        let body = parts.concat();
        let digest = XxHash3_64::oneshot(body.as_bytes());
        let digest = format!("{:08x}", digest >> 32);
        let body = body.replace(DIGEST, &digest);
        Self {
            source: format!("#!lua name=megaboard_{digest}\n{body}"),
            digest,
        }
    }

    /// Without that first line, as Lua itself reads it.
    pub(super) fn lua(&self) -> &str {
        self.source.split_once('\n').map_or("", |(_, lua)| lua)
    }

    /// The full name of a function: `megaboard_apply_5f3a9c2e`.
    pub(super) fn function(&self, name: &str) -> String {
        format!("megaboard_{name}_{}", self.digest)
    }
}
