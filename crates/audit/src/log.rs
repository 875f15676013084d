//! Entries, and the lines that are written of them: [`AuditLog`], [`AuditEntry`].

use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Method, Uri};
use axum::response::Response;
use board::Timestamp;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use parking_lot::Mutex;
use problem::{Problem, ProblemType};
use request_trace::current_request;
use serde::Serialize;
use serde_json::Value as Json;

use crate::file::{self, AuditLimits, Files};

/// What is added to the path of the log for the file about callers that are not admins.
const WRITERS_SUFFIX: &str = ".writers";

/// Characters of a path that are written down.
const PATH_CHARS_MAX: usize = 512;

/// Refused requests that have a line of their own, at once and in a minute.
const REFUSALS_BURST: NonZeroU32 = NonZeroU32::new(20).unwrap();
const REFUSALS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// Where entries are written.
#[derive(Debug, Clone, Default)]
pub struct AuditLog {
    of_admins: Trail,
    of_writers: Trail,
}

/// The lines about some of the callers, which no others displace.
#[derive(Debug, Clone)]
struct Trail {
    /// None: only in the server's own log.
    files: Option<Arc<Mutex<Files>>>,
    refusals: Arc<Refusals>,
}

/// Refused requests: some have a line, the rest are counted.
#[derive(Debug)]
struct Refusals {
    listed: DefaultDirectRateLimiter,
    /// Since the last line.
    unlisted: AtomicU64,
}

/// The entry of one request, which its handler begins.
#[derive(Debug, Clone)]
pub struct AuditEntry(Arc<EntryState>);

#[derive(Debug)]
struct EntryState {
    trail: Trail,
    request: AuditedRequest,
    /// The id of the entry, once it has begun.
    begun: tokio::sync::OnceCell<String>,
}

/// What a handler adds to the entry beside its status; goes with its response.
#[derive(Debug, Clone)]
pub struct AuditDetails(
    /// Stands in the line as `told`.
    pub Json,
);

/// The request that an entry is about.
#[derive(Debug, Serialize)]
pub struct AuditedRequest {
    /// The name of the key; none where there are no keys.
    key: Option<String>,
    /// Whether the key is an admin's; where there are no keys, everybody is one.
    #[serde(skip)]
    is_admin: bool,
    address: IpAddr,
    method: String,
    path: String,
    /// The id of the request, as logs have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
}

#[derive(Serialize)]
struct Line<'a, T> {
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    act: Option<&'a str>,
    event: &'static str,
    #[serde(flatten)]
    what: T,
}

#[derive(Serialize)]
struct Ended<'a> {
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    told: Option<&'a Json>,
}

#[derive(Serialize)]
struct Refused<'a> {
    #[serde(flatten)]
    request: &'a AuditedRequest,
    status: u16,
    unlisted: u64,
}

impl AuditedRequest {
    /// A request of the key of this name, if there are keys, from this address. `is_admin`: the key is an admin's, or
    /// there are no keys.
    #[must_use]
    pub fn new(
        key: Option<&str>,
        is_admin: bool,
        address: IpAddr,
        method: &Method,
        uri: &Uri,
    ) -> Self {
        let path = uri.path_and_query().map_or(uri.path(), |all| all.as_str());
        Self {
            key: key.map(str::to_owned),
            is_admin,
            address,
            method: method.to_string(),
            path: cut(path),
            request_id: current_request().map(|current| current.id().to_owned()),
        }
    }
}

