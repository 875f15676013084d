//! The embedded engine's data structures.

#![cfg_attr(
    not(test),
    expect(dead_code, reason = "the engine that uses them is not wired yet")
)]

mod table;
mod tree;
