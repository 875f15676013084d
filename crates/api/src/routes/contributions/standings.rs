//! `?return=standings` and `?return=ranks`: the standings of members after contributions.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, Kind, Member, RankKey, Timestamp, Values, Window};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use futures::stream::{self, StreamExt as _};
use merger::PositionView;
use serde::{Deserialize, Serialize};
use shard_router::WriteOutcome;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout_at};
use wire::problem::Problem;
use wire::{ESCAPED_BYTES_MAX, FieldsShape};

use crate::app::App;
use crate::receipts::MemberStandingsShape;

/// What `?return=` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Return {
    Nothing,
    Standings,
    Ranks {
        /// Whether the rank before the contributions is asked for, too.
        previous: bool,
    },
}

/// What to return for each contribution.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum ReturnWord {
    Standings,
    Ranks,
}

impl Return {
    /// Returns what `return` and `previous_rank` ask for.
    pub(crate) fn of(
        returned: Option<ReturnWord>,
        previous: Option<bool>,
    ) -> Result<Self, Problem> {
        let previous = previous == Some(true);
        match returned {
            Some(ReturnWord::Ranks) => Ok(Self::Ranks { previous }),
            _ if previous => Err(Problem::invalid("previous_rank: requires return=ranks")),
            None => Ok(Self::Nothing),
            Some(ReturnWord::Standings) => Ok(Self::Standings),
        }
    }
}

/// A member's standing in one window after a contribution.
#[expect(clippy::option_option, reason = "absent, or null")]
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = WrittenStanding))]
pub(crate) struct WindowStandingShape {
    /// The full name of the window.
    #[cfg_attr(test, schema(example = "day:2026-11-20"))]
    window: String,
    #[serde(flatten)]
    #[cfg_attr(test, schema(inline))]
    fields: FieldsShape,
    /// When the standing was reached.
    #[cfg_attr(test, schema(format = DateTime))]
    reached_at: String,
    /// With `return=ranks`; null if the member is not ranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schema(schema_with = wire::requested_rank, required = false))]
    rank: Option<Option<u64>>,
    /// With `return=ranks`; null if the member is not ranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schema(schema_with = wire::requested_position, required = false))]
    position: Option<Option<u64>>,
    /// With `previous_rank`; null if the member was not ranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schema(schema_with = wire::previous_rank, required = false))]
    previous_rank: Option<Option<u64>>,
}

impl WindowStandingShape {
    pub(crate) fn of(kind: &Kind, window: Window, values: &Values, reached_at: Timestamp) -> Self {
        Self {
            window: kind.calendar().name(window),
            fields: FieldsShape::of(kind.rules(), values),
            reached_at: reached_at.to_string(),
            rank: None,
            position: None,
            previous_rank: None,
        }
    }

    /// Adds a rank and a position; null for a member that is not ranked.
    pub(crate) fn put_rank(&mut self, found: Option<PositionView>) {
        let (rank, position) = found.map(|it| (it.rank, it.position)).unzip();
        (self.rank, self.position) = (Some(rank), Some(position));
    }
}

/// Bytes of a standing in one window, in memory as well as in JSON, rounded up.
const WINDOW_BYTES: usize = 1 << 10;

/// Bytes of a contribution in JSON, beside its names and windows, rounded up.
const WRITTEN_BYTES: usize = 128;

/// Ranks that are read together: more would keep a Redis busy for too long.
const PART_MAX: usize = 100;

/// Reads of ranks that a request has under way, on a store that makes round trips.
const READS_MAX: usize = 4;

/// How long the ranks of a request are read. Those that are missing then are left out.
const READ_FOR: Duration = Duration::from_secs(10);

/// A contribution to one board whose standings are asked for.
pub(crate) struct Asked {
    /// Its place in the request.
    pub(crate) index: usize,
    pub(crate) board: Arc<BoardName>,
    pub(crate) kind: Arc<Kind>,
    pub(crate) member: Member,
    pub(crate) at: Timestamp,
    /// The only window that it counts in, if it names one.
    pub(crate) only: Option<Window>,
}

impl Asked {
    /// Returns the maximum bytes of the standings after it.
    fn bytes_max(&self) -> usize {
        let (board, member) = (&self.board, self.member.as_str());
        let names = board.kind().as_str().len() + board.subject().as_str().len() + member.len();
        let windows = match self.only {
            Some(_) => 1,
            None => self.kind.windows().len(),
        };
        WRITTEN_BYTES + ESCAPED_BYTES_MAX * names + WINDOW_BYTES * windows
    }

    /// Returns the windows in which it will count, if nothing closes in the meantime.
    fn windows(&self, now: Timestamp) -> Vec<Window> {
        match self.only {
            Some(only) => vec![only],
            None => self
                .kind
                .admit(self.at, now)
                .map_or(Vec::new(), |windows| windows.to_vec()),
        }
    }
}

/// The contributions of a request whose standings are asked for.
pub(crate) struct AskedStandings {
    wanted: Return,
    asked: Vec<Asked>,
    /// The rank in a window before the contributions, by place in `asked`. Those that could not be read are missing.
    previous: HashMap<(usize, Window), Option<u64>>,
}

/// One window of a board, and the entries of a request in it, each with its place.
type Groups<T> = HashMap<(Arc<BoardName>, Window), (Arc<Kind>, T)>;

impl AskedStandings {
    pub(crate) fn new(wanted: Return) -> Self {
        Self {
            wanted,
            asked: Vec::new(),
            previous: HashMap::new(),
        }
    }

    /// Returns whether the store is to return standings.
    pub(crate) fn are_wanted(&self) -> bool {
        self.wanted != Return::Nothing
    }

