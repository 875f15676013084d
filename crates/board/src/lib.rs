//! What a leaderboard is: kinds, fields, order, folding, windows, identifiers, limits.
//!
//! Pure: no I/O, no async, no clock (`now` is a parameter), no serde.

mod activity;
mod admission;
mod change;
mod fold;
mod hidden;
mod ident;
mod kind;
pub mod limits;
mod meaning;
mod order;
mod packing;
mod publication;
mod retain;
mod rules;
mod standing;
mod target;
mod timestamp;
mod value;
mod window;

pub use activity::{Activity, ActivityError, NotOpen};
pub use admission::{Admission, NotAdmitted, WindowState, Windows};
pub use change::ChangeError;
pub use fold::OutOfRange;
pub use hidden::{Hidden, TooManyHidden};
pub use ident::{
    BoardName, ContributionId, FieldName, IdDigest, IdentError, Incarnation, KindName, Member,
    RESERVED_FIELD_NAMES, Subject, TargetName,
};
pub use kind::{Keep, Kind, KindError, KindSpec, RankStyle, ShardCount, WindowRule};
pub use meaning::Meaning;
pub use order::{Bound, NameOrder, RANK_WORDS_MAX, RankKey, RankWords};
pub use packing::Packing;
pub use publication::{
    KeyTemplate, KeyTemplateError, Publication, PublishAt, PublishAtError, PublishProtocol,
    PublishTarget, PublishTargetError, PublishTargets, TargetTwice,
};
pub use retain::Retain;
pub use rules::{Direction, FieldRule, Mode, Op, Rules, RulesError, Ties, ValuesError};
pub use standing::{STANDING_WORDS_MAX, Standing};
pub use timestamp::{Timestamp, TimestampError};
pub use value::{Value, Values};
pub use window::{
    Calendar, Period, SelectorError, Span, UnknownPeriod, UnknownTimeZone, Window, WindowSelector,
};
