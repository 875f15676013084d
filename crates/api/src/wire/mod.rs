//! The shapes on the wire: requests in, answers out. Nothing outside this crate sees them.

mod answer;
mod board;
mod contribution;
mod entry;
mod entry_read;
mod kind;
mod object;
mod packed;
mod place;
mod publish;
mod retain;
mod scalar;
mod schema;
mod written;

pub(crate) use answer::{Answer, ESCAPED_BYTES_MAX, Envelope, json};
pub(crate) use board::{ExpiryShape, SettingsShape, SpanShape};
pub(crate) use contribution::{
    BOARDS_MAX, Contributed, ContributionShape, Named, StandingShape, Targets,
};
pub(crate) use entry::{Entries, EntryShape, FieldsShape, put_entry};
pub use entry::{RENDERER_MARK, render};
pub use entry_read::{EntryRead, read_entries};
pub use kind::{KindShape, ShapeError};
pub(crate) use object::Object;
pub(crate) use place::PlaceShape;
pub(crate) use scalar::{Integer, List, NamedIntegers};
pub(crate) use schema::{Schemas, written_as};
#[cfg(test)]
pub(crate) use written::PlaceWritten;
pub(crate) use written::{EntryWritten, FoundWritten, StandingWritten, TopWritten, TopsWritten};
