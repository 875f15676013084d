//! The request that an audit entry records: [`AuditedRequest`].

use std::net::IpAddr;

use axum::http::Method;
use http_server::request_trace::current_request;
use serde::Serialize;
use wire::problem::without_keys;

/// Characters of a path that are recorded.
const PATH_CHARS_MAX: usize = 512;

/// The request that an entry records.
#[derive(Debug, Clone, Serialize)]
pub struct AuditedRequest {
    /// The name of the key; none if no keys are configured.
    pub(crate) key: Option<String>,
    #[serde(skip)]
    pub(crate) is_admin: bool,
    pub(crate) address: IpAddr,
    pub(crate) method: String,
    pub(crate) path: String,
    /// The id of the request in logs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) request_id: Option<String>,
}

impl AuditedRequest {
    /// Describes a request from this address for a path. `is_admin`: its key is an admin's, or no keys are configured.
    #[must_use]
    pub fn new(
        key: Option<&str>,
        is_admin: bool,
        address: IpAddr,
        method: &Method,
        path: &str,
    ) -> Self {
        Self {
            key: key.map(str::to_owned),
            is_admin,
            address,
            method: method.to_string(),
            path: truncated(&without_keys(path)),
            request_id: current_request().map(|current| without_keys(current.id())),
        }
    }
}

fn truncated(text: &str) -> String {
    let mut truncated: String = text.chars().take(PATH_CHARS_MAX).collect();
    if truncated.len() < text.len() {
        truncated.push('…');
    }
    truncated
}
