//! What all commands that send contributions, or read long, have in common: what the server answers to a batch
//! ([`Receipt`]), how long to try again ([`Patience`], [`Pauses`]), both those of the client, which lines must keep
//! their order ([`Order`]), and the request to end ([`Stop`]). `import`, `export` and `ingest` know the service by HTTP
//! alone.
//!
//! **Invariant:** a command sends again only what cannot count twice: what was definitely not applied, has an id, or
//! sets a standing at a time of its own. The command decides that, since it knows what it sends.

mod order;
mod stop;

pub(crate) use megaboard_client::{Patience, Pauses, Receipt, ReceiptItem};
pub(crate) use order::Order;
pub(crate) use stop::{INTERRUPTED, NOTICED_WITHIN, Stop};
