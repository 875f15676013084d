//! What the client trusts: the system's certificates, and those of the caller.
//!
//! `redis_link::Tls` does the same for Redis. This is another, since this crate is for others and depends on none of the
//! service's crates; what they share are a few calls of rustls.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore, crypto::ring};

use crate::error::Error;

/// Rustls with ring. The system's certificates are read only where they may be needed.
pub(crate) fn config(with_system: bool, pem: &[Vec<u8>]) -> Result<ClientConfig, Error> {
    let mut roots = RootCertStore::empty();
    if with_system {
        // A certificate that cannot be read is missed when a server needs it, not before.
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
            let empty = "root certificate: there is none in this PEM";
            return Err(Error::Unusable(empty.to_owned()));
        }
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Unusable(format!("TLS: {error}")))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Whether this lies behind an error: a certificate that is not trusted will not be the next time.
pub(crate) fn is_distrust(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut behind = Some(error);
    while let Some(error) = behind {
        if let Some(error) = error.downcast_ref::<rustls::Error>() {
            return matches!(error, rustls::Error::InvalidCertificate(_));
        }
        // An I/O error skips what it wraps when it is asked for its source.
        let wrapped = error
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::get_ref);
        behind = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    false
}
