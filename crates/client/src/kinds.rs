//! Kinds, lists of boards, the tops of many boards, and what admins see of a server.

use futures::stream::{self, Stream, TryStreamExt as _};
use reqwest::Method;
use serde::Deserialize;

use crate::client::{Client, Retry};
use crate::error::Error;
use crate::name::segment;
use crate::request::Request;
use crate::responses::{AuditPage, Boards, Keys, Kind, Listed, Ready, Tops};

impl Request<Boards> {
    /// Returns all boards from there on as a stream, which requests the next page when it is needed.
    pub fn all(self) -> impl Stream<Item = Result<Listed, Error>> + Send + use<> {
        let pages = stream::try_unfold(Some(self), |request| async move {
            let Some(request) = request else {
                return Ok::<_, Error>(None);
            };
            let page = request.send().await?;
            let next = page.next.map(|next| request.replace("after", next));
            let boards = page.boards.into_iter().map(Ok);
            Ok(Some((stream::iter(boards), next)))
        });
        pages.try_flatten()
    }
}

impl Client {
    /// Lists the created boards of a kind, by default ordered by subject.
    pub fn boards(&self, kind: &str) -> Request<Boards> {
        Request::get(self, Ok("/v1/boards".to_owned())).with("kind", kind)
    }

    /// Reads the tops of up to 100 boards, by default 10 entries of each.
    pub fn tops<B: Into<String>>(&self, boards: impl IntoIterator<Item = B>) -> Request<Tops> {
        let boards: Vec<String> = boards.into_iter().map(Into::into).collect();
        Request::new(self, Method::POST, Ok("/v1/top".to_owned()))
            .with_field("boards", boards)
            .with_parameters_in_body()
    }

    /// Reads all kinds that the key may access.
    pub async fn kinds(&self) -> Result<Vec<Kind>, Error> {
        #[derive(Deserialize)]
        struct Kinds {
            kinds: Vec<Kind>,
        }
        let request: Request<Kinds> = Request::get(self, Ok("/v1/kinds".to_owned()));
        Ok(request.send().await?.kinds)
    }

    /// Reads one kind.
    pub fn kind(&self, name: &str) -> Request<Kind> {
        self.of_kind(Method::GET, name)
    }

    /// Creates a kind, or changes the settings that may change. Returns all its settings.
    pub fn put_kind(&self, name: &str, kind: &Kind) -> Request<Kind> {
        self.of_kind(Method::PUT, name).with_body(kind)
    }

    /// Reads one kind and its entity tag, for [`put_kind_if`](Self::put_kind_if).
    pub async fn kind_with_etag(&self, name: &str) -> Result<(Kind, String), Error> {
        let response = self.kind(name).response().await?;
        let kind = serde_json::from_slice(&response.body).map_err(Error::unreadable)?;
        Ok((kind, response.etag.unwrap_or_default()))
    }

    /// Changes a kind unless it changed since its entity tag was read; otherwise the error is
    /// `precondition-failed`. The request is retried only if it definitely was not applied, since a
    /// second one would fail.
    pub fn put_kind_if(&self, name: &str, kind: &Kind, etag: &str) -> Request<Kind> {
        let mut request = self.put_kind(name, kind).once();
        request.if_match = Some(etag.to_owned());
        request
    }

    /// Deletes a kind that has no boards. The request is retried only if it definitely was not applied:
    /// a second one could delete a kind that was created after the first.
    pub fn delete_kind(&self, name: &str) -> Request<()> {
        self.of_kind(Method::DELETE, name).once()
    }

    /// Asks once whether the server is ready.
    pub fn ready(&self) -> Request<Ready> {
        let mut request = Request::get(self, Ok("/readyz".to_owned()));
        request.retry = Retry::Never;
        request
    }

    /// Lists the newest lines of the audit log of the server that responds. Requires a key of scope `admin` for all
    /// kinds.
    pub fn audit(&self) -> Request<AuditPage> {
        Request::get(self, Ok("/v1/audit".to_owned()))
    }

    /// Lists the configured keys, without the keys themselves. Requires a key of scope `admin` for all kinds.
    pub fn keys(&self) -> Request<Keys> {
        Request::get(self, Ok("/v1/keys".to_owned()))
    }

    fn of_kind<T>(&self, method: Method, name: &str) -> Request<T> {
        let path = segment("kind", name).map(|name| format!("/v1/kinds/{name}"));
        Request::new(self, method, path)
    }
}
