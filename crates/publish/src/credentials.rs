//! Who logs in to the servers that boards are published to: [`Credentials`].

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use board::TargetName;
use fred::types::config::{TlsConfig, TlsConnector};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// Logins, each for one target, and whom to trust over TLS.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    logins: HashMap<TargetName, Login>,
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

    /// Adds the login of a target; that of a cluster is for all its nodes.
    pub fn add(&mut self, target: TargetName, login: Login) {
        self.logins.insert(target, login);
    }

    /// The login of this target; nobody's where it has none.
    pub(crate) fn login(&self, target: &TargetName) -> Login {
        self.logins.get(target).cloned().unwrap_or_default()
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
