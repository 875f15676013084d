//! Hiding, showing and erasing a member on all boards. These requests require a key of scope `admin`.

use std::future::IntoFuture;

use futures::future::BoxFuture;
use reqwest::Method;

use crate::client::Client;
use crate::error::Error;
use crate::name::segment;
use crate::request::Request;
use crate::responses::{Erased, Hidden, HiddenIn, MemberBoards};

/// Erases a member from every board: [`Client::erase`].
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until it is awaited"]
pub struct Erase(Request<Erased>);

impl Client {
    /// Excludes a member from the ranking of every board. Its contributions still count.
    pub fn hide(&self, member: &str) -> Request<HiddenIn> {
        self.of_member(Method::PUT, member, "/hidden")
    }

    /// Includes a member in the ranking again, at the rank of its standing.
    pub fn show(&self, member: &str) -> Request<HiddenIn> {
        self.of_member(Method::DELETE, member, "/hidden")
    }

    /// Lists the kinds in which a member is hidden.
    pub fn hidden_in(&self, member: &str) -> Request<HiddenIn> {
        self.of_member(Method::GET, member, "/hidden")
    }

    /// Lists all members that a kind hides.
    pub fn hidden(&self, kind: &str) -> Request<Hidden> {
        Request::get(self, Ok("/v1/hidden".to_owned())).with("kind", kind)
    }

    /// Lists the boards of a kind that rank a member. By default it is looked for in the current windows of all periods
    /// of the kind. A request takes about a second at most, and may end before it has found any: continue until
    /// [`MemberBoards::next`] is `None`.
    pub fn boards_of(&self, member: &str, kind: &str) -> Request<MemberBoards> {
        self.of_member(Method::GET, member, "").with("kind", kind)
    }

    /// Deletes the standings of a member in all windows of every board. For many boards, this sends
    /// several requests, one after the other; [`Erase::step`] sends one of them.
    ///
    /// A request is retried only if it definitely was not applied: a second one could delete standings
    /// that were created after the first. After an error, some boards may be done; call this again for
    /// the others.
    pub fn erase(&self, member: &str) -> Erase {
        Erase(self.of_member(Method::DELETE, member, "").once())
    }

    fn of_member<T>(&self, method: Method, member: &str, end: &str) -> Request<T> {
        let path = segment("member", member).map(|member| format!("/v1/members/{member}{end}"));
        Request::new(self, method, path)
    }
}

impl Erase {
    /// Selects the boards of one kind; by default those of all kinds that the key may access.
    pub fn kind(self, kind: &str) -> Self {
        Self(self.0.with("kind", kind))
    }

    /// Sends one request, which takes at most 10 s and continues after this board.
    pub async fn step(&self, after: Option<&str>) -> Result<Erased, Error> {
        match after {
            Some(after) => self.0.clone().after(after).send().await,
            None => self.0.send().await,
        }
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
