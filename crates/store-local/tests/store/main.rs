//! The guarantees of the store in this process: the contract of every store ([`conformance`]), what
//! its folder keeps ([`durability`]), the memory of small boards ([`small_boards`]), and files that were made to do harm
//! ([`crafted_files`]).

#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

mod conformance;
mod crafted_files;
mod durability;
mod own_process;
mod small_boards;
