//! The windows of a board that are to be published: [`windows_to_publish`].

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, Kind, TargetName, Timestamp, Window};

use crate::context::Context;
use crate::item::Extent;
use crate::outcome::Outcome;
use crate::schedule::current_window;

/// The number of windows of one period that are checked, from the current one back.
const LOOK_BACK_MAX: usize = 120;

/// Returns all windows that a board has; with [`Extent::Any`] also those that it may have had, because the windows of a
/// deleted board are not listed.
pub(crate) async fn windows_to_publish(
    context: &Context,
    target: &TargetName,
    board: &Arc<BoardName>,
    extent: Extent,
) -> Outcome {
    let Some(kind) = context.published_at(board, target) else {
        return Outcome::NotHere;
    };
    let now = context.now();
    let first = current_window(&kind, kind.windows()[0].period, now);
    let info = match context.merger.info(board, &kind, first).await {
        Ok(info) => info.value,
        Err(error) => return Outcome::Unreadable(error),
    };
    let mut windows: BTreeSet<Window> = info.windows.iter().map(|listed| listed.window).collect();
    for rule in kind.windows() {
        let back = match extent {
            Extent::Any => LOOK_BACK_MAX,
            // If windows share a key, the window that it shows may have ended.
            Extent::Existing | Extent::Window(_) => 1,
        };
        windows.extend(kept(&kind, current_window(&kind, rule.period, now), now).take(back));
    }
    let publication = kind.publication();
    windows.retain(|window| publication.is_some_and(|p| p.publishes(window.period())));
    Outcome::Windows(windows.into_iter().collect())
}

/// Returns this window and those before it that are kept, the latest first.
fn kept(kind: &Kind, window: Window, now: Timestamp) -> impl Iterator<Item = Window> {
    let before = |window: &Window| {
        let is_endless = *window == Window::ALL_TIME;
        let end = window.start().minus(Duration::from_millis(1));
        (!is_endless).then(|| current_window(kind, window.period(), end))
    };
    std::iter::successors(Some(window), before)
        .take_while(move |window| !kind.is_expired(*window, now))
}

#[cfg(test)]
mod tests {
    use board::Period;

    use super::*;

    #[test]
    fn windows_are_checked_as_far_back_as_they_are_kept() {
        let shape =
            r#"{"windows": ["hour", "day", "all"], "keep": {"hour": "3h", "day": "forever"}}"#;
        let shape: wire::KindShape = serde_json::from_str(shape).unwrap();
        let kind = shape.into_kind("gifts").unwrap();
        let now = Timestamp::parse_rfc3339("2026-11-20T12:30:00Z").unwrap();
        let names = |period| {
            let windows = kept(&kind, current_window(&kind, period, now), now).take(LOOK_BACK_MAX);
            windows.map(|w| kind.calendar().name(w)).collect::<Vec<_>>()
        };
        assert_eq!(
            names(Period::Hour),
            [
                "hour:2026-11-20T12+00:00",
                "hour:2026-11-20T11+00:00",
                "hour:2026-11-20T10+00:00",
                "hour:2026-11-20T09+00:00"
            ]
        );
        let days = names(Period::Day);
        assert_eq!(days.len(), LOOK_BACK_MAX);
        assert_eq!(days[1], "day:2026-11-19");
        assert_eq!(names(Period::All), ["all"]);
    }
}
