//! Properties of kinds, folding and order: held against naive twins where there is one, by example elsewhere.
//! Each module is about one of them.

#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

mod activity;
mod admission;
mod changes;
mod fixtures;
mod folding;
mod kinds;
mod lists;
mod order;
mod overtaking;
mod packing;
mod placement;
