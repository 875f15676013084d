//! The live page at `/`: its files, and its behaviour in a real browser. Also the example for pages
//! of others (`docs/typescript`), served from another origin (`tests/page/host.mjs`).
//!
//! The scenarios are JavaScript, in `tests/page`, since they inspect the page. They share one
//! Chromium, which the first one starts, and have a server each; none may request another host or
//! log an error. Only one font is installed for most scenarios; those about layout run with a wide
//! and a narrow one (`fonts.mjs`). Those that take long are sampled ([`testkit::sampled!`]).
//! Screenshots are saved in `target/page-screenshots`.

mod browser;
mod files;
mod scenarios;

pub(crate) use browser::scripts;
