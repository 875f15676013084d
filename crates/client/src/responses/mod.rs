//! Types of responses. Unknown members are ignored.

mod admin;
mod board;
mod entry;
mod envelope;
mod kind;
mod members;
mod profile;
mod time;
mod values;

pub use admin::{AuditLine, AuditPage, Keys, ListedKey};
pub use board::{
    Boards, Count, Entries, FoundEntries, Info, Listed, MemberPosition, RankOf, Ready, Settled,
    StreamToken, Top, Tops, WindowMembers,
};
pub use entry::{Entry, Found, Moved, Neighbour, Standing};
pub use envelope::{Envelope, Span};
pub use kind::{Field, Kind};
pub use members::{Erased, Hidden, HiddenIn, MemberBoard, MemberBoards, Removed};
pub use profile::{Profile, ProfilesOutcome, RejectedProfile};
pub(crate) use time::in_micros;
pub use values::Values;
