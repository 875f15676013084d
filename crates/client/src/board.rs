//! One board: [`Board`], whose methods return requests.

use std::future::IntoFuture;
use std::ops::{Bound, RangeBounds, RangeInclusive};

use futures::future::BoxFuture;
use jiff::Timestamp;
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::client::{Client, Retry};
use crate::contribute::{Receipt, Returning, random_id};
use crate::error::Error;
use crate::name::{BoardName, segment};
use crate::request::Request;
use crate::responses::{
    Count, Entries, FoundEntries, Info, MemberPosition, RankOf, Removed, Settled, Standing,
    StreamToken, Top,
};

/// A board of a server. Its methods return requests, which are sent when they are awaited.
#[derive(Debug, Clone)]
pub struct Board {
    pub(crate) client: Client,
    name: BoardName,
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

    /// Reads the best entries from the cached top: 100 by default.
    pub fn top(&self) -> Request<Top> {
        self.get("/top")
    }

    /// Reads the entries at these positions, counted from 1: at most 1,000, at any depth.
    pub fn range(&self, positions: RangeInclusive<u64>) -> Request<Entries> {
        let request = self.get("/range").with("from", *positions.start());
        request.with("to", *positions.end())
    }

    /// Reads the entries that follow the last one of a page of the same window, given its
    /// [`next`](crate::Entries::next). Entries that have not changed meanwhile are read exactly once.
    pub fn range_after(&self, next: &str) -> Request<Entries> {
        self.get("/range").after(next)
    }

    /// Reads the entries whose first field is in this range, best first.
    pub fn range_of_values(&self, values: impl RangeBounds<i64>) -> Request<Entries> {
        bounded(self.get("/range"), &values)
    }

    /// Counts the members whose first field is in this range.
    pub fn count(&self, values: impl RangeBounds<i64>) -> Request<Count> {
        bounded(self.get("/count"), &values)
    }

    /// Reads the rank, standing and neighbours of a member. If it is not ranked, the error is
    /// [`NotRanked`](crate::ProblemType::NotRanked).
    pub fn member(&self, member: &str) -> Request<MemberPosition> {
        Request::get(&self.client, self.member_path(member))
    }

    /// Reads a member and its neighbours.
    pub fn around(&self, member: &str) -> Request<Entries> {
        let path = self.member_path(member).map(|path| path + "/around");
        Request::get(&self.client, path)
    }

    /// Reads up to 1,000 members, in this order.
    pub fn lookup<M: Into<String>>(
        &self,
        members: impl IntoIterator<Item = M>,
    ) -> Request<FoundEntries> {
        let members: Vec<String> = members.into_iter().map(Into::into).collect();
        self.request(Method::POST, "/lookup")
            .with_field("members", members)
    }

    /// Reads the rank that a member reaching these points now would have.
    pub fn rank_of(&self, points: i64) -> Request<RankOf> {
        self.get("/rank").with("points", points)
    }

    /// Reads the rank that a member reaching these values now would have. All fields are required, by
    /// name.
    pub fn rank_of_values<F: Into<String>>(
        &self,
        values: impl IntoIterator<Item = (F, i64)>,
    ) -> Request<RankOf> {
        let values = values.into_iter();
        let values: Map<String, Value> = values
            .map(|(field, value)| (field.into(), value.into()))
            .collect();
        self.request(Method::POST, "/rank")
            .with_field("values", values)
    }

    /// Reads the properties of the board: its windows, shards and store.
    pub fn info(&self) -> Request<Info> {
        self.get("")
    }

    /// Creates a token that authorizes streams of this board, for web pages, which must not have a key.
    pub fn stream_token(&self) -> Request<StreamToken> {
        let path = self.name.path().map(|_| "/v1/stream-tokens".to_owned());
        let request = Request::new(&self.client, Method::POST, path);
        request.with_field("board", self.name.to_string())
    }

    /// Sets a member's standing. The request has a random id, so that it may be retried and is applied
    /// once.
    pub fn set_member(&self, member: &str) -> Request<SetOutcome> {
        let mut request = Request::new(&self.client, Method::PUT, self.member_path(member));
        request.waits = true;
        match random_id() {
            Some(id) => request.id(id),
            None => request.without_id(),
        }
    }

    /// Puts settings of this board. They replace all earlier ones, except that the number of shards stays once it has
    /// contributions. Omitted settings have the values of the kind.
    pub fn settle(&self) -> Request<Settled> {
        let mut request = self.request(Method::PUT, "");
        request.body = Some(Map::new());
        request
    }

    /// Removes a member from all windows of the board, or from one. A member that is in none is no error.
    ///
    /// The request is retried only if it definitely was not applied: a second one could remove a
    /// standing that was created after the first.
    pub fn remove_member(&self, member: &str) -> Request<Removed> {
        Request::new(&self.client, Method::DELETE, self.member_path(member)).once()
    }

