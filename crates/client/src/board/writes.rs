//! What is changed of one board: [`SetMember`], [`Settle`], and removals.

use std::fmt::Display;
use std::future::IntoFuture;

use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::Serialize;

use super::Board;
use crate::answer::Settled;
use crate::client::Retry;
use crate::contribute::{Receipt, fields};
use crate::error::Error;
use crate::query::{ApiRequest, request};

/// A standing that is set outright: [`Board::set_member`].
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until it is awaited"]
pub struct SetMember {
    pub(super) request: ApiRequest,
    pub(super) standing: Standing,
}

/// What became of a standing that was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetOutcome {
    /// It is set now.
    Applied,
    /// It was set before, under the same id; perhaps by an earlier sending of the same request.
    Duplicate,
}

/// As it stands on the wire.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Standing {
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<i64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty", serialize_with = "values")]
    values: Vec<(String, i64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Epoch milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<i64>,
}

impl Standing {
    pub(super) fn known_as(id: Option<String>) -> Self {
        Self {
            id,
            ..Self::default()
        }
    }
}

#[expect(clippy::ptr_arg, reason = "what serde gives")]
fn values<S: serde::Serializer>(
    values: &Vec<(String, i64)>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    fields(values, serializer)
}

impl SetMember {
    /// For kinds whose only field is `points`.
    pub fn points(mut self, points: i64) -> Self {
        self.standing.points = Some(points);
        self
    }

    /// For all other kinds: one of the fields.
    pub fn value(mut self, field: impl Into<String>, value: i64) -> Self {
        self.standing.values.push((field.into(), value));
        self
    }

    /// When it was so, to the millisecond; now by default.
    pub fn at(mut self, at: Timestamp) -> Self {
        self.standing.at = Some(at.as_millisecond());
        self
    }

    /// An id of your own, in place of the one that was drawn.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.standing.id = Some(id.into());
        self
    }

    /// No id: it is then sent again only where it surely was not applied.
    pub fn without_id(mut self) -> Self {
        self.standing.id = None;
        self
    }

    /// In this window alone (any selector), which has to contain the time; in all that contain it
    /// by default.
    pub fn window(mut self, window: impl Display) -> Self {
        self.request = self.request.with("window", window);
        self
    }
}

impl IntoFuture for SetMember {
    type Output = Result<SetOutcome, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let call = self.request.call_with(&self.standing)?;
            let again = match self.standing.id {
                Some(_) => Retry::Always,
                None => Retry::IfNotApplied,
            };
            let answer = self.request.client.ask(&call, again).await?;
            let receipt = Receipt::parse(&answer.body, 1);
            match receipt.map(|it| (it.applied, it.duplicates)) {
                Some((1, 0)) => Ok(SetOutcome::Applied),
                Some((0, 1)) => Ok(SetOutcome::Duplicate),
                _ => Err(Error::unreadable("it is no receipt of one standing")),
            }
        })
    }
}

/// Settings of one board, as they stand on the wire.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Settings {
    #[serde(skip_serializing_if = "Option::is_none")]
    shards: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    starts_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ends_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_after: Option<String>,
}

request! {
    /// The settings of one board, before its first contribution: [`Board::settle`]. What is left out
    /// goes back to what its kind says.
    Settle -> Settled {} Always with settings: Settings
}

impl Settle {
    /// Over how many its members are spread: a power of two.
    pub fn shards(mut self, shards: u32) -> Self {
        self.settings.shards = Some(shards);
        self
    }

    /// Contributions before it are refused.
    pub fn starts_at(mut self, at: Timestamp) -> Self {
        self.settings.starts_at = Some(at.as_millisecond());
        self
    }

    /// Contributions from then on are refused, and the board is final.
    pub fn ends_at(mut self, at: Timestamp) -> Self {
        self.settings.ends_at = Some(at.as_millisecond());
        self
    }

    /// How long the board is kept after its end, such as `7d`.
    pub fn expires_after(mut self, time: impl Into<String>) -> Self {
        self.settings.expires_after = Some(time.into());
        self
    }
}

impl Board {
    /// Takes a member off every window of the board. An error with
    /// [`NotRanked`](crate::ProblemType::NotRanked) where it is on none.
    ///
    /// It is sent again only where it surely was not done: a second removal could meet a standing
    /// that came after the first.
    pub async fn remove_member(&self, member: &str) -> Result<(), Error> {
        self.delete_at(self.member_path(member)).await
    }

    /// Deletes the board with all its windows; what comes later under its name is another board.
    ///
    /// It is sent again only where it surely was not done: a second deletion could meet that other
    /// board. Where the error [is undecided](Error::is_undecided), look before you delete again.
    pub async fn delete(&self) -> Result<(), Error> {
        self.delete_at(self.path.clone()).await
    }

    async fn delete_at(&self, path: Result<String, String>) -> Result<(), Error> {
        let path = path.map_err(Error::Unusable);
        let request = ApiRequest::new(&self.client, reqwest::Method::DELETE, path);
        let call = request.call()?;
        self.client.ask(&call, Retry::IfNotApplied).await.map(drop)
    }
}
