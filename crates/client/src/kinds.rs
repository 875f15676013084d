//! Kinds, and what there is of boards: [`Client::kinds`], [`Client::boards`], [`Client::tops`].

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
        /// The subject behind which to begin.
        after: impl Display,
        /// How many: up to 1,000, 100 by default.
        limit: u64,
    } Always
}

/// Boards whose tops are wanted.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Wanted {
    boards: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    fresh: bool,
}

/// The tops of many boards.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Tops {
    /// One for each board that was asked for, in that order.
    pub boards: Vec<Top>,
}

request! {
    /// The tops of many boards in one answer: [`Client::tops`].
    GetTops -> Tops {} Always with wanted: Wanted
}

#[derive(Deserialize)]
struct Kinds {
    kinds: Vec<Kind>,
}

impl GetTops {
    /// Which window (any selector); each kind's first by default.
    pub fn window(mut self, window: impl Into<String>) -> Self {
        self.wanted.window = Some(window.into());
        self
    }

    /// How many of each: 10 by default.
    pub fn n(mut self, n: u64) -> Self {
        self.wanted.n = Some(n);
        self
    }

    /// Answers from merges that begin after the request has come.
    pub fn fresh(mut self, fresh: bool) -> Self {
        self.wanted.fresh = fresh;
        self
    }
}

impl GetBoards {
    /// All boards from there on, page after page, as they are wanted.
    pub fn all(self) -> impl Stream<Item = Result<Listed, Error>> + Send + use<> {
        let pages = stream::try_unfold(Some(self.request), |request| async move {
            let Some(request) = request else {
                return Ok::<_, Error>(None);
            };
            let page: Boards = request.client.read(&request.call()?, Retry::Always).await?;
            let next = page.next.map(|next| request.instead("after", next));
            let boards = page.boards.into_iter().map(Ok);
            Ok(Some((stream::iter(boards), next)))
        });
        pages.try_flatten()
    }
}

impl Client {
    /// The boards of a kind that have had a contribution, by subject.
    pub fn boards(&self, kind: &str) -> GetBoards {
        let request = ApiRequest::get(self, Ok("/v1/boards".to_owned()));
        GetBoards {
            request: request.with("kind", kind),
        }
    }

    /// The tops of these boards, 100 at most.
    pub fn tops<B: Into<String>>(&self, boards: impl IntoIterator<Item = B>) -> GetTops {
        GetTops {
            request: ApiRequest::new(self, Method::POST, Ok("/v1/top".to_owned())),
            wanted: Wanted {
                boards: boards.into_iter().map(Into::into).collect(),
                window: None,
                n: None,
                fresh: false,
            },
        }
    }

    /// All kinds that the key is for.
    pub async fn kinds(&self) -> Result<Vec<Kind>, Error> {
        let call = Call::get("/v1/kinds".to_owned());
        let kinds: Kinds = self.read(&call, Retry::Always).await?;
        Ok(kinds.kinds)
    }

    /// One kind.
    pub async fn kind(&self, name: &str) -> Result<Kind, Error> {
        let call = self.kind_request(Method::GET, name).call()?;
        self.read(&call, Retry::Always).await
    }

    /// Makes a kind, or changes what may be changed; gives all that holds then.
    pub async fn put_kind(&self, name: &str, kind: &Kind) -> Result<Kind, Error> {
        let call = self.kind_request(Method::PUT, name).call_with(kind)?;
        self.read(&call, Retry::Always).await
    }

    /// One kind, and the entity tag that [`put_kind_if`](Self::put_kind_if) takes.
    pub async fn kind_with_etag(&self, name: &str) -> Result<(Kind, String), Error> {
        let call = self.kind_request(Method::GET, name).call()?;
        let answer = self.ask(&call, Retry::Always).await?;
        let kind = serde_json::from_slice(&answer.body).map_err(Error::unreadable)?;
        Ok((kind, answer.etag.unwrap_or_default()))
    }

    /// Changes a kind that is still what it was: `precondition-failed` where somebody else has changed it
    /// since. It is sent again only where it surely was not done, since a second time would fail.
    pub async fn put_kind_if(&self, name: &str, kind: &Kind, etag: &str) -> Result<Kind, Error> {
        let mut call = self.kind_request(Method::PUT, name).call_with(kind)?;
        call.if_match = Some(etag.to_owned());
        self.read(&call, Retry::IfNotApplied).await
    }

    /// Deletes a kind that has no boards. It is sent again only where it surely was not done: a second
    /// deletion could meet a kind that was made after the first.
    pub async fn delete_kind(&self, name: &str) -> Result<(), Error> {
        let call = self.kind_request(Method::DELETE, name).call()?;
        self.ask(&call, Retry::IfNotApplied).await.map(drop)
    }

    /// Whether the server is ready, as it is at this moment: what is not is asked once.
    pub async fn ready(&self) -> Result<Ready, Error> {
        let call = Call::get("/readyz".to_owned());
        self.read(&call, Retry::Never).await
    }

    fn kind_request(&self, method: Method, name: &str) -> ApiRequest {
        let path = segment("kind", name).map(|name| format!("/v1/kinds/{name}"));
        ApiRequest::new(self, method, path)
    }
}
