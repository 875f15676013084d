//! One board: [`Board`], its read requests (`reads`) and its write requests (`writes`).

mod reads;
mod writes;

use std::ops::{Bound, RangeBounds, RangeInclusive};

use reqwest::Method;

use crate::answer::Values;
use crate::client::{Client, Retry};
use crate::contribute::random_id;
use crate::error::Error;
use crate::name::{BoardName, segment};
use crate::query::ApiRequest;
pub use reads::{
    GetAround, GetCount, GetInfo, GetMember, GetMembers, GetRange, GetRangeAfter, GetRangeOfValues,
    GetRankOf, GetRankOfValues, GetTop, MakeStreamToken,
};
use reads::{Lookup, Score, TokenRequest};
pub use writes::{RemoveMember, RemoveMembers, SetMember, SetOutcome, Settle};
use writes::{Settings, Standing};

/// A board of a server. Its methods return requests, which are sent when they are awaited.
#[derive(Debug, Clone)]
pub struct Board {
    pub(crate) client: Client,
    name: BoardName,
    /// The path of the board, or the error if its name is invalid.
    path: Result<String, String>,
}

impl Client {
    /// Returns the board of a kind and a subject, without checking whether it exists.
    #[must_use]
    pub fn board(&self, kind: impl Into<String>, subject: impl Into<String>) -> Board {
        self.board_named(BoardName::new(kind, subject))
    }

    /// Returns the board of this name, without checking whether it exists.
    #[must_use]
    pub fn board_named(&self, name: BoardName) -> Board {
        Board {
            client: self.clone(),
            path: name.path().map_err(|error| error.to_string()),
            name,
        }
    }
}

impl Board {
    /// Returns the name of the board.
    #[must_use]
    pub fn name(&self) -> &BoardName {
        &self.name
    }

    /// Reads the best entries from the cached top.
    pub fn top(&self) -> GetTop {
        let request = self.request("/top");
        GetTop { request }
    }

    /// Reads the entries at these positions, counted from 1: at most 1,000, at any depth.
    pub fn range(&self, positions: RangeInclusive<u64>) -> GetRange {
        let request = self.request("/range").with("from", positions.start());
        let request = request.with("to", positions.end());
        GetRange { request }
    }

    /// Reads the entries that follow the last one of a page, given its [`next`](crate::Entries::next). Entries that
    /// have not changed meanwhile are read exactly once.
    pub fn range_after(&self, next: &str) -> GetRangeAfter {
        let request = self.request("/range").with("after", next);
        GetRangeAfter { request }
    }

    /// Reads the entries whose first field is in this range, best first.
    pub fn range_of_values(&self, values: impl RangeBounds<i64>) -> GetRangeOfValues {
        let request = bounded(self.request("/range"), &values);
        GetRangeOfValues { request }
    }

    /// Counts the members whose first field is in this range.
    pub fn count(&self, values: impl RangeBounds<i64>) -> GetCount {
        let request = bounded(self.request("/count"), &values);
        GetCount { request }
    }

    /// Reads the rank, standing and neighbours of a member. If it is not ranked, the error is
    /// [`NotRanked`](crate::ProblemType::NotRanked).
    pub fn member(&self, member: &str) -> GetMember {
        let request = self.request_at(Method::GET, self.member_path(member));
        GetMember { request }
    }

    /// Reads a member and its neighbours.
    pub fn around(&self, member: &str) -> GetAround {
        let path = self.member_path(member).map(|path| path + "/around");
        let request = self.request_at(Method::GET, path);
        GetAround { request }
    }

    /// Reads up to 1,000 members, in this order.
    pub fn lookup<M: Into<String>>(&self, members: impl IntoIterator<Item = M>) -> GetMembers {
        let members = members.into_iter().map(Into::into).collect();
        GetMembers {
            request: self.request_below(Method::POST, "/lookup"),
            members: Lookup { members },
        }
    }

    /// Reads the rank that a member reaching these points now would have.
    pub fn rank_of(&self, points: i64) -> GetRankOf {
        let request = self.request("/rank").with("points", points);
        GetRankOf { request }
    }

    /// Reads the rank that a member reaching these values now would have. All fields are required, by
    /// name.
    pub fn rank_of_values<F: Into<String>>(
        &self,
        values: impl IntoIterator<Item = (F, i64)>,
    ) -> GetRankOfValues {
        let values: Values = values.into_iter().collect();
        GetRankOfValues {
            request: self.request_below(Method::POST, "/rank"),
            score: Score { values },
        }
    }

