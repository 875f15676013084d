//! What a snapshot takes on disk, what it does to writers, and how long a start from it takes.
//!
//! A board with five windows is written to until a snapshot has come and gone by itself; then some
//! more, so that a start finds both a snapshot and a journal behind it.

use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use benches::contributions::Contributions;
use benches::figures::number;
use benches::http::{Connection, apply_all};

use crate::ours::{BATCH, FIVE, Ours};
use crate::writers::{Took, Writers};
use crate::{Settings, Store, folder};

/// Connections whose contributions are timed.
const TIMED: u64 = 4;

/// Between one batch and the next: 100,000 contributions a second, which leaves the machine room.
const INTERVAL: Duration = Duration::from_millis(10);

/// How long writers are timed without a snapshot, in all.
const CALM: Duration = Duration::from_secs(3);

/// How long a snapshot is waited for.
const SNAPSHOT_WAIT_MAX: Duration = Duration::from_mins(3);

/// Between two looks at the folder.
const LOOK_INTERVAL: Duration = Duration::from_millis(2);

/// Contributions behind the snapshot, for the journal that a start replays.
const BEHIND: u64 = 500_000;

/// What one round gave.
#[derive(Clone, Copy)]
pub(crate) struct Snapshots {
    /// Bytes a member in five windows.
    pub(crate) bytes: f64,
    /// How long one took to be written, in seconds.
    pub(crate) written_s: f64,
    /// The slowest contribution while none was written, in milliseconds.
    pub(crate) slowest_ms: f64,
    /// The same while one was.
    pub(crate) slowest_during_ms: f64,
    /// Seconds from the start of the process until it listens.
    pub(crate) start_s: f64,
    /// Bytes of the journal that it started with.
    pub(crate) journal_bytes: f64,
}

/// Measures all of it, on one folder.
pub(crate) fn measure(settings: &Settings) -> io::Result<Snapshots> {
    loop {
        let ours = Ours::start(settings, Store::Embedded)?;
        ours.fill(&mut Contributions::to(FIVE, settings.members, 0))?;
        let (timed, spans) = write_through_snapshot(settings, &ours)?;
        let during = |took: &Took| spans.iter().any(|span| span.touches(*took));
        let slowest = |wanted: bool| {
            let some = timed.iter().filter(|took| during(took) == wanted);
            let slowest = some.map(|took| took.until - took.from).max();
            slowest.unwrap_or_default().as_secs_f64() * 1e3
        };
        let (slowest_ms, slowest_during_ms) = (slowest(false), slowest(true));
        let last = spans.last().map(Span::length).unwrap_or_default();

        write_behind(settings, &ours)?;
        let journal_bytes = number(folder::journal_bytes(&ours.data())?);
        let snapshot_bytes = newest_bytes(&ours.data())?;
        let before = ours.windows_with(FIVE, settings.members)?;
        let (ours, start) = ours.kill_and_start()?;
        let after = ours.windows_with(FIVE, settings.members)?;
        if after == before && before >= 5 {
            return Ok(Snapshots {
                bytes: number(snapshot_bytes) / number(settings.members),
                written_s: last.as_secs_f64(),
                slowest_ms,
                slowest_during_ms,
                start_s: start.as_secs_f64(),
                journal_bytes,
            });
        }
        if before >= 5 {
            let what = format!("{before} full windows before the start, {after} after it");
            return Err(io::Error::other(what));
        }
        eprintln!("the hour has turned, which empties a window: measured again");
    }
}

/// When a snapshot was being written.
#[derive(Clone, Copy)]
struct Span {
    from: Instant,
    until: Instant,
}

impl Span {
    fn length(&self) -> Duration {
        self.until - self.from
    }

    /// Whether the contribution was under way meanwhile, or shortly before: the file is made once
    /// the snapshot has begun.
    fn touches(&self, took: Took) -> bool {
        const BEFORE: Duration = Duration::from_millis(200);
        took.until + BEFORE >= self.from && took.from <= self.until
    }
}

/// Writes until a snapshot was seen from its beginning to its end, and long enough without one.
fn write_through_snapshot(settings: &Settings, ours: &Ours) -> io::Result<(Vec<Took>, Vec<Span>)> {
    let address = ours.server.address;
    let stream = |seed| Contributions::to(FIVE, settings.members, seed);
    // One that the filling has set off is let go by.
    watch(&ours.data(), |writing, _| !writing)?;
    let mut writers = Writers::none();
    for seed in 1..=TIMED {
        writers.singles(address, stream(seed));
    }
    writers.batches(address, INTERVAL, stream(TIMED + 1));
    let begun = Instant::now();
    let watched = watch(&ours.data(), |writing, spans| {
        let busy: Duration = spans.iter().map(Span::length).sum();
        let calm = begun.elapsed().saturating_sub(busy) >= CALM;
        writers.any_ended() || (calm && !writing && !spans.is_empty())
    });
    let took = writers.end()?;
    Ok((took, watched?))
}

/// Looks at the folder until `enough` says so, which is told whether a snapshot is being written and
/// when others were.
fn watch(folder: &Path, enough: impl Fn(bool, &[Span]) -> bool) -> io::Result<Vec<Span>> {
    let begun = Instant::now();
    let mut spans: Vec<Span> = Vec::new();
    let mut from: Option<Instant> = None;
    loop {
        let writing = folder::is_writing_snapshot(folder)?;
        let now = Instant::now();
        if writing {
            from.get_or_insert(now);
        } else if let Some(from) = from.take() {
            spans.push(Span { from, until: now });
        }
        if enough(writing, &spans) {
            return Ok(spans);
        }
        if begun.elapsed() > SNAPSHOT_WAIT_MAX {
            let seconds = SNAPSHOT_WAIT_MAX.as_secs();
            return Err(io::Error::other(format!("no snapshot came in {seconds} s")));
        }
        thread::sleep(LOOK_INTERVAL);
    }
}

/// Some more contributions, and the end of a snapshot that they may set off.
fn write_behind(settings: &Settings, ours: &Ours) -> io::Result<()> {
    let mut stream = Contributions::to(FIVE, settings.members, TIMED + 2);
    let mut connection = Connection::open(ours.server.address)?;
    for _ in 0..BEHIND / BATCH {
        let members = stream.anyone(BATCH);
        apply_all(&mut connection, &stream.lines(&members))?;
    }
    watch(&ours.data(), |writing, _| !writing).map(drop)
}

fn newest_bytes(folder: &Path) -> io::Result<u64> {
    let snapshots = folder::snapshots(folder)?;
    let newest = snapshots.last();
    let newest = newest.ok_or_else(|| io::Error::other("the folder holds no snapshot"))?;
    Ok(newest.metadata()?.len())
}