fn cut(text: &str) -> String {
    let mut cut: String = text.chars().take(PATH_CHARS_MAX).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

impl Default for Trail {
    fn default() -> Self {
        let quota = Quota::per_minute(REFUSALS_PER_MINUTE).allow_burst(REFUSALS_BURST);
        let refusals = Refusals {
            listed: RateLimiter::direct(quota),
            unlisted: AtomicU64::new(0),
        };
        Self {
            files: None,
            refusals: Arc::new(refusals),
        }
    }
}

impl AuditLog {
    /// Into this file, and one beside it for callers who are no admins; they are created if they are not there. An
    /// error where nothing can be added to them.
    pub fn to(path: &Path, limits: AuditLimits) -> io::Result<Self> {
        file::open(path)?;
        let writers = of_writers(path);
        file::open(&writers).map_err(|error| {
            let why = format!("{}: {error}", writers.display());
            io::Error::new(error.kind(), why)
        })?;
        Ok(Self::within(path.to_owned(), limits))
    }

    /// The same, for files in a folder that is known to take files: each is created with its first line.
    #[must_use]
    pub fn within(path: PathBuf, limits: AuditLimits) -> Self {
        Self {
            of_writers: Trail::within(of_writers(&path), limits),
            of_admins: Trail::within(path, limits),
        }
    }

    /// Returns an entry that has not begun.
    #[must_use]
    pub fn entry(&self, request: AuditedRequest) -> AuditEntry {
        let trail = if request.is_admin {
            &self.of_admins
        } else {
            &self.of_writers
        };
        AuditEntry(Arc::new(EntryState {
            trail: trail.clone(),
            request,
            begun: tokio::sync::OnceCell::new(),
        }))
    }
}

/// The file about callers who are no admins: `audit.log.writers`.
fn of_writers(path: &Path) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(WRITERS_SUFFIX);
    path.into()
}

impl Trail {
    fn within(path: PathBuf, limits: AuditLimits) -> Self {
        let files = Files::new(path, limits);
        Self {
            files: Some(Arc::new(Mutex::new(files))),
            ..Self::default()
        }
    }

    async fn add(&self, line: &impl Serialize) -> io::Result<()> {
        let Some(files) = self.files.clone() else {
            return Ok(());
        };
        let mut line = serde_json::to_vec(line).expect("texts and numbers are JSON");
        line.push(b'\n');
        // One line at a time: they do not mix, and a line is durable before the next one begins.
        let added = tokio::task::spawn_blocking(move || files.lock().add(line));
        added.await.map_err(io::Error::other)?
    }

    /// Counts a request that was refused before anything began, and writes down some.
    async fn refused(&self, request: &AuditedRequest, status: u16, now: Timestamp) {
        let Refusals { listed, unlisted } = &*self.refusals;
        if listed.check().is_err() {
            unlisted.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let refused = Refused {
            request,
            status,
            unlisted: unlisted.swap(0, Ordering::Relaxed),
        };
        let line = Line {
            at: now.to_string(),
            act: None,
            event: "refused",
            what: &refused,
        };
        // Nothing was changed: that the line could not be written is logged alone.
        if let Err(error) = self.add(&line).await {
            unlisted.fetch_add(refused.unlisted + 1, Ordering::Relaxed);
            tracing::error!(%error, event = "refused", "the audit log cannot be written");
        }
    }
}

/// What has an audit log: the state of the routes.
pub trait HasAuditLog: Send + Sync {
    /// Returns it.
    fn audit_log(&self) -> &AuditLog;
}

impl<S: HasAuditLog> FromRequestParts<Arc<S>> for AuditEntry {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<S>) -> Result<Self, Infallible> {
        let entry = parts.extensions.get::<Self>().cloned();
        // The gate gives one to every request, but for those of unit tests.
        let own = || {
            let nobody = IpAddr::from([0, 0, 0, 0]);
            let request = AuditedRequest::new(None, true, nobody, &parts.method, &parts.uri);
            state.audit_log().entry(request)
        };
        Ok(entry.unwrap_or_else(own))
    }
}

impl AuditEntry {
    /// Records that the change begins. A problem where that is not possible: then it must not begin.
    pub async fn begin(&self, now: Timestamp) -> Result<(), Problem> {
        let begun = self.0.begun.get_or_try_init(async || {
            let id = format!("{:016x}", random_id()?);
            let request = &self.0.request;
            tracing::info!(
                act = id,
                key = request.key,
                address = %request.address,
                method = request.method,
                path = request.path,
                "begun"
            );
            self.write(&id, "begun", request, now).await?;
            Ok::<_, Problem>(id)
        });
        begun.await.map(drop)
    }

