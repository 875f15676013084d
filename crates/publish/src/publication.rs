//! One board's window on its way to its readers: [`publish`].

use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, Keep, Kind, Publication, Timestamp, Window};
use encodings::Encoding;
use merger::{ReadError, Snapshot, TopForm, final_from};

use crate::content::{self, Content};
use crate::ends::{self, current};
use crate::lane::Lane;
use crate::marks::Extent;
use crate::names::Names;
use crate::publisher::Service;
use crate::target::{Fault, Switched, TargetUpdate};

/// How long a window that has closed waits to be published as final, where what it holds is not durable yet.
const UNSETTLED_WAIT: Duration = Duration::from_secs(1);

/// What became of an item.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Readers see what there is.
    Published(Published),
    /// It is not to be published here, or no longer.
    NotHere,
    /// Another server has published it meanwhile: what it has may be older.
    Overtaken(Duration),
    /// These windows are to be published, each as an item of its own.
    Spread(Vec<Window>),
    /// The board cannot be read now.
    Unreadable(ReadError),
    /// The target failed.
    Failed(Fault),
    /// It cannot be published under its name.
    Unnamed(String),
}

/// A window as it is published now.
#[derive(Debug)]
pub(crate) struct Published {
    /// How often it may be.
    pub(crate) every: Duration,
    /// What is to be published next, and how long from now.
    pub(crate) next: Option<(Duration, Extent)>,
    /// Why the sorted set is left out.
    pub(crate) inexact: Option<String>,
    /// Whether it is to be looked at once more: the board may have been deleted meanwhile.
    pub(crate) again: bool,
}

/// A window of a kind that is published at a target.
struct Work {
    kind: Arc<Kind>,
    board: Arc<BoardName>,
    window: Window,
    now: Timestamp,
    /// How long after it has closed a window is final.
    tolerance: Duration,
}

impl Work {
    fn publication(&self) -> &Publication {
        self.kind
            .publication()
            .expect("work is made of published kinds")
    }

    fn is_wanted(&self) -> bool {
        let (kind, publication) = (&self.kind, self.publication());
        let period = self.window.period();
        let is_last = || self.window == current(kind, period, self.now);
        publication.publishes(period)
            && !kind.is_expired(self.window, self.now)
            && (!publication.key.is_shared_by_windows() || is_last())
    }

    /// Entries that are published.
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

    /// Names all that decides what is written: the board's version, the window, and how it is shown.
    fn mark(&self, snapshot: &Snapshot) -> String {
        let rule = self.kind.window_rule(self.window.period());
        let kept = match rule.map_or(Keep::Forever, |rule| rule.keep) {
            Keep::Forever => 0,
            Keep::After(span) | Keep::Idle(span) => span.as_millis(),
        };
        let until = snapshot.activity.expires_at().map_or(0, Timestamp::millis);
        format!(
            "{} {}:{} top={} final={} kept={kept} until={until} encoding={} form={}",
            snapshot.version,
            self.window.period(),
            self.window.start().millis(),
            self.top(),
            self.is_final(snapshot),
            self.publication().encoding,
            wire::RENDERER_FORMAT,
        )
    }

    fn lasts(&self, snapshot: &Snapshot) -> Option<Duration> {
        content::lasts(&self.kind, self.window, &snapshot.activity, self.now)
    }

    fn is_before(&self, mark: &str) -> bool {
        is_before(self.window, mark)
    }

    fn content(&self, snapshot: &Snapshot, mark: String) -> (Content, Option<String>) {
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
            mark,
            json: wire::top_json(&self.board, &window, snapshot, form),
            set,
            lasts: self.lasts(snapshot),
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
        let set = content::set(&encoding, &self.kind, &entries);
        set.map(Some).map_err(|error| error.to_string())
    }

    fn published(&self, snapshot: &Snapshot, inexact: Option<String>, again: bool) -> Outcome {
        let publication = self.publication();
        let next = ends::after(
            &self.kind,
            publication,
            self.window,
            self.tolerance,
            self.now,
        );
        let turn = ends::turn(&snapshot.activity, self.window, self.tolerance, self.now);
        // It has closed, and what it holds is not durable yet: once it is, it is published as final.
        let unsettled = self.is_closed(snapshot, self.now) && !self.is_final(snapshot);
        let settled =
            unsettled.then(|| (self.now.plus(UNSETTLED_WAIT), Extent::Window(self.window)));
        let next = next.into_iter().chain(turn).chain(settled);
        let next = next.min_by_key(|(at, _)| *at);
        let wait = |at: Timestamp| {
            let ms = u64::try_from(at.millis() - self.now.millis()).unwrap_or(0);
            Duration::from_millis(ms)
        };
        Outcome::Published(Published {
            every: publication.every,
            next: next.map(|(at, extent)| (wait(at), extent)),
            inexact,
            again,
        })
    }
}

