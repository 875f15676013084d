//! Write requests of one board: [`SetMember`], [`RemoveMember`], [`RemoveMembers`], [`Settle`].

use std::fmt::Display;
use std::future::IntoFuture;

use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::Serialize;

use crate::answer::{Removed, Settled, in_micros};
use crate::client::Retry;
use crate::contribute::{Receipt, Returning, fields};
use crate::error::Error;
use crate::query::{ApiRequest, request};

/// Sets a member's standing: [`Board::set_member`](crate::Board::set_member).
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until it is awaited"]
pub struct SetMember {
    pub(super) request: ApiRequest,
    pub(super) standing: Standing,
}

/// The outcome of [`SetMember`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SetOutcome {
    /// The standing was set before with the same id, possibly by an earlier attempt of this request.
    pub is_duplicate: bool,
    /// If requested: the standing in each window.
    pub windows: Vec<crate::answer::Standing>,
}

/// The wire format of a standing.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Standing {
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<i64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty", serialize_with = "values")]
    values: Vec<(String, i64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "in_micros")]
    at: Option<Timestamp>,
}

impl Standing {
    pub(super) fn with_id(id: Option<String>) -> Self {
        Self {
            id,
            ..Self::default()
        }
    }
}

#[expect(clippy::ptr_arg, reason = "serde passes a reference to the field")]
fn values<S: serde::Serializer>(
    values: &Vec<(String, i64)>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    fields(values, serializer)
}

impl SetMember {
    /// Sets the points: the value, for kinds with one field.
    pub fn points(mut self, points: i64) -> Self {
        self.standing.points = Some(points);
        self
    }

    /// Sets one field, for all other kinds.
    pub fn value(mut self, field: impl Into<String>, value: i64) -> Self {
        self.standing.values.push((field.into(), value));
        self
    }

    /// Sets the time of the standing, in whole microseconds; now by default.
    pub fn at(mut self, at: Timestamp) -> Self {
        self.standing.at = Some(at);
        self
    }

    /// Replaces the random id.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.standing.id = Some(id.into());
        self
    }

    /// Removes the id. The request is then retried only if it definitely was not applied.
    pub fn without_id(mut self) -> Self {
        self.standing.id = None;
        self
    }

    /// Sets the standing only in this window (any selector), which must contain the time. By default it
    /// is set in all windows that contain the time.
    pub fn window(mut self, window: impl Display) -> Self {
        self.request = self.request.with("window", window);
        self
    }

    /// Requests the standing after it.
    pub fn returning(mut self, returning: Returning) -> Self {
        for (name, value) in returning.params() {
            self.request = self.request.with(name, value);
        }
        self
    }
}

impl IntoFuture for SetMember {
    type Output = Result<SetOutcome, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let mut call = self.request.call_with(&self.standing)?;
            call.waits = true;
            let retry = match self.standing.id {
                Some(_) => Retry::Always,
                None => Retry::IfNotApplied,
            };
            let client = &self.request.client;
            let response = client.send_with_retries(&call, retry).await?;
            let receipt = Receipt::parse(&response.body, 1)
                .filter(|receipt| receipt.applied + receipt.duplicates == 1)
                .ok_or_else(|| Error::unreadable("not a receipt for one standing"))?;
            Ok(SetOutcome {
                is_duplicate: receipt.duplicates == 1,
                windows: receipt.into_windows(),
            })
        })
    }
}

request! {
    /// Removes a member: [`Board::remove_member`](crate::Board::remove_member).
    RemoveMember -> Removed {
        /// Removes it only from this window (any selector).
        window: impl Display,
    } IfNotApplied
}

/// Removes the members of a range: [`Board::remove_members`](crate::Board::remove_members),
/// [`Board::remove_below`](crate::Board::remove_below).
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until it is awaited"]
pub struct RemoveMembers {
    pub(super) request: ApiRequest,
}

impl RemoveMembers {
    /// Selects the members by this window (any selector), and removes them only from it.
    pub fn window(mut self, window: impl Display) -> Self {
        self.request = self.request.with("window", window);
        self
    }

    /// Sends one request, which takes at most 10 s.
    pub async fn step(&self) -> Result<Removed, Error> {
        let client = &self.request.client;
        client
            .read(&self.request.call()?, Retry::IfNotApplied)
            .await
    }
}

/// Sends requests until no member of the range is left, all about the window that the first one is about.
impl IntoFuture for RemoveMembers {
    type Output = Result<Removed, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let mut all = self.step().await?;
            let mut next = self;
            if let (true, Some(window)) = (next.request.has("window"), &all.window) {
                next.request = next.request.replace("window", window);
            }
            while all.more {
                let step = next.step().await?;
                all.removed += step.removed;
                all.more = step.more;
            }
            Ok(all)
        })
    }
}

/// The wire format of the settings of one board.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Settings {
    #[serde(skip_serializing_if = "Option::is_none")]
    shards: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "in_micros")]
    starts_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "in_micros")]
    ends_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idle: Option<String>,
}

request! {
    /// Puts settings of one board: [`Board::settle`](crate::Board::settle).
    /// Omitted settings have the values of the kind.
    Settle -> Settled {} Always with settings: Settings
}

impl Settle {
    /// Sets the number of shards: a power of two.
    pub fn shards(mut self, shards: u32) -> Self {
        self.settings.shards = Some(shards);
        self
    }

    /// Sets the start of the board. Contributions before this time are rejected.
    pub fn starts_at(mut self, at: Timestamp) -> Self {
        self.settings.starts_at = Some(at);
        self
    }

    /// Sets the end of the board. Contributions at or after this time are rejected, and the board is
    /// then final.
    pub fn ends_at(mut self, at: Timestamp) -> Self {
        self.settings.ends_at = Some(at);
        self
    }

    /// Sets how long the board is kept after its end, such as `7d`.
    pub fn expires_after(mut self, time: impl Into<String>) -> Self {
        self.settings.expires_after = Some(time.into());
        self
    }

    /// Sets after how long without a write the board is deleted, such as `30d`. Excludes an end.
    pub fn idle(mut self, time: impl Into<String>) -> Self {
        self.settings.idle = Some(time.into());
        self
    }
}