    /// Records the outcome. The response is a problem where that is not possible.
    pub async fn end(self, response: Response, now: Timestamp) -> Result<Response, Problem> {
        let status = response.status();
        if self.0.begun.get().is_none() {
            if !status.is_success() {
                let EntryState { trail, request, .. } = &*self.0;
                trail.refused(request, status.as_u16(), now).await;
                return Ok(response);
            }
            // There was nothing left to change.
            self.begin(now).await?;
        }
        let id = self.0.begun.get().expect("it has begun");
        let ended = Ended {
            status: status.as_u16(),
            told: response
                .extensions()
                .get::<AuditDetails>()
                .map(|details| &details.0),
        };
        tracing::info!(act = id, status = ended.status, "ended");
        self.write(id, "ended", &ended, now).await?;
        Ok(response)
    }

    async fn write(
        &self,
        act: &str,
        event: &'static str,
        what: &impl Serialize,
        now: Timestamp,
    ) -> Result<(), Problem> {
        let line = Line {
            at: now.to_string(),
            act: Some(act),
            event,
            what,
        };
        self.0.trail.add(&line).await.map_err(|error| {
            tracing::error!(%error, act, event, "the audit log cannot be written");
            let (kind, done) = match event {
                "begun" => (ProblemType::Unavailable, "nothing was changed"),
                _ => (ProblemType::Unknown, "the change may have been applied"),
            };
            Problem::new(
                kind,
                format!("the audit log cannot be written: {error}; {done}"),
            )
        })
    }
}

