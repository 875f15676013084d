//! TLS of connections, and which certificates are trusted: [`Tls`].

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// The TLS settings of connections.
#[derive(Debug, Clone)]
pub struct Tls(pub(crate) Arc<ClientConfig>);

impl Tls {
    /// Trusts the certificates of the system, and those of this file, in PEM.
    pub fn new(tls_ca: Option<&Path>) -> Result<Self, String> {
        let mut roots = RootCertStore::empty();
        let system = rustls_native_certs::load_native_certs();
        // A certificate that cannot be read is ignored: it signs nothing that is needed here.
        roots.add_parsable_certificates(system.certs);
        if let Some(path) = tls_ca {
            add_file(&mut roots, path)
                .map_err(|reason| format!("tls_ca {}: {reason}", path.display()))?;
        }
        if roots.is_empty() {
            let why = "this system has no certificates to trust, and no tls_ca is set";
            return Err(why.to_owned());
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let config = config.with_root_certificates(roots).with_no_client_auth();
        Ok(Self(Arc::new(config)))
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
