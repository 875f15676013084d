//! What the server answers, read into types. Members that are not known here are skipped.

mod board;
mod entry;
mod envelope;
mod values;

pub use board::{
    Boards, Count, Entries, FoundEntries, Info, Listed, Place, RankOf, Ready, Settled, StreamToken,
    Top, WindowMembers,
};
pub use entry::{Entry, Found, Moved, Neighbour, Standing};
pub use envelope::{Envelope, Span};
pub use values::Values;
