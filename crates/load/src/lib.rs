//! `megaboard load`: sends the requests of many rooms to a server, at a rate that does not depend on its responses, and
//! reports percentiles of latency.
//!
//! ```text
//! arrivals ─► request (scenario) ─► outstanding? ─► connection ─► tally ─► report, results
//!                                       └─► missed
//! ```
//!
//! `arrivals` are the times at which requests are due, `scenario` the requests, both from one seed. `drive` sends each
//! request when it is due, by a free connection (`connections`). What waits for one is limited; requests beyond that
//! are counted as missed. Latency is counted from the time at which a request was due, so a server that stalls delays
//! all requests that were due meanwhile.

mod args;
mod arrivals;
mod clean;
mod connections;
mod drive;
mod fill;
mod mix;
mod report;
mod request;
mod results;
mod rooms;
mod scenario;
mod tally;

#[cfg(test)]
mod tests;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use commands::{INTERRUPTED, Stop, terminal};
use indicatif::ProgressBar;
use indicatif::style::ProgressStyle;
use megaboard_client::RetryPolicy;
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

pub use self::args::LoadArgs;

use self::arrivals::Arrivals;
use self::connections::Connections;
use self::drive::Driver;
use self::report::Capacity;
use self::scenario::Scenario;
use self::tally::Tally;

const PROGRESS_SHOWN_EVERY: Duration = Duration::from_secs(1);

/// How long the capacity is measured, at most the duration of the load. A quarter of it is not counted.
const CAPACITY_MEASURED_FOR: Duration = Duration::from_mins(1);

/// Runs the command.
pub fn run(args: &LoadArgs) -> Result<ExitCode, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    // Reports an error of the server, the key or the kind before the load begins.
    let probe = args.server.client_with(RetryPolicy::none())?;
    runtime.block_on(async { probe.board(&args.kind, "load-1").top().n(1).await })?;
    if args.clean {
        runtime.block_on(clean::check(&probe, args))?;
    }
    if let Some(folder) = &args.results {
        results::create(folder)?;
    }
    let stop = runtime.block_on(async { Stop::on_signals() })?;
    let signalled = stop.clone();
    runtime.spawn(async move {
        signalled.requested().await;
        terminal::report("waiting for responses to what was sent; Ctrl-C ends at once");
    });
    let status = measure(args, &runtime, &stop);
    let boards = format!("{0}/load-1 to {0}/load-{1}", args.kind, args.rooms);
    if args.clean {
        let client = args.server.client()?;
        let deleted = runtime.block_on(clean::clean(&client, args));
        let deleted = deleted
            .map_err(|error| format!("not all of the boards {boards} were deleted: {error}"))?;
        terminal::report(&format!("{deleted} boards were deleted"));
    } else if args.writes() {
        terminal::report(&format!(
            "the boards {boards} remain: with --clean they are deleted"
        ));
    }
    status
}

/// Runs the load and prints its counts.
fn measure(args: &LoadArgs, runtime: &Runtime, stop: &Stop) -> Result<ExitCode, Box<dyn Error>> {
    let scenario = Scenario::new(args);
    let connections = Arc::new(Connections::new(args, scenario.rooms().clone())?);
    if args.fill {
        let filled = fill::fill(&connections, stop, runtime.handle())?;
        terminal::report(&format!("{filled} members have contributed"));
    }
    let capacity = args.of_capacity.map(|_| {
        let span = CAPACITY_MEASURED_FOR.min(args.duration);
        let driver = Driver::new(&connections, stop, runtime.handle(), 2 * args.connections);
        let rate = driver.capacity(scenario.with_other_seed(), span);
        Capacity::new(rate, &driver.tally().take())
    });
    let rate = match (&capacity, args.of_capacity) {
        (Some(capacity), _) if capacity.rate <= 0.0 && !stop.is_requested() => {
            return Err(capacity.none().into());
        }
        (Some(capacity), Some(percent)) => capacity.rate * percent / 100.0,
        _ => args.rate,
    };
    let driver = Driver::new(&connections, stop, runtime.handle(), args.outstanding);
    let streams: JoinSet<()> = {
        let _entered = runtime.enter();
        let rooms = scenario.with_other_seed().subjects(args.streams);
        let streams = rooms.map(|room| request::watch(connections.clone(), driver.tally(), room));
        streams.collect()
    };
    let shown = runtime.spawn(progress(driver.tally(), Instant::now()));
    let start = Instant::now();
    driver.open_loop(Arrivals::new(rate, args.duration, args.seed), scenario);
    let elapsed = start.elapsed();
    shown.abort();
    drop(streams);
    let outcome = report::Outcome {
        counts: driver.tally().take(),
        elapsed,
        rate,
        capacity,
    };
    let text = |_: &Value| report::render(&outcome, args);
    args.result.print(&results::json(&outcome, args), text)?;
    if let Some(folder) = &args.results {
        results::write(folder, &outcome, args)?;
    }
    Ok(if stop.is_requested() {
        ExitCode::from(INTERRUPTED)
    } else {
        commands::status(outcome.counts.is_clean())
    })
}

/// Shows the progress, if standard error is a terminal.
async fn progress(tally: Arc<Tally>, start: Instant) {
    let bar = ProgressBar::no_length();
    bar.set_style(ProgressStyle::default_spinner());
    let mut ticks = tokio::time::interval(PROGRESS_SHOWN_EVERY);
    let mut before = (0, 0);
    loop {
        ticks.tick().await;
        let now = tally.so_far();
        bar.set_message(format!(
            "{} s: {} requests, {} boards of streams in the last second",
            start.elapsed().as_secs(),
            now.0 - before.0,
            now.1 - before.1,
        ));
        bar.tick();
        before = now;
    }
}
