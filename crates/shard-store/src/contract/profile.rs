//! Profiles of members, which a kind has once for all its boards.

use board::{Member, Profile};
use serde::{Deserialize, Serialize};

/// Maximum changes of one call.
pub const PROFILE_CHANGES_MAX: usize = 1_000;

/// A change of a member's profile.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ProfileChange {
    /// The member.
    pub member: Member,
    /// The profile that replaces its last one; `None` deletes that.
    pub profile: Option<Profile>,
}
