//! What the store in this process promises: the contract of every store ([`conformance`]), what its folder keeps
//! ([`durability`]), and what small boards take in memory ([`small_boards`]).

#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

mod conformance;
mod durability;
mod small_boards;
