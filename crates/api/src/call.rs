//! [`Call`]: a request that the gate has admitted, as its handler gets it. [`BoardRead`]: a read of a board.

use std::sync::Arc;
use std::time::Duration;

use access::Caller;
use access::audit::AuditEntry;
use axum::body::Body;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use board::{BoardName, Kind, Member, Subject};
use http_server::query_params::{Params, prefer};
use http_server::{
    AddressResponses, Backpressure, OfAddress, Whole, from_json, media_type, whole_up_to,
};
use merger::{Merger, RankedEntry, ReadResult};
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use shard_router::KnownKind;
use wire::problem::{Problem, ProblemType};
use wire::{Envelope, cursor_of, render_with};

use crate::app::App;
use crate::board_response::json_of;
use crate::profiles::variant_with;
use crate::read_window::ReadWindow;
use crate::route::PathParams;
use crate::target::resolve;

/// What a handler returns: a response, or the problem that becomes one.
pub(crate) type HandlerResult = Result<Response, Problem>;

/// Maximum bytes of a JSON body without contributions: the longest ones name a thousand members.
const JSON_BYTES_MAX: usize = 1 << 20;

/// The maximum time that a write waits for a store that is unavailable.
const WRITE_WAIT_MAX: Duration = Duration::from_secs(15);

/// A request that the gate has admitted.
pub(crate) struct Call {
    pub(crate) app: Arc<App>,
    pub(crate) caller: Caller,
    pub(crate) path: PathParams,
    pub(crate) headers: HeaderMap,
    pub(crate) uri: Uri,
    /// Behind a lock alone so that calls are shared between threads.
    pub(crate) body: Mutex<Body>,
    /// The responses to its address.
    pub(crate) responses: AddressResponses,
    /// Of audited routes.
    pub(crate) audit: Option<AuditEntry>,
    /// Of streams: the connection, and the stream's count in its address.
    pub(crate) stream: Option<(Arc<Backpressure>, Arc<OfAddress>)>,
    /// It is a read that was made before: its response is prepared for the next one.
    pub(crate) is_repeated: bool,
}

/// Parameters of the query, of a path that has none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoParams {}

impl Call {
    /// Reads the parameters of the query.
    pub(crate) fn params<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        Params::of(self.uri.query())?.read()
    }

    /// Rejects a query with parameters.
    pub(crate) fn no_params(&self) -> Result<(), Problem> {
        self.params().map(|NoParams {}| ())
    }

    /// Returns the name of the kind in the path, which may not exist.
    pub(crate) fn kind_name(&self) -> &str {
        self.path.kind.as_deref().unwrap_or_default()
    }

    /// Returns the kind in the path, or 404.
    pub(crate) async fn kind(&self) -> Result<KnownKind, Problem> {
        self.app.kind(self.kind_name()).await
    }

    /// Returns the board in the path, of a kind that exists.
    pub(crate) async fn board(&self) -> Result<Board, Problem> {
        let known = self.kind().await?;
        let subject = Subject::new(self.path.subject.as_deref().unwrap_or_default());
        let subject = subject.map_err(|error| Problem::invalid(error.to_string()))?;
        Ok(Board {
            name: BoardName::new(known.kind.name().clone(), subject),
            known,
        })
    }

    /// Returns the member in the path.
    pub(crate) fn member(&self) -> Result<Member, Problem> {
        let member = Member::new(self.path.member.as_deref().unwrap_or_default());
        member.map_err(|error| Problem::invalid(error.to_string()))
    }

    /// Records in the audit log that the change begins: nothing of the request is left to refuse.
    pub(crate) async fn begin_change(&self) -> Result<(), Problem> {
        let Some(entry) = &self.audit else {
            let detail = "changes of this path are not recorded";
            return Err(Problem::new(ProblemType::Unavailable, detail));
        };
        entry.begin(self.app.now()).await
    }

    /// Returns how long the client wants its write to wait for a store that is unavailable, if it does.
    pub(crate) fn write_wait(&self) -> Option<Duration> {
        let values = self.headers.get_all("prefer").iter();
        let wait = prefer::wait(values.filter_map(|value| value.to_str().ok()))?;
        Some(wait.min(WRITE_WAIT_MAX))
    }

    /// Takes the body.
    pub(crate) fn take_body(&self) -> Body {
        std::mem::take(&mut self.body.lock())
    }

    /// Reads the body, up to the configured limit.
    pub(crate) async fn whole(&self) -> Result<Whole, Problem> {
        self.whole_of(self.app.memory.body_bytes_max()).await
    }

    async fn whole_of(&self, bytes_max: usize) -> Result<Whole, Problem> {
        let body = self.take_body();
        tokio::select! {
            biased;
            whole = whole_up_to(&self.app.memory.bodies, body, bytes_max) => whole,
            () = self.app.stopping() => {
                let detail = "the server is stopping, and the body has not come";
                Err(Problem::new(ProblemType::Unavailable, detail))
            }
        }
    }

    /// Reads a JSON body without contributions.
    pub(crate) async fn json_text(&self) -> Result<Whole, Problem> {
        self.check_media_type("application/json")?;
        let bytes_max = self.app.memory.body_bytes_max().min(JSON_BYTES_MAX);
        self.whole_of(bytes_max).await
    }

    /// Reads and parses a JSON body without contributions.
    pub(crate) async fn json<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        from_json(&self.json_text().await?)
    }

    /// Rejects a body of another media type.
    pub(crate) fn check_media_type(&self, expected: &str) -> Result<(), Problem> {
        let media_type = media_type(&self.headers);
        if media_type == expected {
            return Ok(());
        }
        let detail = format!("content-type: {media_type:?} is not {expected}");
        Err(Problem::new(ProblemType::UnsupportedMediaType, detail))
    }
}

