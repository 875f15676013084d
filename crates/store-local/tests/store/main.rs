//! The guarantees of the store in this process: the contract of every store ([`conformance`]), what
//! its folder keeps ([`durability`]), and the memory of small boards ([`small_boards`]).

#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

mod conformance;
mod durability;
mod small_boards;
