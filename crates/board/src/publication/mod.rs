//! [`Publication`]: which of a kind's boards are published to another server, for clients that read
//! there.
//!
//! A [`PublishTarget`] is the address of that server, a [`KeyTemplate`] makes the keys of windows there. A kind only
//! names a target; the targets are configured ([`PublishTargets`]). Not here: the encodings of scores, of which only
//! the name is known, and the code that writes.

mod key;
mod target;
mod targets;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use key::{KeyTemplate, KeyTemplateError};
pub use target::{PublishProtocol, PublishTarget, PublishTargetError};
pub use targets::{DuplicateTarget, PublishTargets};

use crate::calendar::Period;
use crate::ident::TargetName;
use crate::kind_error::KindError;
use crate::limits::{ENCODING_BYTES_MAX, PUBLISH_EVERY_MAX, PUBLISH_EVERY_MIN};
use crate::window_rule::WindowRule;

/// The settings by which the merged boards of a kind are published to another server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Publication {
    /// The name of the configured server.
    pub target: TargetName,
    /// The template of a window's key there.
    pub key: KeyTemplate,
    /// The periods whose windows are published; if empty, all of the kind.
    pub windows: Vec<Period>,
    /// The name of the encoding of scores.
    pub encoding: String,
    /// Entries of a window; defaults to the kind's `top`.
    pub top: Option<u64>,
    /// The minimum time between two publications of a window.
    pub every: Duration,
}

impl Publication {
    /// Returns whether windows of this period are published.
    #[must_use]
    pub fn publishes(&self, period: Period) -> bool {
        self.windows.is_empty() || self.windows.contains(&period)
    }

    /// Validates the publication against the kind it is part of.
    pub(crate) fn check(&self, rules: &[WindowRule], top: u64) -> Result<(), KindError> {
        for (i, period) in self.windows.iter().enumerate() {
            let is_new = !self.windows[..i].contains(period);
            let reason = format!("{period} is named twice");
            KindError::unless(is_new, "publish.windows", reason)?;
            let is_ranked = rules.iter().any(|rule| rule.period == *period);
            let reason = format!("{period} is not one of the kind's windows");
            KindError::unless(is_ranked, "publish.windows", reason)?;
        }
        let published = if self.windows.is_empty() {
            rules.len()
        } else {
            self.windows.len()
        };
        self.check_key(published)?;
        if let Some(depth) = self.top {
            let reason = format!("{depth} is not between 1 and {top}, the kind's top");
            KindError::unless((1..=top).contains(&depth), "publish.top", reason)?;
        }
        let is_valid = self.encoding.len() <= ENCODING_BYTES_MAX;
        let reason = format!("is longer than {ENCODING_BYTES_MAX} bytes");
        KindError::unless(is_valid, "publish.encoding", reason)?;
        let is_valid = (PUBLISH_EVERY_MIN..=PUBLISH_EVERY_MAX).contains(&self.every);
        KindError::unless(is_valid, "publish.every", "is not between 100ms and 1h")
    }

    /// Checks that each window of each board has its own key.
    fn check_key(&self, periods: usize) -> Result<(), KindError> {
        let reason = format!("{} does not contain {{subject}}", self.key);
        KindError::unless(self.key.names_subject(), "publish.key", reason)?;
        let reason = format!(
            "{} contains neither {{window}} nor {{period}}, but {periods} windows are published",
            self.key
        );
        let is_valid = periods <= 1 || self.key.names_window();
        KindError::unless(is_valid, "publish.key", reason)
    }
}
