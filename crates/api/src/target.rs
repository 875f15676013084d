//! What a request is about: the board, the kind, the member in its path, and the window in its query.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use board::{
    BoardName, Kind, Member, Period, SelectorError, Subject, Timestamp, Window, WindowSelector,
    WindowState,
};
use http_server::query_params::{Params, percent};
use http_server::validators::Freshness;
use shard_router::KnownKind;
use wire::problem::{Problem, ProblemType};

use crate::app::App;
use crate::read_window::ReadWindow;
use http_server::query_params::PathParams;

/// The file in the path, which may not exist.
pub(crate) struct FilePath(pub(crate) String);

impl<S: Sync> FromRequestParts<S> for FilePath {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let params = PathParams::of(parts.uri.path());
        Ok(Self(text_of(params.file).into_owned()))
    }
}

/// The name of a kind in the path, which may not exist.
pub(crate) struct KindPath(pub(crate) String);

impl FromRequestParts<Arc<App>> for KindPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, Problem> {
        let params = PathParams::of(parts.uri.path());
        Ok(Self(text_of(params.kind).into_owned()))
    }
}

/// The member in the path.
pub(crate) struct MemberPath(pub(crate) Member);

impl FromRequestParts<Arc<App>> for MemberPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, Problem> {
        let params = PathParams::of(parts.uri.path());
        let member = Member::new(&text_of(params.member));
        let member = member.map_err(|error| Problem::invalid(error.to_string()))?;
        Ok(Self(member))
    }
}

/// Returns a parameter of the path; empty if there is none. Dispatch has rejected values that are not percent-encoded.
fn text_of(param: Option<&str>) -> Cow<'_, str> {
    param.and_then(percent::decoded).unwrap_or_default()
}

/// The board in the path, of a kind that exists.
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
        let params = PathParams::of(parts.uri.path());
        let known = app.kind(&text_of(params.kind)).await?;
        let invalid = |error: board::IdentError| Problem::invalid(error.to_string());
        let subject = Subject::new(&text_of(params.subject)).map_err(invalid)?;
        let member = params.member.map(|text| Member::new(&text_of(Some(text))));
        let member = member.transpose().map_err(invalid)?;
        Ok(Self {
            board: BoardName::new(known.kind.name().clone(), subject),
            known,
            member,
        })
    }
}

/// Reads the remaining parameters of a read: the window that `?window=` selects at this moment, by default the kind's
/// first. `fresh` is accepted for reads that are always fresh: then no cache may answer them. Any other parameter is an
/// error.
pub(crate) fn read_window(
    app: &App,
    kind: &Kind,
    mut params: Params<'_>,
) -> Result<ReadWindow, Problem> {
    let fresh = params.flag("fresh")?;
    let selector = params.text("window")?;
    params.finish()?;
    let window = resolve(app, kind, selector.as_deref())?;
    Ok(if fresh { window.validated() } else { window })
}

/// Returns the window that a text selects at this moment; without one the kind's first.
pub(crate) fn resolve(
    app: &App,
    kind: &Kind,
    selector: Option<&str>,
) -> Result<ReadWindow, Problem> {
    resolve_now(app, kind, selector_of(kind, selector)?)
}

/// Parses a window selector. Without a text, selects the current window of the kind's first period; `previous` selects
/// the one before it.
pub(crate) fn selector_of(kind: &Kind, text: Option<&str>) -> Result<WindowSelector, Problem> {
    let first = kind.windows()[0].period;
    let selector = match text {
        None => return Ok(WindowSelector::Current(first)),
        Some("previous") if first == Period::All => {
            let name = kind.name();
            let detail = format!(
                "window: the first window of kind {name} is all, which has no previous one"
            );
            return Err(Problem::invalid(detail));
        }
        Some("previous") => kind.calendar().parse(&format!("{first}:previous")),
        Some(text) => kind.calendar().parse(text),
    };
    selector.map_err(|error| {
        let invalid = Problem::invalid(format!("window: {error}"));
        match error {
            SelectorError::NoSuchSeason { .. } => {
                check_period(kind, Period::Season).err().unwrap_or(invalid)
            }
            _ => invalid,
        }
    })
}

/// Returns the window that is selected at this moment.
pub(crate) fn resolve_now(
    app: &App,
    kind: &Kind,
    selector: WindowSelector,
) -> Result<ReadWindow, Problem> {
    let window = window_at(kind, selector, app.now())?;
    let freshness = match selector {
        // Tomorrow the same URL selects another window.
        WindowSelector::Current(_) | WindowSelector::Previous(_) => Freshness::Validated,
        WindowSelector::Named(_) if app.access.has_keys() && !kind.is_public() => {
            Freshness::Private
        }
        WindowSelector::Named(_) => Freshness::Public,
    };
    let clock_tolerance = app.merger.clock_tolerance();
    Ok(ReadWindow::new(kind, window, clock_tolerance, freshness))
}

/// Returns the window that is selected at this time.
pub(crate) fn window_at(
    kind: &Kind,
    selector: WindowSelector,
    now: Timestamp,
) -> Result<Window, Problem> {
    let calendar = kind.calendar();
    check_period(kind, selector.period())?;
    let window = selector.resolve(calendar, now);
    match kind.window_state(window, now) {
        WindowState::Open | WindowState::Closed => Ok(window),
        WindowState::Expired => Err(Problem::window_gone(&calendar.name(window))),
        WindowState::BeforePeriod => Err(never_kept(kind, window)),
    }
}

/// Returns the only window that a write names, if it names one.
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
