//! What was done to boards, kinds and members, and by whom: [`AuditLog`].
//!
//! Two lines of JSON an act, in a file that is only ever added to: `begun`, which is durable before the act
//! begins, and `ended`, with what came of it, before it is answered. What cannot be written down is not
//! done. A `begun` without its `ended` may have been done: the server was killed, or the client left.
//!
//! ```text
//! {"at":"2026-11-20T14:02:22.123Z","act":"5f0c21aa03be7719","event":"begun","key":"ops",
//!  "address":"10.0.0.7","method":"DELETE","path":"/v1/members/u1","request_id":"7a01-2f"}
//! {"at":"2026-11-20T14:02:22.310Z","act":"5f0c21aa03be7719","event":"ended","status":200,
//!  "told":{"boards":1200,"erased":3}}
//! ```
//!
//! The file is opened for each line: it may be moved away at any time, and another one begins. A line stands
//! there whole or not at all; the rest of one that a crash tore stays as a line of its own.

mod file;

use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::http::{Method, Uri};
use axum::response::Response;
use board::Timestamp;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value as Json;

use crate::problem::{Problem, ProblemType};
use crate::trace::current_request;

/// Where acts are written down.
#[derive(Debug, Clone, Default)]
pub struct AuditLog {
    /// None: only in the server's own log.
    file: Option<Arc<Mutex<PathBuf>>>,
}

/// An act that has begun.
#[derive(Debug)]
pub(crate) struct Act {
    log: AuditLog,
    id: String,
}

/// What a handler has to say of an act beside its status; goes with its response.
#[derive(Debug, Clone)]
pub(crate) struct Told(pub(crate) Json);

/// Who does what.
#[derive(Debug, Serialize)]
pub(crate) struct Doing<'a> {
    /// The name of the key; none where there are no keys.
    key: Option<&'a str>,
    address: IpAddr,
    method: &'a str,
    path: &'a str,
    /// The id of the request, as logs have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
}

#[derive(Serialize)]
struct Line<'a, T> {
    at: String,
    act: &'a str,
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

impl<'a> Doing<'a> {
    pub(crate) fn new(
        key: Option<&'a str>,
        address: IpAddr,
        method: &'a Method,
        uri: &'a Uri,
    ) -> Self {
        Self {
            key,
            address,
            method: method.as_str(),
            path: uri.path_and_query().map_or(uri.path(), |all| all.as_str()),
            request_id: current_request().map(|request| request.id().to_owned()),
        }
    }
}

impl AuditLog {
    /// Into this file, which is made if it is not there. An error where nothing can be added to it.
    pub fn to(path: &Path) -> io::Result<Self> {
        file::open(path)?;
        Ok(Self::within(path))
    }

    /// The same, for a file in a folder that is known to take files: it is made with its first line.
    #[must_use]
    pub fn within(path: &Path) -> Self {
        Self {
            file: Some(Arc::new(Mutex::new(path.to_owned()))),
        }
    }

    /// Writes down that an act begins. A problem where that cannot be: then it must not.
    pub(crate) async fn begin(&self, doing: &Doing<'_>, now: Timestamp) -> Result<Act, Problem> {
        let act = Act {
            log: self.clone(),
            id: format!("{:016x}", drawn()?),
        };
        tracing::info!(
            act = act.id,
            key = doing.key,
            address = %doing.address,
            method = doing.method,
            path = doing.path,
            "begun"
        );
        act.write("begun", doing, now).await?;
        Ok(act)
    }

    async fn add(&self, line: Vec<u8>) -> io::Result<()> {
        let Some(path) = self.file.clone() else {
            return Ok(());
        };
        let added = tokio::task::spawn_blocking(move || {
            // One line at a time: they do not mix, and a line is durable before the next one begins.
            let path = path.lock();
            file::add(&mut file::open(&path)?, line)
        });
        added.await.map_err(io::Error::other)?
    }
}

impl Act {
    /// Writes down what came of it. The answer is a problem where that cannot be.
    pub(crate) async fn end(self, response: Response, now: Timestamp) -> Result<Response, Problem> {
        let ended = Ended {
            status: response.status().as_u16(),
            told: response.extensions().get::<Told>().map(|told| &told.0),
        };
        tracing::info!(act = self.id, status = ended.status, "ended");
        self.write("ended", &ended, now).await?;
        Ok(response)
    }

    async fn write(
        &self,
        event: &'static str,
        what: &impl Serialize,
        now: Timestamp,
    ) -> Result<(), Problem> {
        let line = Line {
            at: now.to_string(),
            act: &self.id,
            event,
            what,
        };
        let mut line = serde_json::to_vec(&line).expect("texts and numbers are JSON");
        line.push(b'\n');
        self.log.add(line).await.map_err(|error| {
            tracing::error!(%error, act = self.id, event, "the audit log cannot be written");
            let (kind, done) = match event {
                "begun" => (ProblemType::Unavailable, "nothing was done"),
                _ => (ProblemType::Unknown, "it may have been done"),
            };
            Problem::new(
                kind,
                format!("the audit log cannot be written: {error}; {done}"),
            )
        })
    }
}

/// Tells an act from all others.
fn drawn() -> Result<u64, Problem> {
    getrandom::u64().map_err(|error| {
        Problem::new(
            ProblemType::Unavailable,
            format!("no random number: {error}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn doing(uri: &Uri) -> Doing<'_> {
        Doing::new(
            Some("ops"),
            IpAddr::from([10, 0, 0, 7]),
            &Method::DELETE,
            uri,
        )
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
    async fn an_act_is_two_lines_and_a_file_may_be_moved_away_in_between() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.log");
        let log = AuditLog::to(&path).unwrap();
        let uri = "/v1/members/u%201?kind=gifts".parse().unwrap();
        let act = log.begin(&doing(&uri), NOW).await.unwrap();
        let begun = lines(&path).pop().unwrap();
        assert_eq!(begun["event"], "begun");
        assert_eq!(begun["key"], "ops");
        assert_eq!(begun["address"], "10.0.0.7");
        assert_eq!(begun["path"], "/v1/members/u%201?kind=gifts");
        std::fs::rename(&path, folder.path().join("audit.log.1")).unwrap();
        let mut response = ().into_response();
        let told = serde_json::json!({"erased": 3});
        response.extensions_mut().insert(Told(told.clone()));
        act.end(response, NOW).await.unwrap();
        let ended = lines(&path).pop().unwrap();
        assert_eq!(ended["event"], "ended");
        assert_eq!(ended["act"], begun["act"]);
        assert_eq!((&ended["status"], &ended["told"]), (&200.into(), &told));
    }

    #[tokio::test]
    async fn what_cannot_be_written_down_does_not_begin() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        assert!(AuditLog::to(&inner.join("audit.log")).is_err());
        std::fs::create_dir(&inner).unwrap();
        let log = AuditLog::to(&inner.join("audit.log")).unwrap();
        let uri = "/v1/members/u1".parse().unwrap();
        let act = log.begin(&doing(&uri), NOW).await.unwrap();
        std::fs::remove_dir_all(&inner).unwrap();
        let refused = log.begin(&doing(&uri), NOW).await.unwrap_err();
        assert_eq!(refused.kind, ProblemType::Unavailable);
        let unknown = act.end(().into_response(), NOW).await.unwrap_err();
        assert_eq!(unknown.kind, ProblemType::Unknown);
    }
}
