//! The logins of the servers that boards are published to: [`Credentials`].

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;

use board::TargetName;
use redis_nodes::redis_link::{self, ConnectOptions};

/// The logins of targets, and the certificates that are trusted over TLS.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    /// The login of each target. That of a cluster is used for all its nodes.
    pub logins: HashMap<TargetName, Login>,
    /// A PEM file of certificates that are trusted besides those of the system.
    pub tls_ca: Option<PathBuf>,
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
    /// Returns the options of connections to this target. A user without a password is no login.
    pub(crate) fn connect_options(
        &self,
        target: &TargetName,
        tls: bool,
    ) -> Result<ConnectOptions, String> {
        let login = self.logins.get(target).and_then(|login| {
            let (user, password) = (login.user.clone(), login.password.clone()?);
            Some(redis_link::Login { user, password })
        });
        ConnectOptions::new(tls, login.as_ref(), self.tls_ca.as_deref())
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
        credentials.logins.insert(one.clone(), login);
        let login_of = |target| credentials.connect_options(target, false).unwrap().login;
        assert_eq!(login_of(&one).unwrap().password, "s3cret");
        assert!(login_of(&other).is_none());
        assert!(!format!("{credentials:?}").contains("s3cret"));
    }
}
