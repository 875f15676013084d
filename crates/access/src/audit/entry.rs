//! The audit entry of a request: [`AuditEntry`].

use std::sync::Arc;

use axum::response::Response;
use board::Timestamp;
use serde::Serialize;
use serde_json::Value as Json;
use tokio::sync::OnceCell;
use wire::problem::{Problem, ProblemType};

use crate::audit::request::AuditedRequest;
use crate::audit::trail::{AuditRecord, Trail};

/// The entry of one request. The request's handler begins it.
#[derive(Debug, Clone)]
pub struct AuditEntry(Arc<EntryState>);

#[derive(Debug)]
struct EntryState {
    trail: Trail,
    request: AuditedRequest,
    /// The id of the entry once it has begun.
    id: OnceCell<String>,
}

/// What a handler adds to the entry besides the status: an extension of its response.
#[derive(Debug, Clone)]
pub struct AuditDetails(
    /// The field `details` of the line.
    pub Json,
);

/// The fields of a line about an outcome.
#[derive(Serialize)]
struct Ended<'a> {
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a Json>,
}

impl AuditEntry {
    pub(crate) fn new(trail: Trail, request: AuditedRequest) -> Self {
        Self(Arc::new(EntryState {
            trail,
            request,
            id: OnceCell::new(),
        }))
    }

    /// Records that the change begins. On an error it must not begin.
    pub async fn begin(&self, now: Timestamp) -> Result<(), Problem> {
        let id = self.0.id.get_or_try_init(async || {
            let id = format!("{:016x}", random_id()?);
            let request = &self.0.request;
            tracing::info!(
                operation = id,
                key = request.key,
                address = %request.address,
                method = request.method,
                path = request.path,
                "begun"
            );
            self.append(&id, "begun", request, now).await?;
            Ok::<_, Problem>(id)
        });
        id.await.map(drop)
    }

    /// Records the outcome, and returns the response, or an error that replaces it if the outcome could not be
    /// recorded.
    pub async fn end(self, response: Response, now: Timestamp) -> Result<Response, Problem> {
        let status = response.status();
        if self.0.id.get().is_none() {
            if !status.is_success() {
                let EntryState { trail, request, .. } = &*self.0;
                trail.reject(request, status.as_u16(), now).await;
                return Ok(response);
            }
            // The request had nothing to change.
            self.begin(now).await?;
        }
        let id = self.0.id.get().expect("the entry has begun");
        let fields = Ended {
            status: status.as_u16(),
            details: response
                .extensions()
                .get::<AuditDetails>()
                .map(|details| &details.0),
        };
        tracing::info!(operation = id, status = fields.status, "ended");
        self.append(id, "ended", &fields, now).await?;
        Ok(response)
    }

    async fn append(
        &self,
        id: &str,
        event: &'static str,
        fields: &impl Serialize,
        now: Timestamp,
    ) -> Result<(), Problem> {
        let line = AuditRecord {
            at: now.to_string(),
            operation: Some(id),
            event,
            fields,
        };
        self.0.trail.append(&line).await.map_err(|error| {
            tracing::error!(%error, operation = id, event, "the audit log cannot be written");
            let (kind, effect) = match event {
                "begun" => (ProblemType::Unavailable, "nothing was changed"),
                _ => (ProblemType::Unknown, "the change may have been applied"),
            };
            Problem::new(
                kind,
                format!("the audit log cannot be written: {error}; {effect}"),
            )
        })
    }
}

/// Returns a random id.
fn random_id() -> Result<u64, Problem> {
    getrandom::u64().map_err(|error| {
        Problem::new(
            ProblemType::Unavailable,
            format!("no random number could be generated: {error}"),
        )
    })
}
