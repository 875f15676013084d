//! Measures the size of a snapshot, its effect on writers, and the time to start from it.
//!
//! Contributions are sent to a board with five windows until the server has taken a snapshot. Further ones follow, so
//! that a start reads both the snapshot and a journal after it.

use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use benches::contributions::Contributions;
use benches::figures::number;
use benches::home::{BATCH, Home};
use benches::http::{Connection, apply_all};

use crate::folder;
use crate::ours::{self, FIVE};
use crate::settings::{Settings, Store};
use crate::writers::{Timing, Writers};

/// The number of connections whose contributions are timed.
const TIMED: u64 = 4;

/// The interval of batches: 100,000 contributions per second, which does not use all of the machine.
const INTERVAL: Duration = Duration::from_millis(10);

/// The minimum time for which writers are timed without a snapshot.
const CALM: Duration = Duration::from_secs(3);

/// The maximum wait for a snapshot.
const SNAPSHOT_WAIT_MAX: Duration = Duration::from_mins(3);

/// The interval at which the folder is checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(2);

/// The number of contributions after the snapshot, for the journal that a start replays.
const AFTER_SNAPSHOT: u64 = 500_000;

/// The figures of one round.
#[derive(Clone, Copy)]
pub(crate) struct Snapshots {
    /// Bytes of the snapshot per member, in five windows.
    pub(crate) bytes: f64,
    /// The duration of writing the snapshot, in seconds.
    pub(crate) written_s: f64,
    /// The slowest contribution without a snapshot, in milliseconds.
    pub(crate) slowest_ms: f64,
    /// The slowest contribution during a snapshot, in milliseconds.
    pub(crate) slowest_during_ms: f64,
    /// The time from the start of the process until it listens, in seconds.
    pub(crate) start_s: f64,
    /// The bytes of the journal at the start.
    pub(crate) journal_bytes: f64,
}

/// Measures all figures, on one folder.
pub(crate) fn measure(settings: &Settings) -> io::Result<Snapshots> {
    loop {
        let ours = ours::start(settings, Store::Embedded)?;
        ours.fill(&mut Contributions::to(FIVE, settings.members, 0))?;
        let (timed, spans) = write_through_snapshot(settings, &ours)?;
        let is_during = |timing: &Timing| spans.iter().any(|span| span.overlaps(*timing));
        let slowest = |during: bool| {
            let timings = timed.iter().filter(|timing| is_during(timing) == during);
            let slowest = timings.map(|timing| timing.end - timing.start).max();
            slowest.unwrap_or_default().as_secs_f64() * 1e3
        };
        let (slowest_ms, slowest_during_ms) = (slowest(false), slowest(true));
        let last = spans.last().map(Span::length).unwrap_or_default();

        write_after_snapshot(settings, &ours)?;
        let journal_bytes = number(folder::journal_bytes(&ours.data())?);
        let snapshot_bytes = newest_bytes(&ours.data())?;
        let before = ours::windows_with(&ours, FIVE, settings.members)?;
        let (ours, start) = ours.restart()?;
        let after = ours::windows_with(&ours, FIVE, settings.members)?;
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
            let reason = format!("{before} full windows before the start, {after} after it");
            return Err(io::Error::other(reason));
        }
        eprintln!("a new hour has begun, so a window is empty: measuring again");
    }
}

/// The time during which a snapshot was written.
#[derive(Clone, Copy)]
struct Span {
    start: Instant,
    end: Instant,
}

impl Span {
    fn length(&self) -> Duration {
        self.end - self.start
    }

    /// Returns whether a contribution was in flight during the snapshot, or shortly before, since the file is created
    /// after the snapshot has begun.
    fn overlaps(&self, timing: Timing) -> bool {
        const BEFORE: Duration = Duration::from_millis(200);
        timing.end + BEFORE >= self.start && timing.start <= self.end
    }
}

/// Writes until there was a complete snapshot, and [`CALM`] without one.
fn write_through_snapshot(
    settings: &Settings,
    ours: &Home,
) -> io::Result<(Vec<Timing>, Vec<Span>)> {
    let address = ours.server.address;
    let stream = |seed| Contributions::to(FIVE, settings.members, seed);
    // Filling the board may have started a snapshot, which is not measured.
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
    let timings = writers.end()?;
    Ok((timings, watched?))
}

/// Checks the folder until `is_done` returns true. It gets whether a snapshot is being written, and the times of
/// earlier ones.
fn watch(folder: &Path, is_done: impl Fn(bool, &[Span]) -> bool) -> io::Result<Vec<Span>> {
    let begun = Instant::now();
    let mut spans: Vec<Span> = Vec::new();
    let mut start: Option<Instant> = None;
    loop {
        let is_writing = folder::is_writing_snapshot(folder)?;
        let now = Instant::now();
        if is_writing {
            start.get_or_insert(now);
        } else if let Some(start) = start.take() {
            spans.push(Span { start, end: now });
        }
        if is_done(is_writing, &spans) {
            return Ok(spans);
        }
        if begun.elapsed() > SNAPSHOT_WAIT_MAX {
            let seconds = SNAPSHOT_WAIT_MAX.as_secs();
            return Err(io::Error::other(format!(
                "there was no snapshot within {seconds} s"
            )));
        }
        thread::sleep(CHECK_INTERVAL);
    }
}

/// Sends further contributions, and waits for the end of a snapshot that they may start.
fn write_after_snapshot(settings: &Settings, ours: &Home) -> io::Result<()> {
    let mut stream = Contributions::to(FIVE, settings.members, TIMED + 2);
    let mut connection = Connection::open(ours.server.address)?;
    for _ in 0..AFTER_SNAPSHOT / BATCH {
        let members = stream.random_members(BATCH);
        apply_all(&mut connection, &stream.lines(&members))?;
    }
    watch(&ours.data(), |writing, _| !writing).map(drop)
}

fn newest_bytes(folder: &Path) -> io::Result<u64> {
    let snapshots = folder::snapshots(folder)?;
    let newest = snapshots.last();
    let newest = newest.ok_or_else(|| io::Error::other("the folder has no snapshot"))?;
    Ok(newest.metadata()?.len())
}
