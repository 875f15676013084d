//! Cached global boards: the merged top of a window, as bytes.
//!
//! A [`Snapshot`] is made once and served as it is: the first n entries of it are a slice of its
//! bytes. Boards that are read are merged again when the last merge is older than the kind allows,
//! one merge at a time a board (`gate`), and only if a shard has changed. Boards yet unborn are cached
//! alike (`life`). Where several servers share a store, one of them merges and the others take what it has
//! published (`share`, `publish`, `wire`). Boards that nobody reads cost nothing, and the bytes of all together have a limit.

mod gate;
mod life;
mod merge;
mod publish;
mod share;
mod shown;
mod snapshot;
mod top;
mod wire;

pub use snapshot::{Rendered, Snapshot, TopAnswer, TopForm};
pub use top::TopView;

pub(crate) use top::{GlobalBoards, Key};
