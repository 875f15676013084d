//! The functions of a store on Redis, run in this process, for a Redis that runs no scripts.
//!
//! ```text
//! Interpreter ── Run: one call, command by command; it stops at each, and continues with its reply
//!      └── redis.lua, cmsgpack, struct (packed), reply: what Redis provides to its Lua
//! ```
//!
//! There is no I/O in this crate.

mod cmsgpack;
mod command;
mod interpreter;
mod packed;
mod reply;

pub use command::{Command, Sort};
pub use interpreter::{Broken, Interpreter, Run, Step};
