//! The embedded engine's data structures.

#![cfg_attr(
    not(test),
    expect(
        dead_code,
        unused_imports,
        reason = "the engine that uses them is not wired yet"
    )
)]

mod table;
mod tree;
