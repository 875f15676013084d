//! The logins of the servers that boards are published to: [`Credentials`].

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;

use board::TargetName;
use redis_nodes::redis_link::{Tls, TlsError};

/// The logins of targets, and the certificates that are trusted over TLS.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    logins: HashMap<TargetName, Login>,
    tls_ca: Option<PathBuf>,
}

/// A user and a password.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Login {
    /// Defaults to the default user of Redis.
    pub user: Option<String>,
    /// Defaults to no password.
    pub password: Option<String>,
}

impl Credentials {
    /// Creates credentials without logins. `tls_ca` is a PEM file of certificates that are trusted besides those of the
    /// system.
    #[must_use]
    pub fn new(tls_ca: Option<PathBuf>) -> Self {
        let logins = HashMap::new();
        Self { logins, tls_ca }
    }

    /// Adds the login of a target. The login of a cluster is used for all its nodes.
    pub fn add(&mut self, target: TargetName, login: Login) {
        self.logins.insert(target, login);
    }

    /// Returns the login of this target, or an empty one if it has none.
    pub(crate) fn login(&self, target: &TargetName) -> Login {
        self.logins.get(target).cloned().unwrap_or_default()
    }

    /// Returns the configuration of connections over TLS.
    pub(crate) fn tls(&self) -> Result<Tls, TlsError> {
        Tls::new(self.tls_ca.as_deref())
    }
}

impl Login {
    /// Returns the login for Redis; `None` without a password.
    pub(crate) fn into_redis(self) -> Option<redis_nodes::redis_link::Login> {
        let user = self.user;
        self.password
            .map(|password| redis_nodes::redis_link::Login { user, password })
    }
}

/// Omits the password.
impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login")
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_only_for_its_target_and_is_not_shown() {
        let login = Login {
            user: Some("u".to_owned()),
            password: Some("s3cret".to_owned()),
        };
        let (one, other): (TargetName, TargetName) =
            ("one".parse().unwrap(), "other".parse().unwrap());
        let mut credentials = Credentials::default();
        credentials.add(one.clone(), login.clone());
        assert_eq!(credentials.login(&one), login);
        assert_eq!(credentials.login(&other), Login::default());
        assert!(!format!("{credentials:?}").contains("s3cret"));
    }
}