    /// Reads the properties of the board: its windows, shards and store.
    pub fn info(&self) -> GetInfo {
        let request = self.request("");
        GetInfo { request }
    }

    /// Creates a token that authorizes streams of this board, for web pages, which must not have a key.
    pub fn stream_token(&self) -> MakeStreamToken {
        let path = match &self.path {
            Ok(_) => Ok("/v1/stream-tokens".to_owned()),
            Err(wrong) => Err(wrong.clone()),
        };
        MakeStreamToken {
            request: self.request_at(Method::POST, path),
            body: TokenRequest {
                board: self.name.to_string(),
                ttl: None,
            },
        }
    }

    /// Sets a member's standing. The request has a random id, so that it may be retried and is applied
    /// once.
    pub fn set_member(&self, member: &str) -> SetMember {
        SetMember {
            request: self.request_at(Method::PUT, self.member_path(member)),
            standing: Standing::with_id(random_id()),
        }
    }

    /// Puts settings of this board. They replace all earlier ones, except that the number of shards stays once it has
    /// contributions.
    pub fn settle(&self) -> Settle {
        Settle {
            request: self.request_below(Method::PUT, ""),
            settings: Settings::default(),
        }
    }

    /// Removes a member from all windows of the board. A member that is in none is no error.
    ///
    /// The request is retried only if it definitely was not applied: a second one could remove a
    /// standing that was created after the first.
    pub fn remove_member(&self, member: &str) -> RemoveMember {
        let request = self.request_at(Method::DELETE, self.member_path(member));
        RemoveMember { request }
    }

    /// Removes all members whose first field is in a range, from all windows. The range is that of the window
    /// `all`, or of the kind's first window if it does not have that. For many members, this sends several
    /// requests; [`RemoveMembers::step`] sends one of them.
    pub fn remove_members(&self, values: impl RangeBounds<i64>) -> RemoveMembers {
        let request = self.request_below(Method::DELETE, "/members");
        let request = bounded(request, &values);
        RemoveMembers { request }
    }

    /// Removes all members whose rank is more than this one, as [`Self::remove_members`] does.
    pub fn remove_below(&self, rank: u64) -> RemoveMembers {
        let request = self.request_below(Method::DELETE, "/members");
        let request = request.with("below_rank", rank);
        RemoveMembers { request }
    }

    /// Deletes the board with all its windows. A later board of the same name is another board.
    ///
    /// The request is retried only if it definitely was not applied: a second one could delete that
    /// other board. If the error [is undecided](Error::is_undecided), check the current state before
    /// you delete again.
    pub async fn delete(&self) -> Result<(), Error> {
        self.delete_at(self.path.clone()).await
    }

    async fn delete_at(&self, path: Result<String, String>) -> Result<(), Error> {
        let call = self.request_at(Method::DELETE, path).call()?;
        self.client
            .send_with_retries(&call, Retry::IfNotApplied)
            .await
            .map(drop)
    }

    /// Returns a request of `GET` below the path of the board.
    pub(crate) fn request(&self, below: &str) -> ApiRequest {
        self.request_below(Method::GET, below)
    }

    fn request_below(&self, method: Method, below: &str) -> ApiRequest {
        self.request_at(method, self.path.clone().map(|path| path + below))
    }

    fn request_at(&self, method: Method, path: Result<String, String>) -> ApiRequest {
        ApiRequest::new(&self.client, method, path.map_err(Error::Unusable))
    }

    fn member_path(&self, member: &str) -> Result<String, String> {
        let member = segment("member", member).map_err(|error| error.to_string())?;
        let path = self.path.clone()?;
        Ok(format!("{path}/members/{member}"))
    }
}

/// Adds a range of values to a request: `min` and `max`, both inclusive.
fn bounded(request: ApiRequest, values: &impl RangeBounds<i64>) -> ApiRequest {
    let min = match values.start_bound() {
        Bound::Included(min) => Some(*min),
        Bound::Excluded(below) => Some(below.saturating_add(1)),
        Bound::Unbounded => None,
    };
    let max = match values.end_bound() {
        Bound::Included(max) => Some(*max),
        Bound::Excluded(above) => Some(above.saturating_sub(1)),
        Bound::Unbounded => None,
    };
    let request = match min {
        Some(min) => request.with("min", min),
        None => request,
    };
    match max {
        Some(max) => request.with("max", max),
        None => request,
    }
}
