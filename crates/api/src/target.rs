//! What a request under `/v1/boards/{kind}/{subject}` is about: its board, its kind, its window.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use board::{
    Activity, BoardName, Calendar, Kind, Member, Period, Subject, Timestamp, Window,
    WindowSelector, WindowState,
};
use merger::final_from;
use problem::{Problem, ProblemType};
use shard_router::KnownKind;
use wire::{Envelope, WindowShape};

use crate::app::App;
use crate::params::Params;
use crate::percent;
use crate::route::Matched;

/// The file in the path, which may be none.
pub(crate) struct FilePath(pub(crate) String);

impl<S: Sync> FromRequestParts<S> for FilePath {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(text_of(parts, "file").into_owned()))
    }
}

/// The name of a kind in the path, which may be none.
pub(crate) struct KindPath(pub(crate) String);

impl FromRequestParts<Arc<App>> for KindPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, Problem> {
        Ok(Self(text_of(parts, "kind").into_owned()))
    }
}

/// The member in the path, of whatever board.
pub(crate) struct MemberPath(pub(crate) Member);

impl FromRequestParts<Arc<App>> for MemberPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, Problem> {
        let member = Member::new(&text_of(parts, "member"));
        let member = member.map_err(|error| Problem::invalid(error.to_string()))?;
        Ok(Self(member))
    }
}

/// A parameter of the path that its request was dispatched by; empty where there is none.
fn text_of<'p>(parts: &'p Parts, name: &str) -> Cow<'p, str> {
    param(parts, name).unwrap_or_default()
}

fn param<'p>(parts: &'p Parts, name: &str) -> Option<Cow<'p, str>> {
    let matched = parts.extensions.get::<Matched>()?;
    // One that is not percent-encoded was refused before.
    percent::decoded(matched.param(parts.uri.path(), name)?)
}

/// The board in the path, of a kind that is known.
pub(crate) struct BoardPath {
    pub(crate) board: BoardName,
    pub(crate) known: KnownKind,
    /// The member, on paths that have one.
    member: Option<Member>,
}

impl BoardPath {
    pub(crate) fn kind(&self) -> &Arc<Kind> {
        &self.known.kind
    }

    pub(crate) fn member(&self) -> Result<&Member, Problem> {
        self.member
            .as_ref()
            .ok_or_else(|| Problem::invalid("member: is missing"))
    }
}

impl FromRequestParts<Arc<App>> for BoardPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let known = app.kind(&text_of(parts, "kind")).await?;
        let invalid = |error: board::IdentError| Problem::invalid(error.to_string());
        let subject = Subject::new(&text_of(parts, "subject")).map_err(invalid)?;
        let member = param(parts, "member").map(|text| Member::new(&text));
        let member = member.transpose().map_err(invalid)?;
        Ok(Self {
            board: BoardName::new(known.kind.name().clone(), subject),
            known,
            member,
        })
    }
}

/// The window of a read, resolved and kept.
#[derive(Debug, Clone)]
pub(crate) struct ReadWindow {
    pub(crate) window: Window,
    /// From when on it takes nothing more.
    closes_at: Option<Timestamp>,
    /// How long after that servers of other clocks may still have it open.
    clock_tolerance: Duration,
    /// Only so many of the board are ranked, by its kind.
    pub(crate) listed: Option<u64>,
    calendar: Calendar,
}

impl ReadWindow {
    /// Whether a look at the shards that began then shows all that the window of a board of this time ever
    /// takes. Never asked of the moment: what was seen before the end is not final after it.
    pub(crate) fn is_final(&self, as_of: Timestamp, activity: &Activity) -> bool {
        let from = final_from(self.closes_at, activity, self.clock_tolerance);
        from.is_some_and(|from| as_of >= from)
    }

