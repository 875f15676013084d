//! `megaboard load`: a live stream played to a server.
//!
//! ```text
//! pace ─► permit ─► request ─► tally ─► report
//! ```
//!
//! Writes and reads each have a `pace::Pace`: an open loop, in which a request is due by the clock and
//! not by the answer to the one before. What is asked is drawn from one seed (`viewers`); what came of
//! it is counted in one place (`tally`). The requests are those of `megaboard-client`, with its retries.

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
/// How long a request is tried, so that a server that comes back is gone on with.
const GIVE_UP_AFTER: Duration = Duration::from_secs(10);

/// Runs the command.
pub fn run(args: &LoadArgs) -> Result<ExitCode, Box<dyn Error>> {
    let cores = std::thread::available_parallelism()?;
    Runtime::with_threads(cores.get())?.block_on(play(args))
}

async fn play(args: &LoadArgs) -> Result<ExitCode, Box<dyn Error>> {
    let board = |client: &Client| client.board(args.board.kind(), args.board.subject());
    // What is wrong with the server, the key or the board is better reported at once, before anything begins.
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
    let begun = Instant::now();
    let end = ask_all(args, &stage, begun).await;
    let counts = stage.tally.take();
    terminal::print(&report::render(&counts, begun.elapsed(), end.unsent))?;
    Ok(match (end.interrupted, counts.is_clean()) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::FAILURE,
    })
}

/// How a load ended.
struct End {
    interrupted: bool,
    /// Requests that were due while there was no permit for them.
    unsent: u64,
}

/// All that is asked, until time is over or somebody presses Ctrl-C, and nothing is under way.
async fn ask_all(args: &LoadArgs, stage: &Arc<Stage>, begun: Instant) -> End {
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
        () = progress(&stage.tally, begun) => unreachable!("it goes on for ever"),
        _ = tokio::signal::ctrl_c() => End { interrupted: true, unsent: 0 },
    };
    // A request returns its permit when it is answered: with all of them nothing is in flight. A second
    // Ctrl-C does not wait for that.
    tokio::select! {
        _ = permits.acquire_many(args.concurrency) => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    drop(streams);
    end
}

/// Sends what the plan says when it is due, until the pace ends or time is over; returns how many requests
/// there was no permit for.
async fn drive(
    mut pace: Pace,
    mut plan: Plan,
    stage: &Arc<Stage>,
    permits: &Arc<Semaphore>,
) -> u64 {
    let over = pace.over();
    let mut sent = 0;
    while let Some(due) = pace.next().await {
        let Ok(permit) = tokio::time::timeout_at(over, permits.clone().acquire_owned()).await
        else {
            break;
        };
        let permit = permit.expect("the permits are never closed");
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

/// Shows how it goes where standard error is a terminal.
async fn progress(tally: &Tally, begun: Instant) {
    let bar = ProgressBar::no_length();
    bar.set_style(ProgressStyle::default_spinner());
    let mut ticks = interval(PROGRESS_SHOWN_EVERY);
    let mut before = (0, 0, 0);
    loop {
        ticks.tick().await;
        let now = tally.so_far();
        bar.set_message(format!(
            "{} s: {} contributions, {} reads, {} boards of streams in the last second",
            begun.elapsed().as_secs(),
            now.0 - before.0,
            now.1 - before.1,
            now.2 - before.2,
        ));
        bar.tick();
        before = now;
    }
}
