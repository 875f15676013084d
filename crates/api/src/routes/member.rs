//! `.../members/{member}`: one member's place, its standing set outright, its removal.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use board::{Kind, Member, Rules};
use merger::{Found, MemberView, RankedEntry};
use serde::ser::{Serialize, SerializeMap, Serializer};
use shard_router::{Write, Written};
use shard_store::{Change, Entry};

use crate::app::App;
use crate::body;
use crate::params::Params;
use crate::problem::Problem;
use crate::routes::contributions::Receipt;
use crate::target::{BoardPath, read_window, resolve_only};
use crate::wire::{Answer, EntryShape, Envelope, StandingShape, put_entry};

/// The entry, and where it stands; off the list of a kind that ranks only its best it stands nowhere.
struct PlaceShape<'a> {
    rules: &'a Rules,
    entry: &'a Entry,
    stands: Option<Stands<'a>>,
    to_target: ToTarget,
}

/// A place among others.
struct Stands<'a> {
    view: &'a MemberView,
    members: u64,
}

/// What it takes to stand at a target.
enum ToTarget {
    NotAsked,
    /// This change of the first field; null where none does it.
    Change(Option<i64>),
}

/// An entry next to the member, and how much of the first field lies between.
struct NeighbourShape<'a> {
    entry: EntryShape<'a>,
    gap: Option<i64>,
}

impl Serialize for NeighbourShape<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entry.put_into(&mut map)?;
        map.serialize_entry("gap", &self.gap)?;
        map.end()
    }
}

impl Stands<'_> {
    /// 100 · (members − position) / (members − 1), 100 for the first, alone too.
    fn percentile(&self) -> f64 {
        let position = self.view.own().position;
        if self.members <= 1 {
            return 100.0;
        }
        // Boards hold far fewer than 2^52 members.
        #[expect(clippy::cast_precision_loss)]
        let (below, others) = ((self.members - position) as f64, (self.members - 1) as f64);
        100.0 * below / others
    }

    fn above<'a>(&'a self, rules: &'a Rules) -> Option<NeighbourShape<'a>> {
        self.neighbour(rules, self.view.index.checked_sub(1)?)
    }

    fn below<'a>(&'a self, rules: &'a Rules) -> Option<NeighbourShape<'a>> {
        self.neighbour(rules, self.view.index + 1)
    }

    fn neighbour<'a>(&'a self, rules: &'a Rules, place: usize) -> Option<NeighbourShape<'a>> {
        let ranked = self.view.around.get(place)?;
        let gap = gap(rules, ranked, self.view.own());
        let entry = EntryShape { rules, ranked };
        Some(NeighbourShape { entry, gap })
    }
}

/// How much of the first field lies between two entries; null where one has none.
fn gap(rules: &Rules, a: &RankedEntry, b: &RankedEntry) -> Option<i64> {
    let first = |ranked: &RankedEntry| rules.values_of(&ranked.entry.key.words).get(0);
    Some((first(a)?.get() - first(b)?.get()).abs())
}

impl Serialize for PlaceShape<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let own = self.stands.as_ref().map(|stands| stands.view.own());
        put_entry(&mut map, self.rules, own.map(|own| own.rank), self.entry)?;
        map.serialize_entry("position", &own.map(|own| own.position))?;
        let stands = self.stands.as_ref();
        map.serialize_entry("percentile", &stands.map(Stands::percentile))?;
        map.serialize_entry("above", &stands.and_then(|it| it.above(self.rules)))?;
        map.serialize_entry("below", &stands.and_then(|it| it.below(self.rules)))?;
        if let ToTarget::Change(change) = self.to_target {
            map.serialize_entry("to_target", &change)?;
        }
        map.end()
    }
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    path: BoardPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let mut params = Params::of(query.as_deref());
    // Behind the end of a list nobody has a position.
    let end = path.kind().retain().map_or(u64::MAX, |retain| retain.keep);
    let target = params.count("target", 1..=end)?;
    let window = read_window(&app, path.kind(), params)?;
    let (board, kind, member) = (&path.board, path.kind(), path.member()?);
    let answer = app
        .merger
        .member(board, kind, window.window, member, (1, 1), target)
        .await?;
    let envelope = Envelope::new(board, &window, &answer);
    let members = answer.members;
    let (entry, at_target, without) = match &answer.value {
        // Where nobody else is at the target it stands there or above.
        Found::Ranked(view) => (&view.own().entry, &view.target, Some(0)),
        Found::Unlisted(view) => (&view.entry, &view.target, None),
        Found::NotRanked => return Err(Problem::not_ranked(member, &window.name())),
    };
    let to_target = match (target, at_target) {
        (None, _) => ToTarget::NotAsked,
        (Some(_), None) => ToTarget::Change(without),
        (Some(_), Some(at_target)) => ToTarget::Change(to_target(&app, kind, entry, at_target)),
    };
    let stands = match &answer.value {
        Found::Ranked(view) => Some(Stands { view, members }),
        Found::Unlisted(_) | Found::NotRanked => None,
    };
    let body = PlaceShape {
        rules: kind.rules(),
        entry,
        stands,
        to_target,
    };
    Ok(Answer { envelope, body }.into_response())
}

fn to_target(app: &App, kind: &Kind, own: &Entry, target: &RankedEntry) -> Option<i64> {
    let target = &target.entry.key;
    kind.rules()
        .change_to_overtake(&own.key, own.reached_at, target, app.now())
}

pub(crate) async fn set(
    State(app): State<Arc<App>>,
    path: BoardPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, Problem> {
    let mut params = Params::of(query.as_deref());
    let selector = params.text("window")?;
    params.finish()?;
    let text = body::json_text(&app, &headers, request).await?;
    let shape: StandingShape<'_> = body::from_json(&text)?;
    // The current window and the default of `at` are those of one moment, after the body has come.
    let now = app.now();
    let only = resolve_only(path.kind(), selector.as_deref(), now)?;
    let write = Write {
        board: Arc::new(path.board.clone()),
        kind: path.known.clone(),
        member: path.member()?.clone(),
        change: Change::Set(shape.values(path.kind())?),
        at: shape.at(now),
        id: shape.id()?,
        only,
    };
    let mut receipt = Receipt::default();
    for written in app
        .router
        .write(std::slice::from_ref(&write), now, false)
        .await
    {
        receipt.count(0, &write.board, &written);
    }
    receipt.into_single()
}

pub(crate) async fn remove(
    State(app): State<Arc<App>>,
    path: BoardPath,
    RawQuery(query): RawQuery,
) -> Result<StatusCode, Problem> {
    Params::of(query.as_deref()).finish()?;
    let now = app.now();
    let write = Write {
        board: Arc::new(path.board.clone()),
        kind: path.known.clone(),
        member: path.member()?.clone(),
        change: Change::Remove,
        at: now,
        id: None,
        only: None,
    };
    match app.router.write(&[write], now, false).await.pop() {
        Some(Written::Applied(_) | Written::Duplicate(_)) => Ok(StatusCode::NO_CONTENT),
        Some(Written::Refused(reason)) => Err(Problem::from(&reason)),
        Some(Written::Failed(failure)) => Err(Problem::from(&failure)),
        None => Err(missing_outcome(path.member()?)),
    }
}

fn missing_outcome(member: &Member) -> Problem {
    Problem::invalid(format!("member {member}: the write had no outcome"))
}
