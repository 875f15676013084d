//! The JSON of the service: kinds, contributions, entries and tops. No HTTP.
//!
//! ```text
//! kind           a kind, as clients and configuration files write it; packed, publish, retain: parts of it
//! contribution   a contribution, and a standing that is set; how a kind reads their values
//! board          the settings of one board, and its time; board_list: boards of a kind
//! entry          renders entries for the merger's cache; entry_read parses them again
//! member         a member's position and neighbours; the number of some members, and the position of a standing
//! envelope       the part that all responses about a board have in common, around what they are about
//! json           writes entries, members and envelopes
//! cursor         the position of an entry, from which on a client continues
//! profile        profiles of members: read, and put into entries
//! scalar, object, duration   the parts of shapes; error: why a shape is rejected
//! schema, written            schemas for the OpenAPI document (feature `schema`)
//! ```
//!
//! Paths, statuses and headers are not here: they are in `api`. serde writes all other JSON.

mod board;
mod board_list;
mod contribution;
mod cursor;
mod duration;
mod entry;
mod entry_read;
mod envelope;
mod error;
mod json;
mod kind;
mod member;
mod object;
mod packed;
pub mod problem;
mod profile;
mod publish;
mod retain;
mod scalar;
#[cfg(feature = "schema")]
mod schema;
#[cfg(feature = "schema")]
mod written;

pub use board::{ExpiryShape, SettingsShape, SpanShape};
pub use board_list::BoardListShape;
pub use contribution::{
    BOARDS_MAX, Contributed, ContributionShape, InputValues, StandingShape, Targets,
};
pub use cursor::{cursor_of, parse_cursor};
pub use entry::{FieldsShape, RENDERER_FORMAT, is_points, render, render_found, render_with};
pub use entry_read::{EntryRead, read_entries, rendered_members};
pub use envelope::{Envelope, top_json};
pub use error::ShapeError;
pub use kind::KindShape;
pub use member::{CountShape, RankShape, member_json};
pub use object::Object;
pub use profile::{ProfileLineShape, ProfileShape, ShownProfiles, with_profiles};
pub use scalar::{Integer, List, NamedIntegers, Text, beginning};
#[cfg(feature = "schema")]
pub use schema::{Schemas, previous_rank, requested_position, requested_rank};
#[cfg(feature = "schema")]
pub use written::{
    EntryWritten, EnvelopeWritten, FoundListWritten, MemberWritten, OwnPositionWritten,
    PageWritten, ProfileWritten, TopWritten, TopsWritten,
};

/// The maximum bytes of one byte of a name in JSON: quotes are escaped, and names have no control characters.
pub const ESCAPED_BYTES_MAX: usize = 2;
