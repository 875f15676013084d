//! One board: [`Board`], what is asked of it (`reads`), and what is changed (`writes`).

mod reads;
mod writes;

use std::ops::{Bound, RangeBounds, RangeInclusive};

use reqwest::Method;

use crate::answer::Values;
use crate::client::Client;
use crate::contribute::drawn_id;
use crate::error::Error;
use crate::name::{BoardName, segment};
use crate::query::ApiRequest;
pub use reads::{
    GetAround, GetCount, GetInfo, GetMember, GetMembers, GetRange, GetRangeOfValues, GetRankOf,
    GetRankOfValues, GetTop, MakeStreamToken,
};
use reads::{Lookup, Score, TokenWanted};
pub use writes::{SetMember, SetOutcome, Settle};
use writes::{Settings, Standing};

/// A board of a server. Its methods ask nothing before they are awaited.
#[derive(Debug, Clone)]
pub struct Board {
    pub(crate) client: Client,
    name: BoardName,
    /// Or what is wrong with the name.
    path: Result<String, String>,
}

impl Client {
    /// The board of a kind about a subject. Whether there is one is not asked here.
    #[must_use]
    pub fn board(&self, kind: impl Into<String>, subject: impl Into<String>) -> Board {
        self.board_named(BoardName::new(kind, subject))
    }

    /// The board of this name.
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
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &BoardName {
        &self.name
    }

    /// The best, from the cached top.
    pub fn top(&self) -> GetTop {
        let request = self.request("/top");
        GetTop { request }
    }

    /// The entries at these positions, counted from 1: any depth, at most 1,000 long.
    pub fn range(&self, positions: RangeInclusive<u64>) -> GetRange {
        let request = self.request("/range").with("from", positions.start());
        let request = request.with("to", positions.end());
        GetRange { request }
    }

    /// The entries whose first field lies in this range, best first.
    pub fn range_of_values(&self, values: impl RangeBounds<i64>) -> GetRangeOfValues {
        let request = bounded(self.request("/range"), &values);
        GetRangeOfValues { request }
    }

    /// How many members have a first field in this range.
    pub fn count(&self, values: impl RangeBounds<i64>) -> GetCount {
        let request = bounded(self.request("/count"), &values);
        GetCount { request }
    }

    /// Where a member stands. An error with [`NotRanked`](crate::ProblemType::NotRanked) where it
    /// is not ranked.
    pub fn member(&self, member: &str) -> GetMember {
        let request = self.request_at(Method::GET, self.member_path(member));
        GetMember { request }
    }

    /// A member among its neighbours, itself included.
    pub fn around(&self, member: &str) -> GetAround {
        let path = self.member_path(member).map(|path| path + "/around");
        let request = self.request_at(Method::GET, path);
        GetAround { request }
    }

    /// Several members at once, 1,000 at most, in this order.
    pub fn lookup<M: Into<String>>(&self, members: impl IntoIterator<Item = M>) -> GetMembers {
        let members = members.into_iter().map(Into::into).collect();
        GetMembers {
            request: self.request_below(Method::POST, "/lookup"),
            members: Lookup { members },
        }
    }

    /// The rank that a member reaching these points now would have.
    pub fn rank_of(&self, points: i64) -> GetRankOf {
        let request = self.request("/rank").with("points", points);
        GetRankOf { request }
    }

    /// The rank that a member reaching these values now would have: each field, by name.
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

    /// The board itself: windows with something in them, shards, store.
    pub fn info(&self) -> GetInfo {
        let request = self.request("");
        GetInfo { request }
    }

    /// A token that opens the streams of this board in place of a key, for pages.
    pub fn stream_token(&self) -> MakeStreamToken {
        let path = match &self.path {
            Ok(_) => Ok("/v1/stream-tokens".to_owned()),
            Err(wrong) => Err(wrong.clone()),
        };
        MakeStreamToken {
            request: self.request_at(Method::POST, path),
            wanted: TokenWanted {
                board: self.name.to_string(),
                ttl: None,
            },
        }
    }

    /// Sets a member's standing outright. It has an id that was drawn for it, so that it may be sent
    /// again and is set once.
    pub fn set_member(&self, member: &str) -> SetMember {
        SetMember {
            request: self.request_at(Method::PUT, self.member_path(member)),
            standing: Standing::known_as(drawn_id()),
        }
    }

    /// Settings of this one board, before its first contribution. They replace all that were there.
    pub fn settle(&self) -> Settle {
        Settle {
            request: self.request_below(Method::PUT, ""),
            settings: Settings::default(),
        }
    }

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

/// The parameters of a range of values, both ends included.
fn bounded(request: ApiRequest, values: &impl RangeBounds<i64>) -> ApiRequest {
    let least = match values.start_bound() {
        Bound::Included(least) => Some(*least),
        Bound::Excluded(below) => Some(below.saturating_add(1)),
        Bound::Unbounded => None,
    };
    let most = match values.end_bound() {
        Bound::Included(most) => Some(*most),
        Bound::Excluded(above) => Some(above.saturating_sub(1)),
        Bound::Unbounded => None,
    };
    let request = match least {
        Some(least) => request.with("min", least),
        None => request,
    };
    match most {
        Some(most) => request.with("max", most),
        None => request,
    }
}
