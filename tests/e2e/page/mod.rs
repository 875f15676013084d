//! The live page at `/`: what is served, and what it does in a real browser. Beside it, the example for pages
//! of others (`docs/typescript`), from another origin.
//!
//! Scenarios are JavaScript, in `tests/page`, since what they see happens in a page; `browser` runs all of
//! them in one browser, over one server of its own.

mod browser;
mod files;
mod scenarios;

pub(crate) use browser::scripts;
