//! The logins of the servers that boards are published to: [`Credentials`].

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;

use board::TargetName;
use redis_link::{Tls, TlsError};

/// Logins, each for one target, and whom to trust over TLS.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    logins: HashMap<TargetName, Login>,
    tls_ca: Option<PathBuf>,
}

/// A user and a password.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Login {
    /// The user, where it is not Redis's default one.
    pub user: Option<String>,
    /// The password, where there is one.
    pub password: Option<String>,
}

impl Credentials {
    /// No logins; certificates in PEM that sign those of the servers, beside those of the system.
    #[must_use]
    pub fn new(tls_ca: Option<PathBuf>) -> Self {
        let logins = HashMap::new();
        Self { logins, tls_ca }
    }

    /// Adds the login of a target; that of a cluster is for all its nodes.
    pub fn add(&mut self, target: TargetName, login: Login) {
        self.logins.insert(target, login);
    }

    /// Returns the login of this target; an empty one where it has none.
    pub(crate) fn login(&self, target: &TargetName) -> Login {
        self.logins.get(target).cloned().unwrap_or_default()
    }

    /// How connections over TLS are made.
    pub(crate) fn tls(&self) -> Result<Tls, TlsError> {
        Tls::new(self.tls_ca.as_deref())
    }
}

impl Login {
    /// Returns it as one of Redis, which requires a password.
    pub(crate) fn of_redis(self) -> Option<redis_link::Login> {
        let user = self.user;
        self.password
            .map(|password| redis_link::Login { user, password })
    }
}

/// Without the password.
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
    fn a_login_goes_to_its_target_alone_and_is_not_shown() {
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
