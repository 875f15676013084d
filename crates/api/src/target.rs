//! The window that a request names.

use board::{Kind, Period, SelectorError, Timestamp, Window, WindowSelector, WindowState};
use http_server::validators::Freshness;
use wire::problem::{Problem, ProblemType};

use crate::app::App;
use crate::read_window::ReadWindow;

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
