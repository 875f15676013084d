//! Typed requests, which are sent when they are awaited: [`Request`].

use std::fmt::Display;
use std::future::IntoFuture;
use std::marker::PhantomData;

use bytes::Bytes;
use futures::future::BoxFuture;
use jiff::Timestamp;
use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::client::{Call, Client, Response, Retry};
use crate::error::Error;
use crate::name::encoded;
use crate::responses::{
    AuditPage, Boards, Entries, HiddenIn, MemberPosition, Settled, StreamToken, Top, Tops,
};

/// A request whose response is a `T`. It is sent when it is awaited. An invalid name is reported then, too.
///
/// The server rejects parameters that the operation does not have.
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until it is awaited"]
pub struct Request<T> {
    pub(crate) client: Client,
    method: Method,
    path: Result<String, String>,
    query: Vec<(&'static str, String)>,
    /// The members of the JSON body, if there is one.
    pub(crate) body: Option<Map<String, Value>>,
    /// Whether parameters are in the body.
    has_parameters_in_body: bool,
    /// The value of `If-Match`.
    pub(crate) if_match: Option<String>,
    pub(crate) retry: Retry,
    /// Whether the server is to wait for its store if that is unavailable.
    pub(crate) waits: bool,
    response: PhantomData<fn() -> T>,
}

impl<T> Request<T> {
    pub(crate) fn new(client: &Client, method: Method, path: Result<String, Error>) -> Self {
        Self {
            client: client.clone(),
            method,
            path: path.map_err(|error| error.to_string()),
            query: Vec::new(),
            body: None,
            has_parameters_in_body: false,
            if_match: None,
            retry: Retry::Always,
            waits: false,
            response: PhantomData,
        }
    }

    pub(crate) fn get(client: &Client, path: Result<String, Error>) -> Self {
        Self::new(client, Method::GET, path)
    }

    /// Allows retries only if the request definitely was not applied.
    pub(crate) fn once(mut self) -> Self {
        self.retry = Retry::IfNotApplied;
        self
    }

    /// Adds a parameter.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        match value.into() {
            value if self.has_parameters_in_body => return self.with_field(name, value),
            Value::String(text) => self.query.push((name, text)),
            value => self.query.push((name, value.to_string())),
        }
        self
    }

    /// Sets a member of the JSON body.
    pub(crate) fn with_field(mut self, name: &str, value: impl Into<Value>) -> Self {
        let body = self.body.get_or_insert_default();
        body.insert(name.to_owned(), value.into());
        self
    }

    /// Sets the JSON body to an object.
    pub(crate) fn with_body(mut self, object: &impl Serialize) -> Self {
        match serde_json::to_value(object) {
            Ok(Value::Object(body)) => self.body = Some(body),
            _ => self.path = Err("the body of the request is not an object".to_owned()),
        }
        self
    }

    /// Sends all further parameters in the body.
    pub(crate) fn with_parameters_in_body(mut self) -> Self {
        self.has_parameters_in_body = true;
        self
    }

    /// Returns whether it has a query parameter.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.query.iter().any(|(other, _)| *other == name)
    }

    /// Replaces the value of a query parameter.
    pub(crate) fn replace(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.query.retain(|(other, _)| *other != name);
        self.with(name, value)
    }

    /// Returns the request to send.
    pub(crate) fn call(&self) -> Result<Call, Error> {
        let path = self.path.as_ref();
        let mut path = path
            .map_err(|wrong| Error::Unusable(wrong.clone()))?
            .clone();
        for (index, (name, value)) in self.query.iter().enumerate() {
            path.push(if index == 0 { '?' } else { '&' });
            path.extend([*name, "=", &encoded(value)]);
        }
        let mut call = Call::new(self.method.clone(), path);
        call.waits = self.waits;
        call.if_match.clone_from(&self.if_match);
        let body = self.body.as_ref().map(serde_json::to_vec).transpose();
        call.body = body.map_err(Error::unreadable)?.map(Bytes::from);
        Ok(call)
    }

    /// Sends the request, with retries, and returns the response unparsed. Errors of the server are errors.
    pub async fn response(&self) -> Result<Response, Error> {
        self.client
            .send_with_retries(&self.call()?, self.retry)
            .await
    }

    /// Selects a window (any selector). By default reads select the kind's first one, and writes all that contain the
    /// time.
    pub fn window(self, window: impl Display) -> Self {
        self.with("window", window.to_string())
    }

    /// Adds the profile of each member that has one.
    pub fn profiles(self, profiles: bool) -> Self {
        self.with("profiles", profiles)
    }

    /// Limits the page: up to 1,000 items, 100 by default.
    pub fn limit(self, limit: u64) -> Self {
        self.with("limit", limit)
    }

    /// Continues after a page, given its `next`.
    pub fn after(self, next: impl Display) -> Self {
        self.with("after", next.to_string())
    }
}

