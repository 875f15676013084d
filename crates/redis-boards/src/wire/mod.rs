//! Arguments of functions and their answers, as msgpack: Lua reads and writes it in C.
//!
//! [`Pack`] writes an argument, [`Unpack`] reads an answer value by value. An answer that is not of
//! the shape that the function gives is [`Garbled`]: another program's, or a damaged one.

mod pack;
mod unpack;

pub use pack::Pack;
pub(crate) use pack::millis;
pub use unpack::{Garbled, Unpack};
