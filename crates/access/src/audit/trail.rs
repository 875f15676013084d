//! The lines about one group of callers: [`Trail`].

use std::io;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use board::Timestamp;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use parking_lot::Mutex;
use serde::Serialize;

use crate::audit::file::{AuditLimits, Files};
use crate::audit::page::{AuditPage, Cursor};
use crate::audit::request::AuditedRequest;

/// Rejected requests that have a line of their own, at once and per minute.
const REJECTIONS_BURST: NonZeroU32 = NonZeroU32::new(20).unwrap();
const REJECTIONS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// The lines about one group of callers. Other groups cannot displace them.
#[derive(Debug, Clone)]
pub(crate) struct Trail {
    /// Without files, entries are only in the server's own log.
    files: Option<Arc<Mutex<Files>>>,
    rejections: Arc<Rejections>,
}

/// Limits the lines about rejected requests, and counts the others.
#[derive(Debug)]
struct Rejections {
    listed: DefaultDirectRateLimiter,
    /// Rejected requests without a line, since the last such line.
    unlisted: AtomicU64,
}

/// A line of the file.
#[derive(Serialize)]
pub(crate) struct AuditRecord<'a, T> {
    pub(crate) at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) operation: Option<&'a str>,
    pub(crate) event: &'static str,
    #[serde(flatten)]
    pub(crate) fields: T,
}

/// The fields of a line about a rejected request.
#[derive(Serialize)]
struct Rejected<'a> {
    #[serde(flatten)]
    request: &'a AuditedRequest,
    status: u16,
    unlisted: u64,
}

impl Default for Trail {
    fn default() -> Self {
        let quota = Quota::per_minute(REJECTIONS_PER_MINUTE).allow_burst(REJECTIONS_BURST);
        let rejections = Rejections {
            listed: RateLimiter::direct(quota),
            unlisted: AtomicU64::new(0),
        };
        Self {
            files: None,
            rejections: Arc::new(rejections),
        }
    }
}

impl Trail {
    /// Appends to this file. It is created with its first line.
    pub(crate) fn at(path: PathBuf, limits: AuditLimits) -> Self {
        let files = Files::new(path, limits);
        Self {
            files: Some(Arc::new(Mutex::new(files))),
            ..Self::default()
        }
    }

    /// Appends a line, and waits until it is durable.
    pub(crate) async fn append(&self, line: &impl Serialize) -> io::Result<()> {
        let Some(files) = self.files.clone() else {
            return Ok(());
        };
        let mut line = serde_json::to_vec(line).expect("texts and numbers are JSON");
        line.push(b'\n');
        // One line at a time: lines are not mixed, and each is durable before the next one begins.
        let appended = tokio::task::spawn_blocking(move || files.lock().append(line));
        appended.await.map_err(io::Error::other)?
    }

    /// Reads lines back, the newest first; `None` if there are no files.
    pub(crate) async fn newest(
        &self,
        before: Option<Cursor>,
        limit: usize,
    ) -> Option<io::Result<Option<AuditPage>>> {
        let files = self.files.clone()?;
        let read = tokio::task::spawn_blocking(move || files.lock().newest(before, limit));
        Some(read.await.map_err(io::Error::other).flatten())
    }

    /// Records a request that was rejected before it changed anything: as a line, or, if there were too many, in the
    /// count of the next line.
    pub(crate) async fn reject(&self, request: &AuditedRequest, status: u16, now: Timestamp) {
        let Rejections { listed, unlisted } = &*self.rejections;
        if listed.check().is_err() {
            unlisted.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let fields = Rejected {
            request,
            status,
            unlisted: unlisted.swap(0, Ordering::Relaxed),
        };
        let line = AuditRecord {
            at: now.to_string(),
            operation: None,
            event: "refused",
            fields: &fields,
        };
        // The request changed nothing, so a failure to record it is only logged.
        if let Err(error) = self.append(&line).await {
            unlisted.fetch_add(fields.unlisted + 1, Ordering::Relaxed);
            tracing::error!(%error, event = "refused", "the audit log cannot be written");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use axum::http::Method;
    use serde_json::Value as Json;

    use super::*;

    #[tokio::test]
    async fn rejected_requests_are_a_few_short_lines_and_a_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.log");
        let trail = Trail::at(path.clone(), AuditLimits::default());
        let uri = format!("/v1/boards/gifts/{}", "x".repeat(50_000));
        let address = IpAddr::from([10, 0, 0, 7]);
        let request = AuditedRequest::new(Some("ops"), true, address, &Method::DELETE, &uri);
        for _ in 0..2_000 {
            let now = Timestamp::from_millis(1_800_000_000_000);
            trail.reject(&request, 404, now).await;
        }
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<Json> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        // On a slow machine, the rate limit may have permitted some more.
        let burst = REJECTIONS_BURST.get() as usize;
        assert!((burst..2 * burst).contains(&lines.len()), "{}", lines.len());
        for line in &lines {
            assert_eq!(
                (&line["event"], &line["status"]),
                (&"refused".into(), &404.into())
            );
            assert!(line.to_string().len() < 1_000, "{line}");
        }
        let counted: u64 = lines
            .iter()
            .map(|line| 1 + line["unlisted"].as_u64().unwrap())
            .sum();
        let unlisted = trail.rejections.unlisted.load(Ordering::Relaxed);
        assert_eq!(counted + unlisted, 2_000);
    }
}
