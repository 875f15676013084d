//! The functions that Redis runs elsewhere, run in this process, for a Redis that runs no scripts.
//!
//! ```text
//! Interpreter ── Run: one call, command by command; it stops at each, and goes on with the answer it is given
//!      └── redis.lua, cmsgpack, struct (packed), reply: what Redis gives to its Lua
//! ```
//!
//! Nothing here knows a server.

mod cmsgpack;
mod command;
mod interpreter;
mod packed;
mod reply;

pub use command::{Command, Sort};
pub use interpreter::{Broken, Interpreter, Run, Step};
