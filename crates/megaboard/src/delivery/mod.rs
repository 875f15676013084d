//! What all commands that send contributions, or read long, have alike: what the server answers to a
//! batch ([`Receipt`]), how long to try again ([`Patience`], [`Pauses`]), both those of the client, and the wish
//! to end ([`Stop`]).
//!
//! What may be sent again is decided by the command, since it knows what it sends.

mod stop;

pub(crate) use megaboard_client::{Patience, Pauses, Receipt, ReceiptItem};
pub(crate) use stop::{INTERRUPTED, NOTICED_WITHIN, Stop};
