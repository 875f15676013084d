//! Profiles of members: [`Profile`], and what a change of many did.

use serde::{Deserialize, Serialize};

/// What a kind shows of a member beside its rank. At least one part is required.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Profile {
    /// What the member is called: at most 64 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The URL of an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avatar: Option<String>,
    /// Any JSON, at most 1,024 bytes without white space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<serde_json::Value>,
}

impl Profile {
    /// Creates a profile without parts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the name.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the URL of an image.
    #[must_use]
    pub fn avatar(mut self, url: impl Into<String>) -> Self {
        self.avatar = Some(url.into());
        self
    }

    /// Sets the data.
    #[must_use]
    pub fn data(mut self, data: serde_json::Value) -> Self {
        self.data = Some(data);
        self
    }
}

/// What a change of many profiles did: [`Client::put_profiles`](crate::Client::put_profiles).
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct ProfilesOutcome {
    /// The number of profiles that were set.
    pub put: u64,
    /// The number of profiles that were deleted, or were not there.
    pub deleted: u64,
    /// The others.
    pub rejected: Vec<RejectedProfile>,
}

/// A profile that was rejected.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct RejectedProfile {
    /// Its index among all.
    pub index: u64,
    /// What is wrong with it.
    pub detail: String,
}
