//! The JSON of the service: kinds, contributions, entries and tops. No HTTP.
//!
//! ```text
//! kind           a kind, as clients and configuration files write it; packed, publish, retain: parts of it
//! contribution   a contribution, and a standing that is set; how a kind reads their values
//! board          the settings of one board, and its time; board_list: boards of a kind
//! entry          renders entries for the merger's cache; entry_read parses them again
//! top, member    a top around rendered entries; a member's position and neighbours
//! cursor         the position of an entry, from which on a client continues
//! profile        profiles of members: read, and put into entries
//! envelope       the part that all responses about a board have in common
//! counted        the number of some members, and the position of a standing
//! json           writes the JSON of these five
//! scalar, object, duration   the parts of shapes; error: why a shape is rejected
//! schema, written            schemas for the OpenAPI document (feature `schema`)
//! ```
//!
//! Paths, statuses and headers are not here: they are in `api`. Shapes that are written by hand, for speed, have a twin
//! in `written`, which tests of `api` deserialize them into.

mod board;
mod board_list;
mod contribution;
mod counted;
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
mod top;
#[cfg(feature = "schema")]
mod written;

pub use board::{ExpiryShape, SettingsShape, SpanShape};
pub use board_list::BoardListShape;
pub use contribution::{
    BOARDS_MAX, Contributed, ContributionShape, InputValues, StandingShape, Targets,
};
pub use counted::{CountShape, RankShape};
pub use cursor::{cursor_of, parse_cursor};
pub use entry::{Entries, EntryShape, LookedUpShape, Page, RENDERER_FORMAT, is_points, render};
pub use entry_read::{EntryRead, read_entries, rendered_members};
pub use envelope::Envelope;
pub use error::ShapeError;
pub use json::{JsonMembers, JsonText};
pub use kind::KindShape;
pub use member::MemberShape;
pub use object::Object;
pub use profile::{ProfileLineShape, ProfileShape, ShownProfiles, with_profiles};
pub use scalar::{Integer, List, NamedIntegers, Text, beginning};
#[cfg(feature = "schema")]
pub use schema::Schemas;
pub use top::{TopHead, top_json};
#[cfg(feature = "schema")]
pub use written::{
    EntryWritten, EnvelopeWritten, FieldsWritten, LookedUpWritten, MemberWritten, NeighbourWritten,
    NumberOrNull, ProfileWritten, StandingWritten, TopWritten, TopsWritten,
};

/// The maximum bytes of one byte of a name in JSON: quotes are escaped, and names have no control characters.
pub const ESCAPED_BYTES_MAX: usize = 2;