impl<T: DeserializeOwned> Request<T> {
    pub(crate) async fn send(&self) -> Result<T, Error> {
        self.client.read(&self.call()?, self.retry).await
    }
}

impl<T: DeserializeOwned + 'static> IntoFuture for Request<T> {
    type Output = Result<T, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.send().await })
    }
}

/// A type whose parameters are those of a top.
macro_rules! top_parameters {
    ($($response:ty),*) => {$(
        impl Request<$response> {
            /// Sets the number of entries of each board: up to the kind's `top`.
            pub fn n(self, n: u64) -> Self {
                self.with("n", n)
            }

            /// Requires a merge that began after the request arrived.
            pub fn fresh(self, fresh: bool) -> Self {
                self.with("fresh", fresh)
            }
        }
    )*};
}

top_parameters!(Top, Tops);

impl Request<Entries> {
    /// Counts from the worst entry, and reads the worst first.
    pub fn from_worst(self) -> Self {
        self.with("order", "worst")
    }

    /// Around a member: sets the number of better neighbours, up to 500, 5 by default.
    pub fn above(self, above: u64) -> Self {
        self.with("above", above)
    }

    /// Around a member: sets the number of worse neighbours, up to 500, 5 by default.
    pub fn below(self, below: u64) -> Self {
        self.with("below", below)
    }

    /// Around a member: instead of both, sets the number of entries, up to 500, with the member in the middle; near an
    /// end of the board the others are from the other side.
    pub fn size(self, size: u64) -> Self {
        self.with("size", size)
    }
}

impl Request<MemberPosition> {
    /// Requests [`MemberPosition::to_target`]: the change that results in this position or a better one.
    pub fn target(self, target: u64) -> Self {
        self.with("target", target)
    }
}

impl Request<StreamToken> {
    /// Sets the lifetime of the token, such as `30s`: 1 s to 1 h, 10 min by default.
    pub fn ttl(self, ttl: impl Into<String>) -> Self {
        self.with_field("ttl", ttl.into())
    }
}

impl Request<Settled> {
    /// Sets the number of shards: a power of two.
    pub fn shards(self, shards: u32) -> Self {
        self.with_field("shards", shards)
    }

    /// Sets the start of the board. Contributions before this time are rejected.
    pub fn starts_at(self, at: Timestamp) -> Self {
        self.with_field("starts_at", format!("{at:.6}"))
    }

    /// Sets the end of the board. Contributions at or after this time are rejected, and the board is then final.
    pub fn ends_at(self, at: Timestamp) -> Self {
        self.with_field("ends_at", format!("{at:.6}"))
    }

    /// Sets how long the board is kept after its end, such as `7d`.
    pub fn expires_after(self, time: impl Into<String>) -> Self {
        self.with_field("expires_after", time.into())
    }

    /// Sets after how long without a write the board is deleted, such as `30d`. Excludes an end.
    pub fn idle(self, time: impl Into<String>) -> Self {
        self.with_field("idle", time.into())
    }
}

impl Request<Boards> {
    /// Selects the boards whose subjects begin with this.
    pub fn prefix(self, prefix: impl Display) -> Self {
        self.with("prefix", prefix.to_string())
    }

    /// Selects the boards to which the server has recently written the most contributions, the busiest first. They have
    /// [`contributions_per_minute`](crate::Listed::contributions_per_minute), and no next page.
    pub fn busiest(self) -> Self {
        self.with("order", "activity")
    }
}

impl Request<HiddenIn> {
    /// Selects one kind; by default all that the key may access.
    pub fn kind(self, kind: impl Display) -> Self {
        self.with("kind", kind.to_string())
    }
}

impl Request<AuditPage> {
    /// Reads the log of callers that are not admins.
    pub fn writers(self, writers: bool) -> Self {
        self.with("writers", writers)
    }

    /// Continues before the last line of another page: [`AuditPage::next`].
    pub fn before(self, before: impl Display) -> Self {
        self.with("before", before.to_string())
    }
}
