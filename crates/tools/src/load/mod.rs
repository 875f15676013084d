//! `megaboard load`: sends the requests of a simulated live stream to a server.
//!
//! ```text
//! pace ─► permit ─► request ─► tally ─► report
//! ```
//!
//! Writes and reads each have a `pace::Pace`: an open loop, in which the clock determines when a request is due, not
//! the response to the one before. Requests are random, from one seed (`viewers`), and sent by `megaboard-client`, with
//! its retries. `tally` counts the outcomes.

mod args;
mod pace;
mod report;
mod requests;
mod tally;
mod viewers;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use indicatif::ProgressBar;
use indicatif::style::ProgressStyle;
use megaboard_client::{Client, RetryPolicy};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval};

pub use self::args::LoadArgs;

use self::pace::Pace;
use self::requests::{Plan, Stage};
use self::tally::Tally;
use self::viewers::Viewers;
use crate::delivery::INTERRUPTED;
use crate::runtime::Runtime;
use crate::terminal;

const PROGRESS_SHOWN_EVERY: Duration = Duration::from_secs(1);
/// How long requests are retried, so that the load continues after a restart of the server.
const GIVE_UP_AFTER: Duration = Duration::from_secs(10);

/// Runs the command.
pub fn run(args: &LoadArgs) -> Result<ExitCode, Box<dyn Error>> {
    let cores = std::thread::available_parallelism()?;
    Runtime::with_threads(cores.get())?.block_on(play(args))
}

async fn play(args: &LoadArgs) -> Result<ExitCode, Box<dyn Error>> {
    let board = |client: &Client| client.board(args.board.kind(), args.board.subject());
    // Reports an error of the server, the key or the board before the load begins.
    let probe = args.server.client_with(RetryPolicy::none())?;
    board(&probe).top().n(1).await?;
    let retry = RetryPolicy {
        give_up_after: GIVE_UP_AFTER,
        ..RetryPolicy::default()
    };
    let client = args.server.client_with(retry)?;
    let stage = Arc::new(Stage {
        board: board(&client),
        client,
        with_ids: !args.without_ids,
        tally: Tally::default(),
    });
    let start = Instant::now();
    let end = send_all(args, &stage, start).await;
    let counts = stage.tally.take();
    terminal::print(&report::render(&counts, start.elapsed(), end.unsent))?;
    Ok(match (end.interrupted, counts.is_clean()) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::FAILURE,
    })
}

/// The end of a load.
struct End {
    interrupted: bool,
    /// Requests that were due, but got no permit in time.
    unsent: u64,
}

/// Sends all requests until the time is over or Ctrl-C is pressed, and waits for those in flight.
async fn send_all(args: &LoadArgs, stage: &Arc<Stage>, start: Instant) -> End {
    let streams: JoinSet<()> = (0..args.streams)
        .map(|_| requests::watch(stage.clone()))
        .collect();
    let permits = Arc::new(Semaphore::new(args.concurrency as usize));
    let viewers = |salt| Viewers::new(args.members, args.seed ^ salt);
    let requests = args.rate / f64::from(args.batch);
    let writes = Plan::write(viewers(0), args.batch);
    let reads = Plan::read(viewers(u64::MAX));
    let all = async {
        tokio::join!(
            drive(Pace::new(requests, args.duration), writes, stage, &permits),
            drive(Pace::new(args.reads, args.duration), reads, stage, &permits),
            tokio::time::sleep(args.duration),
        )
    };
    let end = tokio::select! {
        (writes, reads, ()) = all => End { interrupted: false, unsent: writes + reads },
        () = progress(&stage.tally, start) => unreachable!("an endless loop"),
        _ = tokio::signal::ctrl_c() => End { interrupted: true, unsent: 0 },
    };
    // A request returns its permit when it is complete, so that none is in flight when all permits are available. A
    // second Ctrl-C ends the wait.
    tokio::select! {
        _ = permits.acquire_many(args.concurrency) => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    drop(streams);
    end
}

/// Sends the requests of a plan when they are due, until the pace ends or the time is over. Returns the number of
/// requests that got no permit in time.
async fn drive(
    mut pace: Pace,
    mut plan: Plan,
    stage: &Arc<Stage>,
    permits: &Arc<Semaphore>,
) -> u64 {
    let end = pace.end();
    let mut sent = 0;
    while let Some(due) = pace.next().await {
        let Ok(permit) = tokio::time::timeout_at(end, permits.clone().acquire_owned()).await else {
            break;
        };
        let permit = permit.expect("the semaphore is never closed");
        let request = plan.next();
        let stage = stage.clone();
        sent += 1;
        tokio::spawn(async move {
            request.send(&stage, due).await;
            drop(permit);
        });
    }
    u64::from(pace.planned()) - sent
}

/// Shows the progress, if standard error is a terminal.
async fn progress(tally: &Tally, start: Instant) {
    let bar = ProgressBar::no_length();
    bar.set_style(ProgressStyle::default_spinner());
    let mut ticks = interval(PROGRESS_SHOWN_EVERY);
    let mut before = (0, 0, 0);
    loop {
        ticks.tick().await;
        let now = tally.so_far();
        bar.set_message(format!(
            "{} s: {} contributions, {} reads, {} boards of streams in the last second",
            start.elapsed().as_secs(),
            now.0 - before.0,
            now.1 - before.1,
            now.2 - before.2,
        ));
        bar.tick();
        before = now;
    }
}
