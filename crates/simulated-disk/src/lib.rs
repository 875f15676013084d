//! A disk in memory that can be crashed, failed, filled and watched: for tests of what is durable.
//!
//! [`SimDisk`] is a [`Disk`](disk::Disk) in which only synced data is durable. `pages` is one file
//! of it, page by page. A [`Trap`] fails an operation, or runs something before it. Nothing here
//! knows the contents of files.

#![expect(
    clippy::unwrap_used,
    clippy::must_use_candidate,
    reason = "all of this crate is for tests: what fails is to panic, with where it happened"
)]

mod folder;
mod pages;
#[cfg(test)]
mod tests;
mod trap;

pub use folder::SimDisk;
pub use trap::{EIO, ENOSPC, Failure, Operation, Times, Trap};
