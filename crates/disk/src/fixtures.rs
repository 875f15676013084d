//! A disk in memory that crashes, fails and fills up, for tests of durability.
//!
//! [`SimDisk`] is a [`Disk`](crate::Disk) in which only synced data is durable. `pages` is one file of it, in pages. A
//! [`Trap`] fails an operation, or runs something before it. This crate does not know the contents of files.

#![expect(
    clippy::unwrap_used,
    clippy::must_use_candidate,
    reason = "this crate is only for tests, in which failures should panic"
)]

mod folder;
mod pages;
#[cfg(test)]
mod tests;
mod trap;

pub use folder::SimDisk;
pub use trap::{EIO, ENOSPC, Failure, Operation, Times, Trap};