/// The board in a path, of a kind that exists.
pub(crate) struct Board {
    pub(crate) name: BoardName,
    pub(crate) known: KnownKind,
}

impl Board {
    pub(crate) fn kind(&self) -> &Arc<Kind> {
        &self.known.kind
    }

    /// Rejects a board that no write may create.
    pub(crate) fn check_visible(&self) -> Result<(), Problem> {
        let visible = self.name.subject().check_visible();
        visible.map_err(|error| Problem::invalid(error.to_string()))
    }
}

/// A read of a board: what all of them have in their path and their query.
pub(crate) struct BoardRead {
    pub(crate) call: Box<Call>,
    pub(crate) board: Board,
    /// The window that `?window=` selects at this moment, by default the kind's first.
    pub(crate) window: ReadWindow,
    /// Whether no cache may answer it. Reads that are always fresh accept it, too.
    pub(crate) fresh: bool,
}

impl BoardRead {
    /// Reads path and query. The route's own parameters are those besides `window` and `fresh`.
    pub(crate) async fn of<T: DeserializeOwned>(call: Box<Call>) -> Result<(Self, T), Problem> {
        let board = call.board().await?;
        let mut params = Params::of(call.uri.query())?;
        let fresh = params.take("fresh")?.unwrap_or(false);
        let selector: Option<String> = params.take("window")?;
        let own = params.read()?;
        let window = resolve(&call.app, board.kind(), selector.as_deref())?;
        let read = Self {
            window: window.validated_if(fresh),
            call,
            board,
            fresh,
        };
        Ok((read, own))
    }

    pub(crate) fn merger(&self) -> &Merger {
        &self.call.app.merger
    }

    /// Returns the name of the board.
    pub(crate) fn name(&self) -> &BoardName {
        &self.board.name
    }

    /// Marks a response that also depends on something besides the window: it is validated even if it is final.
    pub(crate) fn validated_if(mut self, condition: bool) -> Self {
        self.window = self.window.validated_if(condition);
        self
    }

    /// Returns the response to a `GET`, or 304 if the client has it: then `body` is not made. The URL and the version
    /// determine the body, together with `variant`.
    #[expect(clippy::unnecessary_wraps, reason = "handlers return it")]
    pub(crate) fn respond<T, B: Serialize>(
        &self,
        read: &ReadResult<T>,
        variant: &str,
        body: impl FnOnce() -> B,
    ) -> HandlerResult {
        let (headers, name) = (&self.call.headers, self.name());
        let json = |envelope: &Envelope<'_>| json_of(envelope, &body());
        Ok(self.window.respond(headers, name, read, variant, json))
    }

    /// Returns the response with a page of entries, of which `more` is the last one if others follow.
    pub(crate) async fn page<T>(
        &self,
        read: &ReadResult<T>,
        variant: &str,
        entries: &[RankedEntry],
        more: Option<&RankedEntry>,
        with_profiles: bool,
    ) -> HandlerResult {
        let members = entries.iter().map(|ranked| &ranked.entry.key.member);
        let (app, known) = (&self.call.app, &self.board.known);
        let profiles = app.profiles(known, with_profiles, members).await?;
        let variant = variant_with(variant, with_profiles, &profiles);
        pacing::spend(entries.len()).await;
        let json = |envelope: &Envelope<'_>| {
            let next = more.map(|last| cursor_of(&known.kind, &last.entry.key));
            let entries = render_with(&known.kind, entries, &profiles).bytes;
            envelope.with_entries(&entries, next.as_deref()).0
        };
        let (headers, name) = (&self.call.headers, self.name());
        Ok(self.window.respond(headers, name, read, &variant, json))
    }
}
