//! Reads over many shards: held against a plain sort, counted, raced with writes, and made to fail.
//!
//! `stage` sets a board up, `twin` is the plain sort that it has to agree with, `woven` is a store
//! that lets a test in between its calls.

mod agree;
mod any_page_of_a_million;
mod kinds;
mod members_of_a_million;
mod million;
mod price;
mod price_of_a_page;
mod price_of_a_rank;
mod random;
mod small_boards;
mod stage;
mod twin;
mod values_of_a_million;
