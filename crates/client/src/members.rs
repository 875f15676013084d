//! Hiding, showing and erasing a member on all boards. These requests require a key of scope `admin`.

use std::fmt::Display;
use std::future::IntoFuture;

use futures::future::BoxFuture;
use reqwest::Method;

use crate::answer::{Erased, Hidden, HiddenIn, MemberBoards};
use crate::client::{Client, Retry};
use crate::error::Error;
use crate::name::segment;
use crate::query::{ApiRequest, request};

request! {
    /// The kinds in which a member is hidden, read or changed: [`Client::hidden_in`], [`Client::hide`],
    /// [`Client::show`].
    Hiding -> HiddenIn {
        /// Selects one kind; by default all that the key may access.
        kind: impl Display,
    } Always
}

request! {
    /// A page of the boards that rank a member: [`Client::boards_of`].
    GetMemberBoards -> MemberBoards {
        /// Selects a window (any selector); by default the current ones of all periods of the kind.
        window: impl Display,
        /// Begins after this subject: [`MemberBoards::next`].
        after: impl Display,
        /// Limits the page: up to 1,000 boards, 100 by default.
        limit: u64,
    } Always
}

/// Erases a member from every board: [`Client::erase`].
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until it is awaited"]
pub struct Erase {
    request: ApiRequest,
}

impl Client {
    /// Excludes a member from the ranking of every board. Its contributions still count.
    pub fn hide(&self, member: &str) -> Hiding {
        self.hiding(Method::PUT, member)
    }

    /// Includes a member in the ranking again, at the rank of its standing.
    pub fn show(&self, member: &str) -> Hiding {
        self.hiding(Method::DELETE, member)
    }

    /// Lists the kinds in which a member is hidden.
    pub fn hidden_in(&self, member: &str) -> Hiding {
        self.hiding(Method::GET, member)
    }

    /// Lists all members that a kind hides.
    pub async fn hidden(&self, kind: &str) -> Result<Hidden, Error> {
        let request = ApiRequest::get(self, Ok("/v1/hidden".to_owned())).with("kind", kind);
        self.read(&request.call()?, Retry::Always).await
    }

    /// Lists the boards of a kind that rank a member. A request takes about a second at most, and may end before it has
    /// found any: continue until [`MemberBoards::next`] is `None`.
    pub fn boards_of(&self, member: &str, kind: &str) -> GetMemberBoards {
        let path = segment("member", member).map(|member| format!("/v1/members/{member}"));
        GetMemberBoards {
            request: ApiRequest::get(self, path).with("kind", kind),
        }
    }

    /// Deletes the standings of a member in all windows of every board. For many boards, this sends
    /// several requests, one after the other; [`Erase::step`] sends one of them.
    ///
    /// A request is retried only if it definitely was not applied: a second one could delete standings
    /// that were created after the first. After an error, some boards may be done; call this again for
    /// the others.
    pub fn erase(&self, member: &str) -> Erase {
        let path = segment("member", member).map(|member| format!("/v1/members/{member}"));
        Erase {
            request: ApiRequest::new(self, Method::DELETE, path),
        }
    }

    fn hiding(&self, method: Method, member: &str) -> Hiding {
        let path = segment("member", member).map(|member| format!("/v1/members/{member}/hidden"));
        Hiding {
            request: ApiRequest::new(self, method, path),
        }
    }
}

impl Erase {
    /// Selects the boards of one kind; by default those of all kinds that the key may access.
    pub fn kind(mut self, kind: &str) -> Self {
        self.request = self.request.with("kind", kind);
        self
    }

    /// Sends one request, which takes at most 10 s and continues after this board.
    pub async fn step(&self, after: Option<&str>) -> Result<Erased, Error> {
        let mut request = self.request.clone();
        if let Some(after) = after {
            request = request.with("after", after);
        }
        request
            .client
            .read(&request.call()?, Retry::IfNotApplied)
            .await
    }
}

/// Sends requests until all boards are done.
impl IntoFuture for Erase {
    type Output = Result<Erased, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let mut all = self.step(None).await?;
            while let Some(after) = all.next.take() {
                let step = self.step(Some(&after)).await?;
                all.boards += step.boards;
                all.erased += step.erased;
                all.next = step.next;
            }
            Ok(all)
        })
    }
}
