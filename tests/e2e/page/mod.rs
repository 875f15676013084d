//! The live page at `/`: what is served, and what it does in a real browser. Beside it, the example for pages
//! of others (`docs/typescript`), from another origin (`tests/page/host.mjs`).
//!
//! Scenarios are JavaScript, in `tests/page`, since what they see happens in a page; `browser` runs all of them in
//! one Chromium, over one server of its own. There is one font alone; what is about layout runs with a wide and a
//! narrow one (`fonts.mjs`). Screenshots go to `target/page-screenshots`.

mod browser;
mod files;
mod scenarios;

pub(crate) use browser::scripts;
