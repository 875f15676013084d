//! Certificates that the client trusts: those of the system, and those of the caller.
//!
//! `redis_link::Tls` does the same for Redis. This module is separate, since this crate is for other programs and
//! depends on no crate of the service.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore, crypto::ring};

use crate::error::{Error, causes};

/// Configures rustls with ring. The system's certificates are read only if they may be needed.
pub(crate) fn config(with_system: bool, pem: &[Vec<u8>]) -> Result<ClientConfig, Error> {
    let mut roots = RootCertStore::empty();
    if with_system {
        // Unreadable certificates are skipped: a server that needs one fails when it is contacted.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    for pem in pem {
        let before = roots.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let added = certificate
                .map_err(|error| error.to_string())
                .and_then(|it| roots.add(it).map_err(|error| error.to_string()));
            added.map_err(|error| Error::Unusable(format!("root certificate: {error}")))?;
        }
        if roots.len() == before {
            let empty = "root certificate: the PEM contains no certificate";
            return Err(Error::Unusable(empty.to_owned()));
        }
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Unusable(format!("TLS: {error}")))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Returns whether an error is caused by an invalid certificate, or by a server without TLS: a retry will not help.
pub(crate) fn is_final(error: &(dyn std::error::Error + 'static)) -> bool {
    causes(error).any(|cause| {
        let tls = cause.downcast_ref::<rustls::Error>();
        is_not_tls(cause) || matches!(tls, Some(rustls::Error::InvalidCertificate(_)))
    })
}

/// Returns whether the error is that of a server that does not use TLS.
pub(crate) fn is_not_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(
        error.downcast_ref::<rustls::Error>(),
        Some(rustls::Error::InvalidMessage(
            rustls::InvalidMessage::InvalidContentType
        ))
    )
}
