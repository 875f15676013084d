//! What all commands that send contributions, or read long, have alike: what the server answers to a
//! batch ([`Receipt`]), how long to try again ([`Patience`], [`Pauses`]), and the wish to end
//! ([`Stop`]).
//!
//! What may be sent again is decided by the command, since it knows what it sends.

mod receipt;
mod retry;
mod stop;

pub(crate) use receipt::{Item, Receipt};
pub(crate) use retry::{Patience, Pauses};
pub(crate) use stop::{INTERRUPTED, NOTICED_WITHIN, Stop};
