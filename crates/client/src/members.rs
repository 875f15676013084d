//! One member on every board: hidden, shown, erased. All of it takes a key of scope `admin`.

use std::fmt::Display;
use std::future::IntoFuture;

use futures::future::BoxFuture;
use reqwest::Method;

use crate::answer::{Erased, Hidden, HiddenIn};
use crate::client::{Client, Retry};
use crate::error::Error;
use crate::name::segment;
use crate::query::{ApiRequest, request};

request! {
    /// In which kinds a member is hidden, or is from now on: [`Client::hidden_in`],
    /// [`Client::hide`], [`Client::show`].
    Hiding -> HiddenIn {
        /// Of this kind alone; of all that the key is for by default.
        kind: impl Display,
    } Always
}

/// A member that is taken off every board: [`Client::erase`].
#[derive(Debug, Clone)]
#[must_use = "nothing is done until it is awaited"]
pub struct Erase {
    request: ApiRequest,
}

impl Client {
    /// Leaves a member out of every board: ranks close up, and what is contributed to it counts on.
    pub fn hide(&self, member: &str) -> Hiding {
        self.hiding(Method::PUT, member)
    }

    /// Shows a member again, where it would have stood.
    pub fn show(&self, member: &str) -> Hiding {
        self.hiding(Method::DELETE, member)
    }

    /// In which kinds a member is hidden.
    pub fn hidden_in(&self, member: &str) -> Hiding {
        self.hiding(Method::GET, member)
    }

    /// All whom a kind hides.
    pub async fn hidden(&self, kind: &str) -> Result<Hidden, Error> {
        let request = ApiRequest::get(self, Ok("/v1/hidden".to_owned())).with("kind", kind);
        self.read(&request.call()?, Retry::Always).await
    }

    /// Takes a member off every board with all its windows, for good. Of many boards it takes several
    /// requests, which follow one another here; [`Erase::step`] is one of them.
    ///
    /// A request is sent again only where it surely was not done: a second one could meet standings
    /// that came after the first. After an error what was erased stays so; erase again for the rest.
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
    /// On boards of this kind alone; of all that the key is for by default.
    pub fn kind(mut self, kind: &str) -> Self {
        self.request = self.request.with("kind", kind);
        self
    }

    /// One request, of 10 s at most, that goes on after this board.
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

/// All of it.
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
