//! `[publish]`: who logs in where boards are published. Where that is, is said by each kind; a login is sent
//! to the target that it is written under, and to no other that a kind may name.

use std::collections::BTreeMap;
use std::path::PathBuf;

use board::{PublishTarget, PublishTargetError};
use publish::{Credentials, Login, LoginError, Settings};
use serde::Deserialize;

/// The section, setting by setting.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PublishSection {
    tls_ca: Option<PathBuf>,
    /// By target, as kinds name it.
    targets: BTreeMap<String, TargetSection>,
}

/// One of `[publish.targets]`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TargetSection {
    user: Option<String>,
    password: Option<String>,
}

/// Without the password.
impl std::fmt::Debug for TargetSection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TargetSection")
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

/// Why the section cannot be used. Never repeats what may be a password.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PublishError {
    #[error("a target's name holds a user or a password, which are settings of their own below it")]
    Login,
    #[error("{name:?} {error}")]
    Target {
        name: String,
        error: PublishTargetError,
    },
    #[error(transparent)]
    Of(#[from] LoginError),
}

impl PublishSection {
    pub(super) fn settings(&self) -> Result<Settings, PublishError> {
        let mut credentials = Credentials::new(self.tls_ca.clone());
        for (name, section) in &self.targets {
            if name.contains('@') {
                return Err(PublishError::Login);
            }
            let target: PublishTarget = name.parse().map_err(|error| {
                let name = name.clone();
                PublishError::Target { name, error }
            })?;
            let login = Login {
                user: section.user.clone(),
                password: section.password.clone(),
            };
            credentials.add(&target, login)?;
        }
        Ok(Settings { credentials })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_target_is_told_without_the_password() {
        for (text, part) in [
            ("[targets.\"redis://u:s3cret@a\"]", "settings of their own"),
            ("[targets.\"a:6379\"]", "\"a:6379\" is none of redis://"),
            ("[targets.\"memcached://a\"]\nuser = \"u\"", "memcached"),
            (
                "[targets.\"redis://a\"]\n[targets.\"redis://a:6379/2\"]",
                "redis://a:6379 has two logins",
            ),
        ] {
            let section: PublishSection = toml::from_str(text).unwrap();
            let error = section.settings().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}