/// Publishes a window as it is.
pub(crate) async fn publish(
    service: &Service,
    lane: &Lane,
    board: &Arc<BoardName>,
    window: Window,
) -> Outcome {
    let Some(kind) = service.published_at(board, lane.name()) else {
        return Outcome::NotHere;
    };
    let work = Work {
        kind,
        board: board.clone(),
        window,
        now: service.now(),
        tolerance: service.merger.clock_tolerance(),
    };
    if !work.is_wanted() {
        return Outcome::NotHere;
    }
    let names = match Names::of(
        work.publication(),
        lane.protocol(),
        &work.kind,
        board,
        window,
    ) {
        Ok(names) => names,
        Err(error) => return Outcome::Unnamed(error.to_string()),
    };
    let turn = match lane.target().begin(&names).await {
        Ok(turn) => turn,
        Err(fault) => return Outcome::Failed(fault),
    };
    // Behind the look at what is published: see `target`.
    let read = service.merger.top(board, &work.kind, window, true).await;
    let ended = match read {
        Ok(view) => write(&work, turn, &names, &view.snapshot).await,
        Err(error) => {
            // Nothing was written: an error of the connection does not matter.
            let _ = turn.leave(&names, None).await;
            return match error {
                ReadError::WindowGone => Outcome::NotHere,
                error => Outcome::Unreadable(error),
            };
        }
    };
    ended.unwrap_or_else(Outcome::Failed)
}

async fn write(
    work: &Work,
    turn: TargetUpdate<'_>,
    names: &Names,
    snapshot: &Snapshot,
) -> Result<Outcome, Fault> {
    let every = work.publication().every;
    if snapshot.members == 0 {
        let is_next = turn.published().is_some_and(|mark| work.is_before(mark));
        // Where nothing is published another turn may be about to publish what there was.
        let may_come = snapshot.may_have_had_members();
        if is_next || !(turn.is_there() || may_come) {
            turn.leave(names, None).await?;
            return Ok(work.published(snapshot, None, false));
        }
        return Ok(match turn.clear(names).await? {
            Switched::Yes => work.published(snapshot, None, false),
            Switched::Overtaken => Outcome::Overtaken(every),
        });
    }
    let mark = work.mark(snapshot);
    match turn.published() {
        Some(published) if published == mark && is_whole(work, &turn, snapshot) => {
            let goes_idle = work.kind.idle().is_some() && work.window == Window::ALL_TIME;
            let renewed = work.lasts(snapshot).filter(|_| goes_idle);
            turn.leave(names, renewed).await?;
            return Ok(work.published(snapshot, None, false));
        }
        Some(published) if work.is_before(published) => {
            turn.leave(names, None).await?;
            return Ok(work.published(snapshot, None, false));
        }
        _ => {}
    }
    let (content, inexact) = work.content(snapshot, mark);
    let again = !turn.is_there() && !turn.watches_nothing();
    Ok(match turn.switch(names, content).await? {
        Switched::Yes => work.published(snapshot, inexact, again),
        Switched::Overtaken => Outcome::Overtaken(every),
    })
}

/// Whether nothing was lost of what has the mark: a server that runs full may let go of one key alone.
fn is_whole(work: &Work, turn: &TargetUpdate<'_>, snapshot: &Snapshot) -> bool {
    // No set is missing where the encoding gives none.
    turn.has_json() && (turn.has_set() || !matches!(work.set(snapshot), Ok(Some(_))))
}

/// Whether what has this mark is of a later window of the same period: clocks of servers may differ. One of
/// another period was published under another setting, and is replaced.
fn is_before(window: Window, mark: &str) -> bool {
    let published = mark.split(' ').nth(1).and_then(|name| name.split_once(':'));
    published.is_some_and(|(period, start)| {
        let start: Option<i64> = start.parse().ok();
        period == window.period().to_string()
            && start.is_some_and(|start| start > window.start().millis())
    })
}

#[cfg(test)]
mod tests {
    use board::Period;

    use super::*;

    #[test]
    fn a_later_window_of_the_same_period_stays() {
        let shape: wire::KindShape = serde_json::from_str("{}").unwrap();
        let kind = shape.into_kind("gifts").unwrap();
        let start = |text| Timestamp::parse_rfc3339(text).unwrap();
        let today = start("2026-11-20T00:00:00Z");
        let mark = format!("0-1-2 day:{} top=10", today.millis());
        let window = |period, at| current(&kind, period, start(at));
        assert!(is_before(
            window(Period::Day, "2026-11-19T12:00:00Z"),
            &mark
        ));
        for other in [
            window(Period::Day, "2026-11-20T12:00:00Z"),
            window(Period::Day, "2026-11-21T12:00:00Z"),
            window(Period::Month, "2026-11-20T12:00:00Z"),
            Window::ALL_TIME,
        ] {
            assert!(!is_before(other, &mark), "{other:?}");
        }
    }
}
