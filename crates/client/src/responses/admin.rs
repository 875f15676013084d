//! The audit log and the keys of a server.

use jiff::Timestamp;
use serde::Deserialize;

/// A page of the audit log, the newest line first.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct AuditPage {
    /// The lines.
    pub entries: Vec<AuditLine>,
    /// What older lines come [`before`](crate::Request::before); `None` for the last page.
    pub next: Option<String>,
}

/// A line of the audit log. An operation has two, `begun` and `ended`, with the same `operation`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct AuditLine {
    /// When it was written.
    pub at: Timestamp,
    /// Identifies the operation; not in `refused`.
    pub operation: Option<String>,
    /// `begun`, `ended`, or `refused`: the request was rejected before it changed anything.
    pub event: String,
    /// The name of the key.
    pub key: Option<String>,
    /// The client's address.
    pub address: Option<String>,
    /// The method of the request.
    pub method: Option<String>,
    /// The path and query of the request.
    pub path: Option<String>,
    /// The `X-Request-Id` of the response.
    pub request_id: Option<String>,
    /// The status of the response; not in `begun`.
    pub status: Option<u16>,
    /// How many refused requests before this one have no line.
    pub unlisted: Option<u64>,
    /// What was erased or removed.
    pub details: Option<serde_json::Value>,
}

/// The configured keys, by name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Keys {
    /// The keys; empty if none are configured.
    pub keys: Vec<ListedKey>,
}

/// A configured key, without the key itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct ListedKey {
    /// The name in logs and error messages.
    pub name: String,
    /// `read`, `write` or `admin`.
    pub scope: String,
    /// The kinds whose boards it may access; `None` for all.
    pub kinds: Option<Vec<String>>,
    /// How many requests it may make a second, on average.
    pub requests_per_second: Option<u32>,
    /// How many requests it may make at once.
    pub burst: Option<u32>,
    /// When it ends, if it does.
    pub expires_at: Option<Timestamp>,
    /// Whether it has ended.
    pub expired: bool,
}
