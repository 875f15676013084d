//! The audit log, from which handlers get their entry: [`AuditLog`].

use std::io;
use std::path::{Path, PathBuf};

use wire::problem::{Problem, ProblemType};

use crate::audit::entry::AuditEntry;
use crate::audit::file::{self, AuditLimits};
use crate::audit::page::{AuditPage, Cursor};
use crate::audit::request::AuditedRequest;
use crate::audit::trail::Trail;

/// The suffix of the file about callers that are not admins.
const WRITERS_SUFFIX: &str = ".writers";

/// Records entries, those of admins and those of other callers in separate files.
#[derive(Debug, Clone, Default)]
pub struct AuditLog {
    of_admins: Trail,
    of_writers: Trail,
}

impl AuditLog {
    /// Opens this file, and one beside it for callers that are not admins. Creates them if they do not exist.
    pub fn open(path: &Path, limits: AuditLimits) -> io::Result<Self> {
        file::open(path)?;
        let writers = writers_path(path);
        file::open(&writers).map_err(|error| {
            let why = format!("{}: {error}", writers.display());
            io::Error::new(error.kind(), why)
        })?;
        Ok(Self::in_store_folder(path.to_owned(), limits))
    }

    /// Uses files in the folder of a store, which is known to be writable. Each is created with its first line.
    #[must_use]
    pub fn in_store_folder(path: PathBuf, limits: AuditLimits) -> Self {
        Self {
            of_writers: Trail::at(writers_path(&path), limits),
            of_admins: Trail::at(path, limits),
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
        AuditEntry::new(trail.clone(), request)
    }

    /// Returns up to `limit` lines of the file about admins, or of the one about `writers`, the newest first: the last
    /// ones, or those before the `next` of an earlier page.
    pub async fn page(
        &self,
        writers: bool,
        before: Option<&str>,
        limit: usize,
    ) -> Result<AuditPage, Problem> {
        let trail = if writers {
            &self.of_writers
        } else {
            &self.of_admins
        };
        let wrong = || {
            let before = before.unwrap_or_default();
            Problem::invalid(format!(
                "before: {before:?} is not the next of an earlier response, or its file was deleted since: omit it"
            ))
        };
        let cursor = before.map(|text| Cursor::parse(text).ok_or_else(wrong));
        let Some(read) = trail.newest(cursor.transpose()?, limit).await else {
            let detail = "this server writes no audit log: start it with --audit-log FILE";
            return Err(Problem::new(ProblemType::NoAuditLog, detail));
        };
        let page = read.map_err(|error| {
            let detail = format!("the audit log cannot be read: {error}");
            Problem::new(ProblemType::Unavailable, detail)
        })?;
        page.ok_or_else(wrong)
    }
}

/// Returns the path of the file about callers that are not admins: `audit.log.writers`.
fn writers_path(path: &Path) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(WRITERS_SUFFIX);
    path.into()
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use axum::http::{Method, StatusCode};
    use axum::response::IntoResponse as _;
    use board::Timestamp;
    use serde_json::Value as Json;

    use super::*;
    use crate::audit::entry::AuditDetails;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn request(uri: &str) -> AuditedRequest {
        let address = IpAddr::from([10, 0, 0, 7]);
        AuditedRequest::new(Some("ops"), true, address, &Method::DELETE, uri)
    }

    fn writer_request(uri: &str) -> AuditedRequest {
        AuditedRequest {
            key: Some("game".to_owned()),
            is_admin: false,
            ..request(uri)
        }
    }

    fn log_in(folder: &Path) -> io::Result<AuditLog> {
        AuditLog::open(&folder.join("audit.log"), AuditLimits::default())
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
        let details = serde_json::json!({"erased": 3});
        response
            .extensions_mut()
            .insert(AuditDetails(details.clone()));
        entry.end(response, NOW).await.unwrap();
        let ended = lines(&path).pop().unwrap();
        assert_eq!(ended["event"], "ended");
        assert_eq!(ended["operation"], begun["operation"]);
        assert_eq!(
            (&ended["status"], &ended["details"]),
            (&200.into(), &details)
        );
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
        // The response to a rejected request is not replaced.
        let entry = log.entry(request("/v1/members/u1"));
        let refused = entry.end(StatusCode::NOT_FOUND.into_response(), NOW).await;
        assert_eq!(refused.unwrap().status(), StatusCode::NOT_FOUND);
    }

    #[tokio::test]
    async fn other_callers_displace_no_lines_about_admins() {
        let folder = tempfile::tempdir().unwrap();
        let limits = AuditLimits {
            file_bytes_max: 2_000,
            files_kept: 1,
        };
        let path = folder.path().join("audit.log");
        let log = AuditLog::open(&path, limits).unwrap();
        let remove = async |request: AuditedRequest| {
            let entry = log.entry(request);
            entry.begin(NOW).await.unwrap();
            entry.end(().into_response(), NOW).await.unwrap();
        };
        let reject = async |request: AuditedRequest| {
            let response = StatusCode::NOT_FOUND.into_response();
            log.entry(request).end(response, NOW).await.unwrap();
        };
        remove(request("/v1/members/u1")).await;
        for number in 0..100 {
            let uri = format!("/v1/boards/gifts/a/members/u{number}");
            remove(writer_request(&uri)).await;
            reject(writer_request(&uri)).await;
        }
        // They do not use up the lines for rejected requests of admins, either.
        reject(request("/v1/members/u2")).await;
        let admin_lines = lines(&path);
        let events: Vec<_> = admin_lines
            .iter()
            .map(|line| (line["event"].as_str().unwrap(), &line["unlisted"]))
            .collect();
        let null = &Json::Null;
        assert_eq!(
            events,
            [("begun", null), ("ended", null), ("refused", &0.into())]
        );
        let writers = lines(&folder.path().join("audit.log.writers"));
        assert_eq!(writers.last().unwrap()["event"], "ended");
        assert!(folder.path().join("audit.log.writers.1").exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
