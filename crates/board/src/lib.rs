//! What a leaderboard is: kinds, fields, order, folding, identifiers, limits; times and windows
//! ([`calendar`]).
//!
//! Pure: no I/O, no async, no clock (`now` is a parameter).
//!
//! The enumerations of a kind's settings derive serde's traits: their words are the same in the API, in
//! configuration files and in stored kinds. What surrounds the words differs, and belongs to `wire`
//! and to `shard-store`.

mod activity;
mod admission;
pub mod calendar;
mod change;
mod fold;
mod hidden;
mod ident;
mod kind;
mod kind_error;
pub mod limits;
mod meaning;
mod order;
mod overtake;
mod packing;
mod profile;
mod publication;
mod retain;
mod rules;
mod rules_error;
mod shard_count;
mod standing;
mod text_form;
mod ties;
mod value;
mod window_rule;

pub use crate::calendar::{
    Calendar, DayStart, DayStartError, Period, Seasons, SeasonsError, SelectorError, Span,
    Timestamp, TimestampError, UnknownPeriod, UnknownTimeZone, Weekday, WeeksFrom, WeeksFromError,
    Window, WindowSelector,
};

pub use activity::{Activity, ActivityChangeError, ActivityError, ActivityRejection};
pub use admission::{Admission, AdmissionError, WindowState, Windows};
pub use change::ChangeError;
pub use fold::OutOfRange;
pub use hidden::{Hidden, TooManyHidden};
pub use ident::{
    BoardName, ContributionId, FieldName, IdDigest, IdentError, Incarnation, KindName, Member,
    RESERVED_FIELD_NAMES, Subject, TargetName, is_invisible,
};
pub use kind::{Kind, KindSpec, RankStyle};
pub use kind_error::KindError;
pub use meaning::Meaning;
pub use order::{Bound, NameOrder, RANK_WORDS_MAX, RankKey, RankWords};
pub use packing::Packing;
pub use profile::{Profile, ProfileError};
pub use publication::{
    DuplicateTarget, KeyTemplate, KeyTemplateError, Publication, PublishProtocol, PublishTarget,
    PublishTargetError, PublishTargets,
};
pub use retain::Retain;
pub use rules::{FieldRule, Mode, Op, Rules, ValuesError};
pub use rules_error::RulesError;
pub use shard_count::ShardCount;
pub use standing::{STANDING_WORDS_MAX, Standing};
pub use ties::{Direction, Ties};
pub use value::{Value, Values};
pub use window_rule::{Keep, WindowRule};