    /// The envelope of an answer about a board in this window.
    pub(crate) fn envelope<T>(
        &self,
        board: &BoardName,
        answer: &merger::ReadResult<T>,
    ) -> Envelope {
        let window = WindowShape {
            name: self.name(),
            listed: self.listed,
            is_final: self.is_final(answer.as_of, &answer.activity),
        };
        Envelope::new(board, window, answer)
    }

    /// Its text. Made when it is asked for: an answer that is kept needs none.
    pub(crate) fn name(&self) -> String {
        self.calendar.name(self.window)
    }
}

/// What every read is asked at last: the window that `?window=` names for a kind, or the kind's
/// first, at this moment. `fresh`, where nobody has asked for it yet, may be said of a read that is
/// always fresh. Any other parameter is an error.
pub(crate) fn read_window(
    app: &App,
    kind: &Kind,
    mut params: Params<'_>,
) -> Result<ReadWindow, Problem> {
    params.flag("fresh")?;
    let selector = params.text("window")?;
    params.finish()?;
    resolve(app, kind, selector.as_deref())
}

/// The window that a text names for a kind at this moment, or the kind's first.
pub(crate) fn resolve(
    app: &App,
    kind: &Kind,
    selector: Option<&str>,
) -> Result<ReadWindow, Problem> {
    resolve_now(app, kind, selector_of(kind, selector)?)
}

/// What a text selects of a kind's windows; without one the current window of the kind's first period.
pub(crate) fn selector_of(kind: &Kind, text: Option<&str>) -> Result<WindowSelector, Problem> {
    let Some(text) = text else {
        return Ok(WindowSelector::Current(kind.windows()[0].period));
    };
    let selector = kind.calendar().parse(text);
    selector.map_err(|error| Problem::invalid(format!("window: {error}")))
}

/// The window that is selected at this moment.
pub(crate) fn resolve_now(
    app: &App,
    kind: &Kind,
    selector: WindowSelector,
) -> Result<ReadWindow, Problem> {
    let window = window_at(kind, selector, app.now())?;
    Ok(ReadWindow {
        window,
        closes_at: kind.closes_at(window),
        clock_tolerance: app.merger.clock_tolerance(),
        listed: kind.retain().map(|retain| retain.keep),
        calendar: kind.calendar().clone(),
    })
}

fn window_at(kind: &Kind, selector: WindowSelector, now: Timestamp) -> Result<Window, Problem> {
    let calendar = kind.calendar();
    check_period(kind, selector.period())?;
    let window = selector.resolve(calendar, now);
    match kind.window_state(window, now) {
        WindowState::Open | WindowState::Closed => Ok(window),
        WindowState::Expired => Err(Problem::window_gone(&calendar.name(window))),
        WindowState::BeforePeriod => Err(never_kept(kind, window)),
    }
}

/// The one window that a set names, if it names one.
pub(crate) fn resolve_only(
    kind: &Kind,
    selector: Option<&str>,
    now: Timestamp,
) -> Result<Option<Window>, Problem> {
    selector
        .map(|text| window_at(kind, selector_of(kind, Some(text))?, now))
        .transpose()
}

fn never_kept(kind: &Kind, window: Window) -> Problem {
    let since = kind
        .window_rule(window.period())
        .and_then(|rule| rule.since);
    let since = since.map_or_else(String::new, |since| {
        format!(": the first of its sort begins at {since}")
    });
    let name = kind.calendar().name(window);
    Problem::new(
        ProblemType::UnknownWindow,
        format!("window: {name} was never kept{since}"),
    )
}

fn check_period(kind: &Kind, period: Period) -> Result<(), Problem> {
    if kind.window_rule(period).is_some() {
        return Ok(());
    }
    let has: Vec<&str> = kind
        .windows()
        .iter()
        .map(|rule| rule.period.as_str())
        .collect();
    let detail = format!(
        "window: kind {} has no {} windows, only {}",
        kind.name(),
        period.as_str(),
        has.join(", ")
    );
    Err(Problem::new(ProblemType::UnknownWindow, detail))
}
