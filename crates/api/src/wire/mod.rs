//! The shapes on the wire: requests in, answers out. Nothing outside this crate sees them.

mod answer;
mod contribution;
mod entry;
mod kind;
mod scalar;

pub(crate) use answer::{Answer, Envelope};
pub(crate) use contribution::{ContributionShape, StandingShape, Targets};
pub(crate) use entry::{EntryShape, FieldsShape};
pub use entry::render;
pub use kind::{KindShape, ShapeError};
pub(crate) use scalar::{Integer, Moment, NamedIntegers, Text};
