//! Kinds, lists of boards, and the tops of many boards: [`Client::kinds`], [`Client::boards`], [`Client::tops`].

use std::fmt::Display;

use futures::stream::{self, Stream, TryStreamExt as _};
use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::answer::{Boards, Kind, Listed, Ready, Top};
use crate::client::{Call, Client, Retry};
use crate::error::Error;
use crate::name::segment;
use crate::query::{ApiRequest, request};

request! {
    /// A page of the boards of a kind: [`Client::boards`].
    GetBoards -> Boards {
        /// Selects subjects that begin with this.
        prefix: impl Display,
        /// Begins after this subject.
        after: impl Display,
        /// Limits the page: up to 1,000 boards, 100 by default.
        limit: u64,
    } Always
}

/// The body of a request for the tops of many boards.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct TopsRequest {
    boards: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    fresh: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    profiles: bool,
}

/// The tops of many boards.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Tops {
    /// One for each requested board, in the order of the request.
    pub boards: Vec<Top>,
}

request! {
    /// The tops of many boards in one response: [`Client::tops`].
    GetTops -> Tops {} Always with body: TopsRequest
}

#[derive(Deserialize)]
struct Kinds {
    kinds: Vec<Kind>,
}

impl GetTops {
    /// Selects a window (any selector); each kind's first by default.
    pub fn window(mut self, window: impl Into<String>) -> Self {
        self.body.window = Some(window.into());
        self
    }

    /// Sets the number of entries of each board: 10 by default.
    pub fn n(mut self, n: u64) -> Self {
        self.body.n = Some(n);
        self
    }

    /// Requires merges that began after the request arrived.
    pub fn fresh(mut self, fresh: bool) -> Self {
        self.body.fresh = fresh;
        self
    }

    /// Adds the profile of each member that has one.
    pub fn profiles(mut self, profiles: bool) -> Self {
        self.body.profiles = profiles;
        self
    }
}

impl GetBoards {
    /// Returns all boards from there on as a stream, which requests the next page when it is needed.
    pub fn all(self) -> impl Stream<Item = Result<Listed, Error>> + Send + use<> {
        let pages = stream::try_unfold(Some(self.request), |request| async move {
            let Some(request) = request else {
                return Ok::<_, Error>(None);
            };
            let page: Boards = request.client.read(&request.call()?, Retry::Always).await?;
            let next = page.next.map(|next| request.replace("after", next));
            let boards = page.boards.into_iter().map(Ok);
            Ok(Some((stream::iter(boards), next)))
        });
        pages.try_flatten()
    }
}

impl Client {
    /// Lists the created boards of a kind, ordered by subject.
    pub fn boards(&self, kind: &str) -> GetBoards {
        let request = ApiRequest::get(self, Ok("/v1/boards".to_owned()));
        GetBoards {
            request: request.with("kind", kind),
        }
    }

    /// Reads the tops of up to 100 boards.
    pub fn tops<B: Into<String>>(&self, boards: impl IntoIterator<Item = B>) -> GetTops {
        GetTops {
            request: ApiRequest::new(self, Method::POST, Ok("/v1/top".to_owned())),
            body: TopsRequest {
                boards: boards.into_iter().map(Into::into).collect(),
                window: None,
                n: None,
                fresh: false,
                profiles: false,
            },
        }
    }

    /// Reads all kinds that the key may access.
    pub async fn kinds(&self) -> Result<Vec<Kind>, Error> {
        let call = Call::get("/v1/kinds".to_owned());
        let kinds: Kinds = self.read(&call, Retry::Always).await?;
        Ok(kinds.kinds)
    }

    /// Reads one kind.
    pub async fn kind(&self, name: &str) -> Result<Kind, Error> {
        let call = self.kind_request(Method::GET, name).call()?;
        self.read(&call, Retry::Always).await
    }

    /// Creates a kind, or changes the settings that may change. Returns all its settings.
    pub async fn put_kind(&self, name: &str, kind: &Kind) -> Result<Kind, Error> {
        let call = self.kind_request(Method::PUT, name).call_with(kind)?;
        self.read(&call, Retry::Always).await
    }

    /// Reads one kind and its entity tag, for [`put_kind_if`](Self::put_kind_if).
    pub async fn kind_with_etag(&self, name: &str) -> Result<(Kind, String), Error> {
        let call = self.kind_request(Method::GET, name).call()?;
        let response = self.send_with_retries(&call, Retry::Always).await?;
        let kind = serde_json::from_slice(&response.body).map_err(Error::unreadable)?;
        Ok((kind, response.etag.unwrap_or_default()))
    }

    /// Changes a kind unless it changed since its entity tag was read; otherwise the error is
    /// `precondition-failed`. The request is retried only if it definitely was not applied, since a
    /// second one would fail.
    pub async fn put_kind_if(&self, name: &str, kind: &Kind, etag: &str) -> Result<Kind, Error> {
        let mut call = self.kind_request(Method::PUT, name).call_with(kind)?;
        call.if_match = Some(etag.to_owned());
        self.read(&call, Retry::IfNotApplied).await
    }

    /// Deletes a kind that has no boards. The request is retried only if it definitely was not applied:
    /// a second one could delete a kind that was created after the first.
    pub async fn delete_kind(&self, name: &str) -> Result<(), Error> {
        let call = self.kind_request(Method::DELETE, name).call()?;
        self.send_with_retries(&call, Retry::IfNotApplied)
            .await
            .map(drop)
    }

    /// Asks once whether the server is ready.
    pub async fn ready(&self) -> Result<Ready, Error> {
        let call = Call::get("/readyz".to_owned());
        self.read(&call, Retry::Never).await
    }

    fn kind_request(&self, method: Method, name: &str) -> ApiRequest {
        let path = segment("kind", name).map(|name| format!("/v1/kinds/{name}"));
        ApiRequest::new(self, method, path)
    }
}
