//! Arguments of functions and their replies, as msgpack: Lua reads and writes it in C.
//!
//! [`Pack`] writes an argument, [`Unpack`] reads a reply value by value. A reply without the shape
//! that the function returns is [`Garbled`]: another program's, or damaged.

mod pack;
mod unpack;

pub use pack::Pack;
pub(crate) use pack::millis;
pub use unpack::{Garbled, Unpack};