    /// Removes all members whose first field is in a range, from all windows. The range is that of the window
    /// `all`, or of the kind's first window if it does not have that. For many members, this sends several
    /// requests; [`RemoveMembers::step`] sends one of them.
    pub fn remove_members(&self, values: impl RangeBounds<i64>) -> RemoveMembers {
        let request = self.request(Method::DELETE, "/members").once();
        RemoveMembers(bounded(request, &values))
    }

    /// Removes all members whose rank is more than this one, as [`Self::remove_members`] does.
    pub fn remove_below(&self, rank: u64) -> RemoveMembers {
        let request = self.request(Method::DELETE, "/members").once();
        RemoveMembers(request.with("below_rank", rank))
    }

    /// Deletes the board with all its windows. A later board of the same name is another board.
    ///
    /// The request is retried only if it definitely was not applied: a second one could delete that
    /// other board. If the error [is undecided](Error::is_undecided), check the current state before
    /// you delete again.
    pub fn delete(&self) -> Request<()> {
        self.request(Method::DELETE, "").once()
    }

    pub(crate) fn get<T>(&self, below: &str) -> Request<T> {
        self.request(Method::GET, below)
    }

    fn request<T>(&self, method: Method, below: &str) -> Request<T> {
        Request::new(&self.client, method, self.name.path().map(|it| it + below))
    }

    fn member_path(&self, member: &str) -> Result<String, Error> {
        let member = segment("member", member)?;
        Ok(format!("{}/members/{member}", self.name.path()?))
    }
}

/// Adds a range of values to a request: `min` and `max`, both inclusive.
fn bounded<T>(mut request: Request<T>, values: &impl RangeBounds<i64>) -> Request<T> {
    request = match values.start_bound() {
        Bound::Included(min) => request.with("min", *min),
        Bound::Excluded(below) => request.with("min", below.saturating_add(1)),
        Bound::Unbounded => request,
    };
    match values.end_bound() {
        Bound::Included(max) => request.with("max", *max),
        Bound::Excluded(above) => request.with("max", above.saturating_sub(1)),
        Bound::Unbounded => request,
    }
}

/// The outcome of [`Board::set_member`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Receipt")]
#[non_exhaustive]
pub struct SetOutcome {
    /// The standing was set before with the same id, possibly by an earlier attempt of this request.
    pub is_duplicate: bool,
    /// If requested: the standing in each window.
    pub windows: Vec<Standing>,
}

impl TryFrom<Receipt> for SetOutcome {
    type Error = &'static str;

    fn try_from(receipt: Receipt) -> Result<Self, Self::Error> {
        if receipt.applied + receipt.duplicates != 1 {
            return Err("not a receipt for one standing");
        }
        let windows = receipt.standings.into_iter();
        Ok(Self {
            is_duplicate: receipt.duplicates == 1,
            windows: windows.flat_map(|written| written.windows).collect(),
        })
    }
}

impl Request<SetOutcome> {
    /// Sets the points: the value, for kinds with one field.
    pub fn points(self, points: i64) -> Self {
        self.with_field("points", points)
    }

    /// Sets one field, for all other kinds.
    pub fn value(mut self, field: impl Into<String>, value: i64) -> Self {
        let body = self.body.get_or_insert_default();
        let values = body.entry("values").or_insert_with(|| Map::new().into());
        if let Value::Object(values) = values {
            values.insert(field.into(), value.into());
        }
        self
    }

    /// Sets the time of the standing, in whole microseconds; now by default.
    pub fn at(self, at: Timestamp) -> Self {
        self.with_field("at", format!("{at:.6}"))
    }

    /// Replaces the random id.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.retry = Retry::Always;
        self.with_field("id", id.into())
    }

    /// Removes the id. The request is then retried only if it definitely was not applied.
    pub fn without_id(mut self) -> Self {
        self.body.get_or_insert_default().remove("id");
        self.once()
    }

    /// Requests the standing after it.
    pub fn returning(self, returning: Returning) -> Self {
        let params = returning.params().iter();
        params.fold(self, |request, (name, value)| request.with(name, *value))
    }
}

/// Removes the members of a range: [`Board::remove_members`], [`Board::remove_below`].
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until it is awaited"]
pub struct RemoveMembers(Request<Removed>);

impl RemoveMembers {
    /// Selects the members by this window (any selector), and removes them only from it.
    pub fn window(self, window: impl std::fmt::Display) -> Self {
        Self(self.0.window(window))
    }

    /// Sends one request, which takes at most 10 s.
    pub async fn step(&self) -> Result<Removed, Error> {
        self.0.send().await
    }
}

/// Sends requests until no member of the range is left, all about the window that the first one is about.
impl IntoFuture for RemoveMembers {
    type Output = Result<Removed, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let mut all = self.step().await?;
            let next = match &all.window {
                Some(window) if self.0.has("window") => self.0.replace("window", &**window),
                _ => self.0,
            };
            while all.more {
                let step = next.send().await?;
                all.removed += step.removed;
                all.more = step.more;
            }
            Ok(all)
        })
    }
}
