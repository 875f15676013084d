//! Publishes one window of a board: [`publish`].

use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, Keep, Kind, Publication, Timestamp, Window};
use encodings::Encoding;
use merger::{ReadError, Snapshot, TopForm, final_from};

use crate::content::{self, Content};
use crate::context::Context;
use crate::item::Extent;
use crate::names::Names;
use crate::outcome::{Outcome, Published};
use crate::schedule::{after_board, after_window, current_window};
use crate::target::{Found, Replaced, Target, TargetError, TargetUpdate};

/// The wait before a closed window is published again as final, if its content is not durable yet.
const UNSETTLED_WAIT: Duration = Duration::from_secs(1);

/// A window that is to be published.
struct Work {
    kind: Arc<Kind>,
    board: Arc<BoardName>,
    window: Window,
    now: Timestamp,
    /// The time from the close of a window until it is final.
    tolerance: Duration,
}

impl Work {
    fn publication(&self) -> &Publication {
        self.kind.publication().expect("the kind is published")
    }

    /// Returns whether the window is to be published at all.
    fn is_published(&self) -> bool {
        let (kind, publication) = (&self.kind, self.publication());
        let period = self.window.period();
        let is_current = || self.window == current_window(kind, period, self.now);
        publication.publishes(period)
            && !kind.is_expired(self.window, self.now)
            && (!publication.key.is_shared_by_windows() || is_current())
    }

    /// Returns the number of entries to publish.
    fn top(&self) -> usize {
        let depth = self.publication().top;
        let depth = depth.and_then(|top| usize::try_from(top).ok());
        depth.unwrap_or(self.kind.top())
    }

    fn is_final(&self, snapshot: &Snapshot) -> bool {
        self.is_closed(snapshot, snapshot.as_of)
    }

    fn is_closed(&self, snapshot: &Snapshot, at: Timestamp) -> bool {
        let closes_at = self.kind.closes_at(self.window);
        let from = final_from(closes_at, &snapshot.activity, self.tolerance);
        from.is_some_and(|from| at >= from)
    }

    /// Returns the version of the content: everything that determines it.
    fn content_version(&self, snapshot: &Snapshot) -> String {
        let rule = self.kind.window_rule(self.window.period());
        let kept = match rule.map_or(Keep::Forever, |rule| rule.keep) {
            Keep::Forever => 0,
            Keep::After(span) | Keep::Idle(span) => span.as_millis(),
        };
        let kept = snapshot
            .activity
            .idle()
            .map_or(kept, |idle| idle.as_millis());
        let until = snapshot.activity.expires_at().map_or(0, Timestamp::micros);
        format!(
            "{} {}:{} top={} final={} kept={kept} until={until} encoding={} form={}",
            snapshot.version,
            self.window.period(),
            self.window.start().micros(),
            self.top(),
            self.is_final(snapshot),
            self.publication().encoding,
            wire::RENDERER_FORMAT,
        )
    }

    fn ttl(&self, snapshot: &Snapshot) -> Option<Duration> {
        content::ttl(&self.kind, self.window, &snapshot.activity, self.now)
    }

    /// Returns the content, and why its sorted set is omitted, if it is.
    fn content(&self, snapshot: &Snapshot, version: String) -> (Content, Option<String>) {
        let form = TopForm {
            window: self.window,
            n: self.top(),
            is_final: self.is_final(snapshot),
            stale: false,
            listed: self.kind.retain().map(|retain| retain.keep),
        };
        let window = self.kind.calendar().name(self.window);
        let (set, inexact) = match self.set(snapshot) {
            Ok(set) => (set, None),
            Err(why) => (None, Some(why)),
        };
        let content = Content {
            version,
            json: wire::top_json(&self.board, &window, snapshot, form),
            set,
            ttl: self.ttl(snapshot),
        };
        (content, inexact)
    }

    fn set(&self, snapshot: &Snapshot) -> Result<Option<content::Set>, String> {
        let text = &self.publication().encoding;
        if text == content::NO_ENCODING {
            return Ok(None);
        }
        let encoding: Encoding = text.parse().map_err(|error| format!("{error}"))?;
        let entries = wire::read_entries(&self.kind, &snapshot.rendered, self.top());
        let entries = entries.ok_or("the entries of the snapshot could not be read")?;
        content::encode_set(&encoding, &self.kind, &entries).map(Some)
    }

    fn published(
        &self,
        snapshot: &Snapshot,
        inexact: Option<String>,
        check_again: bool,
    ) -> Outcome {
        let publication = self.publication();
        let of_window = after_window(
            &self.kind,
            publication,
            self.window,
            self.tolerance,
            self.now,
        );
        let of_board = after_board(&snapshot.activity, self.window, self.tolerance, self.now);
        // The window has closed and its content is not durable yet. Once it is, the window is published as final.
        let is_unsettled = self.is_closed(snapshot, self.now) && !self.is_final(snapshot);
        let settled =
            is_unsettled.then(|| (self.now.plus(UNSETTLED_WAIT), Extent::Window(self.window)));
        let next = of_window.into_iter().chain(of_board).chain(settled);
        let next = next.min_by_key(|(at, _)| *at);
        Outcome::Published(Published {
            every: publication.every,
            next: next.map(|(at, extent)| (at.since(self.now), extent)),
            inexact,
            check_again,
        })
    }
}

