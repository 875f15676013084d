//! What of a kind's boards is written out, for readers that look at another server: [`Publication`].
//!
//! A [`PublishTarget`] says where that server is, a [`KeyTemplate`] how a board's window is called there.
//! A kind only refers to a target ([`PublishAt`]); which there are is configured ([`PublishTargets`]).
//! Not here: how scores are encoded, which is known by name only, and anything that writes.

mod at;
mod key;
mod target;

use std::time::Duration;

pub use at::{PublishAt, PublishAtError, PublishTargets, TargetTwice};
pub use key::{KeyTemplate, KeyTemplateError};
pub use target::{PublishProtocol, PublishTarget, PublishTargetError};

use crate::kind::{KindError, WindowRule};
use crate::limits::{ENCODING_BYTES_MAX, PUBLISH_EVERY_MAX, PUBLISH_EVERY_MIN};
use crate::window::Period;

/// The merged boards of a kind, kept on another server for those who read there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    /// The configured server.
    pub at: PublishAt,
    /// What a board's window is called there.
    pub key: KeyTemplate,
    /// The periods whose windows are published; all of the kind where it names none.
    pub windows: Vec<Period>,
    /// How scores are written, as the encodings are named.
    pub encoding: String,
    /// Entries of a window, where not as many as the kind's `top`.
    pub top: Option<u64>,
    /// A window is published at most this often.
    pub every: Duration,
}

impl Publication {
    /// Whether windows of this period are published.
    #[must_use]
    pub fn publishes(&self, period: Period) -> bool {
        self.windows.is_empty() || self.windows.contains(&period)
    }

    /// Holds it against the kind it is part of.
    pub(crate) fn check(&self, rules: &[WindowRule], top: u64) -> Result<(), KindError> {
        for (i, period) in self.windows.iter().enumerate() {
            if self.windows[..i].contains(period) {
                let reason = format!("{period} is named twice");
                return Err(KindError::new("publish.windows", reason));
            }
            if !rules.iter().any(|rule| rule.period == *period) {
                let reason = format!("{period} is none of the kind's windows");
                return Err(KindError::new("publish.windows", reason));
            }
        }
        let published = if self.windows.is_empty() {
            rules.len()
        } else {
            self.windows.len()
        };
        self.check_key(published)?;
        if let Some(depth) = self.top
            && !(1..=top).contains(&depth)
        {
            let reason = format!("{depth} is not between 1 and {top}, the kind's top");
            return Err(KindError::new("publish.top", reason));
        }
        if self.encoding.len() > ENCODING_BYTES_MAX {
            let reason = format!("is longer than {ENCODING_BYTES_MAX} bytes");
            return Err(KindError::new("publish.encoding", reason));
        }
        if !(PUBLISH_EVERY_MIN..=PUBLISH_EVERY_MAX).contains(&self.every) {
            let reason = "is not between 100ms and 1h";
            return Err(KindError::new("publish.every", reason));
        }
        Ok(())
    }

    /// Whether each window of each board has a key of its own.
    fn check_key(&self, periods: usize) -> Result<(), KindError> {
        if !self.key.names_subject() {
            let reason = format!("{} does not hold {{subject}}", self.key);
            return Err(KindError::new("publish.key", reason));
        }
        if periods > 1 && !self.key.names_window() {
            let reason = format!(
                "{} holds neither {{window}} nor {{period}}, and {periods} windows are published",
                self.key
            );
            return Err(KindError::new("publish.key", reason));
        }
        Ok(())
    }
}