/// Returns an id unlike all others.
fn random_id() -> Result<u64, Problem> {
    getrandom::u64().map_err(|error| {
        Problem::new(
            ProblemType::Unavailable,
            format!("no random number could be generated: {error}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use axum::response::IntoResponse as _;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn request(uri: &str) -> AuditedRequest {
        let (address, uri) = (IpAddr::from([10, 0, 0, 7]), uri.parse().unwrap());
        AuditedRequest::new(Some("ops"), true, address, &Method::DELETE, &uri)
    }

    fn of_writer(uri: &str) -> AuditedRequest {
        AuditedRequest {
            key: Some("game".to_owned()),
            is_admin: false,
            ..request(uri)
        }
    }

    fn log_in(folder: &Path) -> io::Result<AuditLog> {
        AuditLog::to(&folder.join("audit.log"), AuditLimits::default())
    }

    fn lines(path: &Path) -> Vec<Json> {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.ends_with('\n'));
        let lines = text.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[tokio::test]
    async fn an_entry_is_two_lines_and_a_file_may_be_moved_away_in_between() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.log");
        let log = log_in(folder.path()).unwrap();
        let entry = log.entry(request("/v1/members/u%201?kind=gifts"));
        entry.begin(NOW).await.unwrap();
        // An entry begins once.
        entry.begin(NOW).await.unwrap();
        let mut begun = lines(&path);
        assert_eq!(begun.len(), 1);
        let begun = begun.pop().unwrap();
        assert_eq!(begun["event"], "begun");
        assert_eq!(begun["key"], "ops");
        assert_eq!(begun["address"], "10.0.0.7");
        assert_eq!(begun["path"], "/v1/members/u%201?kind=gifts");
        std::fs::rename(&path, folder.path().join("moved.log")).unwrap();
        let mut response = ().into_response();
        let told = serde_json::json!({"erased": 3});
        response.extensions_mut().insert(AuditDetails(told.clone()));
        entry.end(response, NOW).await.unwrap();
        let ended = lines(&path).pop().unwrap();
        assert_eq!(ended["event"], "ended");
        assert_eq!(ended["act"], begun["act"]);
        assert_eq!((&ended["status"], &ended["told"]), (&200.into(), &told));
    }

    #[tokio::test]
    async fn a_change_that_cannot_be_recorded_does_not_begin() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        assert!(log_in(&inner).is_err());
        std::fs::create_dir(&inner).unwrap();
        let log = log_in(&inner).unwrap();
        let entry = log.entry(request("/v1/members/u1"));
        entry.begin(NOW).await.unwrap();
        std::fs::remove_dir_all(&inner).unwrap();
        let refused = log.entry(request("/v1/members/u1")).begin(NOW).await;
        assert_eq!(refused.unwrap_err().kind, ProblemType::Unavailable);
        let unknown = entry.end(().into_response(), NOW).await.unwrap_err();
        assert_eq!(unknown.kind, ProblemType::Unknown);
        // A refusal stays what it is.
        let entry = log.entry(request("/v1/members/u1"));
        let refused = entry.end(StatusCode::NOT_FOUND.into_response(), NOW).await;
        assert_eq!(refused.unwrap().status(), StatusCode::NOT_FOUND);
    }

    #[tokio::test]
    async fn refused_requests_are_a_few_short_lines_and_a_count() {
        let folder = tempfile::tempdir().unwrap();
        let log = log_in(folder.path()).unwrap();
        let path = format!("/v1/boards/gifts/{}", "x".repeat(50_000));
        let refuse = async || {
            let entry = log.entry(request(&path));
            let refused = entry.end(StatusCode::NOT_FOUND.into_response(), NOW).await;
            assert_eq!(refused.unwrap().status(), StatusCode::NOT_FOUND);
        };
        for _ in 0..2_000 {
            refuse().await;
        }
        let written = lines(&folder.path().join("audit.log"));
        // A slow machine may have had time for some more.
        let burst = REFUSALS_BURST.get() as usize;
        assert!(
            (burst..2 * burst).contains(&written.len()),
            "{}",
            written.len()
        );
        for line in &written {
            assert_eq!(
                (&line["event"], &line["status"]),
                (&"refused".into(), &404.into())
            );
            assert!(line.to_string().len() < 1_000, "{line}");
        }
        let listed: u64 = written
            .iter()
            .map(|line| 1 + line["unlisted"].as_u64().unwrap())
            .sum();
        let unlisted = log.of_admins.refusals.unlisted.load(Ordering::Relaxed);
        assert_eq!(listed + unlisted, 2_000);
    }

    #[tokio::test]
    async fn keys_for_writing_displace_no_line_about_an_admin() {
        let folder = tempfile::tempdir().unwrap();
        let limits = AuditLimits {
            file_bytes_max: 2_000,
            files_kept: 1,
        };
        let path = folder.path().join("audit.log");
        let log = AuditLog::to(&path, limits).unwrap();
        let removed = async |request: AuditedRequest| {
            let entry = log.entry(request);
            entry.begin(NOW).await.unwrap();
            entry.end(().into_response(), NOW).await.unwrap();
        };
        let refused = async |request: AuditedRequest| {
            let response = StatusCode::NOT_FOUND.into_response();
            log.entry(request).end(response, NOW).await.unwrap();
        };
        removed(request("/v1/members/u1")).await;
        for number in 0..100 {
            let uri = format!("/v1/boards/gifts/a/members/u{number}");
            removed(of_writer(&uri)).await;
            refused(of_writer(&uri)).await;
        }
        // Nor do they take the lines that refused requests of admins have.
        refused(request("/v1/members/u2")).await;
        let held = lines(&path);
        let events: Vec<_> = held
            .iter()
            .map(|line| (line["event"].as_str().unwrap(), &line["unlisted"]))
            .collect();
        let nothing = &Json::Null;
        assert_eq!(
            events,
            [
                ("begun", nothing),
                ("ended", nothing),
                ("refused", &0.into())
            ]
        );
        let writers = lines(&folder.path().join("audit.log.writers"));
        assert_eq!(writers.last().unwrap()["event"], "ended");
        assert!(folder.path().join("audit.log.writers.1").exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
