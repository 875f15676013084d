//! Over TLS: whom to trust.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fred::types::config::{TlsConfig, TlsConnector};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// How connections over TLS are made.
#[derive(Debug, Clone)]
pub struct Tls(pub(crate) TlsConfig);

/// Why connections over TLS cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// The file of certificates is of no use.
    #[error("tls_ca {}: {reason}", path.display())]
    Certificates {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no certificate to trust.
    #[error("this system has no certificates to trust, and no tls_ca is set")]
    NoCertificates,
    /// TLS itself.
    #[error("{0}")]
    Setup(String),
}

impl Tls {
    /// Trusts what the system trusts, and the certificates in the file, in PEM.
    pub fn new(tls_ca: Option<&Path>) -> Result<Self, TlsError> {
        let mut roots = RootCertStore::empty();
        let system = rustls_native_certs::load_native_certs();
        // One that cannot be read is one that signs nothing here.
        roots.add_parsable_certificates(system.certs);
        if let Some(path) = tls_ca {
            add_file(&mut roots, path).map_err(|reason| TlsError::Certificates {
                path: path.to_owned(),
                reason,
            })?;
        }
        if roots.is_empty() {
            return Err(TlsError::NoCertificates);
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| TlsError::Setup(error.to_string()))?;
        let config = config.with_root_certificates(roots).with_no_client_auth();
        Ok(Self(TlsConnector::from(config).into()))
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
