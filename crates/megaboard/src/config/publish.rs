//! `[publish]`: who logs in where boards are published. Where that is, is said by each kind, and kinds are
//! shown.

use std::env;
use std::path::PathBuf;

use publish::{Credentials, Settings};
use serde::Deserialize;

/// The variable of the environment that wins over `user`.
const USER: &str = "MEGABOARD_PUBLISH_USER";

/// The one that wins over `password`.
const PASSWORD: &str = "MEGABOARD_PUBLISH_PASSWORD";

/// The section, setting by setting.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PublishSection {
    user: Option<String>,
    password: Option<String>,
    tls_ca: Option<PathBuf>,
}

/// Without the password.
impl std::fmt::Debug for PublishSection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PublishSection")
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

impl PublishSection {
    pub(super) fn settings(&self) -> Settings {
        let told = |name: &str, held: &Option<String>| {
            let told = env::var(name).ok().filter(|value| !value.is_empty());
            told.or_else(|| held.clone())
        };
        Settings {
            credentials: Credentials {
                user: told(USER, &self.user),
                password: told(PASSWORD, &self.password),
                tls_ca: self.tls_ca.clone(),
            },
        }
    }
}
