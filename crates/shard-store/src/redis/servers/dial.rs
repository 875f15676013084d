//! How connections are made: [`Dial`], who logs in and over what.

use std::path::Path;
use std::sync::Arc;

use fred::types::config::{TlsConfig, TlsConnector};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::super::settings::{RedisSettings, RedisWrites};
use super::super::url::{Login, RedisUrl, UrlKind};
use super::OpenError;

/// What all connections of a store have in common.
#[derive(Debug, Clone)]
pub(super) struct Dial {
    pub(super) login: Option<Login>,
    pub(super) tls: Option<TlsConfig>,
    /// Whether nodes are to be those of a cluster.
    pub(super) is_for_cluster: bool,
    /// Sentinels speak the older protocol, and are no primaries.
    pub(super) is_for_sentinels: bool,
    /// Whether nodes are to run our functions.
    pub(super) writes: RedisWrites,
}

impl Dial {
    pub(super) fn new(url: &RedisUrl, settings: &RedisSettings) -> Result<Self, OpenError> {
        let tls = if url.tls {
            let config = tls_config(settings.tls_ca.as_deref())?;
            Some(TlsConnector::from(config).into())
        } else {
            None
        };
        Ok(Self {
            login: url.login.clone(),
            tls,
            is_for_cluster: url.kind == UrlKind::Cluster,
            is_for_sentinels: false,
            writes: settings.writes,
        })
    }

    /// For the sentinels of a primary, with the same login or none.
    pub(super) fn sentinel(&self, with_login: bool) -> Self {
        Self {
            login: self.login.clone().filter(|_| with_login),
            is_for_sentinels: true,
            ..self.clone()
        }
    }
}

/// Trusts what the system trusts, and the certificates in the file.
fn tls_config(extra: Option<&Path>) -> Result<ClientConfig, OpenError> {
    let mut roots = RootCertStore::empty();
    let system = rustls_native_certs::load_native_certs();
    // One that cannot be read is one that signs nothing here.
    roots.add_parsable_certificates(system.certs);
    if let Some(path) = extra {
        add_file(&mut roots, path)
            .map_err(|reason| OpenError::Tls(format!("tls_ca {}: {reason}", path.display())))?;
    }
    if roots.is_empty() {
        let reason = "this system has no certificates to trust, and no tls_ca is set";
        return Err(OpenError::Tls(reason.to_owned()));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| OpenError::Tls(error.to_string()))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
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
