//! Who logs in to the servers that boards are published to: [`Credentials`].

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use board::{PublishProtocol, PublishTarget};
use fred::types::config::{TlsConfig, TlsConnector};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// Logins, each for one server, and whom to trust over TLS. No part of a kind: that is shown, and whoever
/// may write kinds names any server.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    logins: HashMap<PublishTarget, Login>,
    tls_ca: Option<PathBuf>,
}

/// Who logs in.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Login {
    /// The user, where it is not Redis's default one.
    pub user: Option<String>,
    /// The password, where there is one.
    pub password: Option<String>,
}

/// Why a login is of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// The server has one already, maybe under a name of another form.
    #[error("{0} has two logins")]
    Twice(PublishTarget),
    /// The server asks nobody to log in.
    #[error("{0} takes no login: to a memcached nobody logs in")]
    Memcached(PublishTarget),
}

/// Why a connection over TLS cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CredentialsError {
    /// The file of certificates is of no use.
    #[error("tls_ca {path}: {reason}")]
    Certificates {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There is nobody to trust.
    #[error("this system has no certificates to trust, and no tls_ca is set")]
    Nobody,
    /// TLS itself.
    #[error("{0}")]
    Tls(String),
}

impl Credentials {
    /// No logins; certificates in PEM that sign those of the servers, beside those of the system.
    #[must_use]
    pub fn new(tls_ca: Option<PathBuf>) -> Self {
        let logins = HashMap::new();
        Self { logins, tls_ca }
    }

    /// Adds the login of a server, which is for all its databases; of a cluster for all its nodes.
    pub fn add(&mut self, at: &PublishTarget, login: Login) -> Result<(), LoginError> {
        let server = server(at);
        if server.protocol == PublishProtocol::Memcached {
            return Err(LoginError::Memcached(server));
        }
        if self.logins.contains_key(&server) {
            return Err(LoginError::Twice(server));
        }
        self.logins.insert(server, login);
        Ok(())
    }

    /// The login of this server; nobody's where it has none.
    pub(crate) fn login(&self, at: &PublishTarget) -> Login {
        self.logins.get(&server(at)).cloned().unwrap_or_default()
    }

    /// How connections over TLS are made.
    pub(crate) fn tls(&self) -> Result<TlsConfig, CredentialsError> {
        let mut roots = RootCertStore::empty();
        // One that cannot be read is one that signs nothing here.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if let Some(path) = &self.tls_ca {
            add_file(&mut roots, path).map_err(|reason| CredentialsError::Certificates {
                path: path.display().to_string(),
                reason,
            })?;
        }
        if roots.is_empty() {
            return Err(CredentialsError::Nobody);
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| CredentialsError::Tls(error.to_string()))?;
        let config = config.with_root_certificates(roots).with_no_client_auth();
        Ok(TlsConnector::from(config).into())
    }
}

/// The server whose target this is, without its database.
fn server(at: &PublishTarget) -> PublishTarget {
    let protocol = match at.protocol {
        PublishProtocol::Redis { .. } => PublishProtocol::Redis { database: 0 },
        protocol => protocol,
    };
    PublishTarget {
        protocol,
        ..at.clone()
    }
}

fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<(), String> {
    let before = roots.len();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| error.to_string())? {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate).map_err(|error| error.to_string())?;
    }
    if roots.len() == before {
        return Err("there is no certificate in it".to_owned());
    }
    Ok(())
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

    fn at(text: &str) -> PublishTarget {
        text.parse().unwrap()
    }

    #[test]
    fn a_login_goes_to_its_server_alone() {
        let login = Login {
            user: Some("u".to_owned()),
            password: Some("s3cret".to_owned()),
        };
        let mut credentials = Credentials::default();
        credentials.add(&at("rediss://a"), login.clone()).unwrap();
        assert_eq!(credentials.login(&at("rediss://a:6379")), login);
        assert_eq!(credentials.login(&at("rediss://a/3")), login);
        for other in [
            "redis://a",
            "rediss://b",
            "rediss://a:6380",
            "rediss-cluster://a",
        ] {
            assert_eq!(credentials.login(&at(other)), Login::default(), "{other}");
        }
        assert!(!format!("{credentials:?}").contains("s3cret"));
    }

    #[test]
    fn logins_of_no_use_are_told() {
        let mut credentials = Credentials::default();
        let mut add = |text: &str| credentials.add(&at(text), Login::default());
        assert_eq!(add("redis://a"), Ok(()));
        assert!(matches!(add("redis://a:6379/1"), Err(LoginError::Twice(_))));
        let memcached = add("memcached://a").unwrap_err();
        assert!(memcached.to_string().contains("memcached://a:11211"));
    }
}
