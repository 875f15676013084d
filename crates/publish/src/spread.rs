//! The windows of a board that are to be published: [`spread`].

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, Kind, TargetName, Timestamp, Window};

use crate::ends::current;
use crate::marks::Extent;
use crate::publication::Outcome;
use crate::publisher::Service;

/// Windows of one period that are looked at again, from the current one back.
const LOOK_BACK_MAX: usize = 120;

/// All windows that a board holds; with [`Extent::Anywhere`] those too that it may have held, since a
/// board that was deleted is no longer listed.
pub(crate) async fn spread(
    service: &Service,
    target: &TargetName,
    board: &Arc<BoardName>,
    extent: Extent,
) -> Outcome {
    let Some(kind) = service.published_at(board, target) else {
        return Outcome::NotHere;
    };
    let now = service.now();
    let first = current(&kind, kind.windows()[0].period, now);
    let info = match service.merger.info(board, &kind, first).await {
        Ok(info) => info.value,
        Err(error) => return Outcome::Unreadable(error),
    };
    let mut windows: BTreeSet<Window> = info.windows.iter().map(|held| held.window).collect();
    for rule in kind.windows() {
        let back = match extent {
            Extent::Anywhere => LOOK_BACK_MAX,
            // Under a key that windows share, the last one may have ended.
            Extent::Held | Extent::Window(_) => 1,
        };
        windows.extend(kept(&kind, current(&kind, rule.period, now), now).take(back));
    }
    let publication = kind.publication();
    windows.retain(|window| publication.is_some_and(|p| p.publishes(window.period())));
    Outcome::Spread(windows.into_iter().collect())
}

/// This window and those before it that are kept, the latest first.
fn kept(kind: &Kind, window: Window, now: Timestamp) -> impl Iterator<Item = Window> {
    let before = |window: &Window| {
        let is_endless = *window == Window::ALL_TIME;
        let end = window.start().minus(Duration::from_millis(1));
        (!is_endless).then(|| current(kind, window.period(), end))
    };
    std::iter::successors(Some(window), before)
        .take_while(move |window| !kind.is_expired(*window, now))
}

#[cfg(test)]
mod tests {
    use board::Period;

    use super::*;

    #[test]
    fn windows_are_looked_at_as_far_back_as_they_are_kept() {
        let shape =
            r#"{"windows": ["hour", "day", "all"], "keep": {"hour": "3h", "day": "forever"}}"#;
        let shape: wire::KindShape = serde_json::from_str(shape).unwrap();
        let kind = shape.into_kind("gifts").unwrap();
        let now = Timestamp::parse_rfc3339("2026-11-20T12:30:00Z").unwrap();
        let names = |period| {
            let windows = kept(&kind, current(&kind, period, now), now).take(LOOK_BACK_MAX);
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