/// Publishes the current state of a window.
pub(crate) async fn publish(
    context: &Context,
    target: &Target,
    board: &Arc<BoardName>,
    window: Window,
) -> Outcome {
    let Some(kind) = context.published_at(board, &target.name) else {
        return Outcome::NotHere;
    };
    let work = Work {
        kind,
        board: board.clone(),
        window,
        now: context.now(),
        tolerance: context.merger.clock_tolerance(),
    };
    if !work.is_published() {
        return Outcome::NotHere;
    }
    let names = match Names::of(
        work.publication(),
        target.protocol,
        &work.kind,
        board,
        window,
    ) {
        Ok(names) => names,
        Err(why) => return Outcome::Unnamed(why),
    };
    let update = match target.begin(&names).await {
        Ok(update) => update,
        Err(error) => return Outcome::Failed(error),
    };
    // The board is merged after the update has begun: see `target`.
    let read = context.merger.top(board, &work.kind, window, true).await;
    let outcome = match read {
        Ok(view) => write(&work, update, &names, &view.snapshot).await,
        Err(error) => {
            // Nothing was written, so an error of the connection is irrelevant.
            let _ = update.abandon(&names, None).await;
            return match error {
                ReadError::WindowGone => Outcome::NotHere,
                error => Outcome::Unreadable(error),
            };
        }
    };
    outcome.unwrap_or_else(Outcome::Failed)
}

async fn write(
    work: &Work,
    update: TargetUpdate<'_>,
    names: &Names,
    snapshot: &Snapshot,
) -> Result<Outcome, TargetError> {
    let every = work.publication().every;
    let is_later = |published: &str| is_later_window(published, work.window);
    if snapshot.members == 0 {
        let shows_later = update.found.version.as_deref().is_some_and(is_later);
        // If nothing is published, another update may be about to publish an earlier state of the board.
        let may_appear = snapshot.may_have_had_members();
        if shows_later || !(update.found.is_there || may_appear) {
            update.abandon(names, None).await?;
            return Ok(work.published(snapshot, None, false));
        }
        return Ok(match update.remove(names).await? {
            Replaced::Yes => work.published(snapshot, None, false),
            Replaced::Overtaken => Outcome::Overtaken(every),
        });
    }
    let version = work.content_version(snapshot);
    match update.found.version.as_deref() {
        Some(published) if published == version && is_complete(work, &update.found, snapshot) => {
            let of_kind = work.kind.idle().is_some() && work.window == Window::ALL_TIME;
            let expires_idle = of_kind || snapshot.activity.idle().is_some();
            let renewed = work.ttl(snapshot).filter(|_| expires_idle);
            update.abandon(names, renewed).await?;
            return Ok(work.published(snapshot, None, false));
        }
        Some(published) if is_later(published) => {
            update.abandon(names, None).await?;
            return Ok(work.published(snapshot, None, false));
        }
        _ => {}
    }
    let (content, inexact) = work.content(snapshot, version);
    let check_again = !update.found.is_there && !update.found.watches_missing;
    Ok(match update.replace(names, content).await? {
        Replaced::Yes => work.published(snapshot, inexact, check_again),
        Replaced::Overtaken => Outcome::Overtaken(every),
    })
}

/// Returns whether all keys of the published content exist: a full server may have evicted some of them.
fn is_complete(work: &Work, found: &Found, snapshot: &Snapshot) -> bool {
    // A content without a sorted set lacks none.
    found.has_json && (found.has_set || !matches!(work.set(snapshot), Ok(Some(_))))
}

/// Returns whether the published version is that of a later window of the same period: clocks of servers may differ. A
/// window of another period was published under other settings, and is replaced.
fn is_later_window(published: &str, window: Window) -> bool {
    let published = published.split(' ').nth(1);
    let published = published.and_then(|name| name.split_once(':'));
    published.is_some_and(|(period, start)| {
        let start: Option<i64> = start.parse().ok();
        period == window.period().to_string()
            && start.is_some_and(|start| start > window.start().micros())
    })
}

#[cfg(test)]
mod tests {
    use board::Period;

    use super::*;

    #[test]
    fn a_later_window_of_the_same_period_is_not_replaced() {
        let shape: wire::KindShape = serde_json::from_str("{}").unwrap();
        let kind = shape.into_kind("gifts").unwrap();
        let start = |text| Timestamp::parse_rfc3339(text).unwrap();
        let today = start("2026-11-20T00:00:00Z");
        let version = format!("0-1-2 day:{} top=10", today.micros());
        let window = |period, at| current_window(&kind, period, start(at));
        assert!(is_later_window(
            &version,
            window(Period::Day, "2026-11-19T12:00:00Z")
        ));
        for other in [
            window(Period::Day, "2026-11-20T12:00:00Z"),
            window(Period::Day, "2026-11-21T12:00:00Z"),
            window(Period::Month, "2026-11-20T12:00:00Z"),
            Window::ALL_TIME,
        ] {
            assert!(!is_later_window(&version, other), "{other:?}");
        }
    }
}