    /// Returns how many there are: contributions, each on each of its boards.
    pub(crate) const fn len(&self) -> usize {
        self.asked.len()
    }

    pub(crate) fn push(&mut self, asked: Asked) {
        self.asked.push(asked);
    }

    /// Returns the maximum bytes of all of them.
    pub(crate) fn bytes_max(&self) -> usize {
        self.asked.iter().map(Asked::bytes_max).sum()
    }

    /// Reads the ranks before the contributions, if they are asked for.
    pub(crate) async fn read_previous(&mut self, app: &App) {
        if self.wanted != (Return::Ranks { previous: true }) {
            return;
        }
        let now = app.now();
        let mut groups = Groups::<Vec<(usize, Member)>>::new();
        for (place, asked) in self.asked.iter().enumerate() {
            for window in asked.windows(now) {
                let (_, members) = groups
                    .entry((asked.board.clone(), window))
                    .or_insert_with(|| (asked.kind.clone(), Vec::new()));
                members.push((place, asked.member.clone()));
            }
        }
        let reads = parts_of(groups).map(|(board, kind, window, asked)| {
            let read = async move {
                let (places, members): (Vec<usize>, Vec<Member>) = asked.into_iter().unzip();
                let read = app.merger.lookup(&board, &kind, window, &members).await;
                let found = read.map_or(Vec::new(), |read| read.value);
                let ranks = found
                    .into_iter()
                    .map(|found| found.ranked().map(|it| it.rank));
                let windows = places.into_iter().map(move |place| (place, window));
                windows.zip(ranks).collect::<Vec<_>>()
            };
            read.boxed()
        });
        self.previous.extend(read_all(app, reads.collect()).await);
    }

    /// Returns the standings of those that were applied or duplicates, given the outcome of each.
    pub(crate) async fn after(
        self,
        app: &App,
        written: &[&WriteOutcome],
    ) -> Vec<MemberStandingsShape> {
        let mut shapes: Vec<MemberStandingsShape> = Vec::with_capacity(written.len());
        let mut groups = Groups::<CurrentKeys>::new();
        for (place, (asked, written)) in self.asked.iter().zip(written).enumerate() {
            let Some(standings) = written.standings() else {
                continue;
            };
            let rules = asked.kind.rules();
            let is_hidden = asked.kind.hidden().contains(&asked.member);
            let mut windows = Vec::with_capacity(standings.len());
            for held in standings {
                let values = rules.values(&held.standing);
                let reached_at = rules.reached_at(&held.standing);
                let mut shape =
                    WindowStandingShape::of(&asked.kind, held.window, &values, reached_at);
                shape.previous_rank = self.previous.get(&(place, held.window)).copied();
                match self.wanted {
                    Return::Ranks { .. } if is_hidden => shape.put_rank(None),
                    Return::Ranks { .. } => {
                        let words = rules.rank_words_of(&held.standing);
                        let key = rules.rank_key(words, asked.member.clone());
                        let (_, keys) = groups
                            .entry((asked.board.clone(), held.window))
                            .or_insert_with(|| (asked.kind.clone(), CurrentKeys::new()));
                        let (current, places) = keys
                            .entry(asked.member.clone())
                            .or_insert_with(|| (key.clone(), Vec::new()));
                        // Those of a member are in the order in which they were applied.
                        *current = key;
                        places.push((shapes.len(), windows.len()));
                    }
                    Return::Nothing | Return::Standings => {}
                }
                windows.push(shape);
            }
            shapes.push(MemberStandingsShape {
                index: asked.index,
                board: asked.board.to_string(),
                member: asked.member.to_string(),
                windows,
            });
        }
        let parts = parts_of(groups);
        let reads = parts.map(|(board, kind, window, asked)| {
            let read = async move {
                let (keys, places): (Vec<RankKey>, Vec<Places>) = asked.into_values().unzip();
                let read = app.merger.positions_of(&board, &kind, window, &keys).await;
                // A standing is reported even if its rank cannot be read.
                let found = read.map_or(Vec::new(), |read| read.value);
                places.into_iter().zip(found).collect::<Vec<_>>()
            };
            read.boxed()
        });
        for (places, found) in read_all(app, reads.collect()).await {
            for (shape, window) in places {
                shapes[shape].windows[window].put_rank(found);
            }
        }
        shapes
    }
}

/// Where a rank is put: a shape, and a window of it.
type Places = Vec<(usize, usize)>;

/// The current key of each member of a request in one window, and where its rank is put.
type CurrentKeys = HashMap<Member, (RankKey, Places)>;

/// Divides the entries of windows into reads.
fn parts_of<T, One>(
    groups: Groups<T>,
) -> impl Iterator<Item = (Arc<BoardName>, Arc<Kind>, Window, T)>
where
    T: IntoIterator<Item = One> + FromIterator<One>,
{
    groups
        .into_iter()
        .flat_map(|((board, window), (kind, all))| {
            let mut all = all.into_iter().peekable();
            let parts = std::iter::from_fn(move || {
                all.peek()?;
                Some(all.by_ref().take(PART_MAX).collect::<T>())
            });
            parts.map(move |part| (board.clone(), kind.clone(), window, part))
        })
}

/// Makes reads, as many at a time as the store takes. Those that take too long are left out.
async fn read_all<T: Send>(app: &App, reads: Vec<BoxFuture<'_, Vec<T>>>) -> Vec<T> {
    let reads_max = if app.router.store().capabilities().whole_boards {
        1
    } else {
        READS_MAX
    };
    let until = Instant::now() + READ_FOR;
    let mut reads = stream::iter(reads).buffer_unordered(reads_max);
    let mut all = Vec::new();
    while let Ok(Some(read)) = timeout_at(until, reads.next()).await {
        all.extend(read);
        yield_now().await;
    }
    all
}
