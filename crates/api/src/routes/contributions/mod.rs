//! `POST /v1/contributions`: one object, an array, or a stream of lines of any length.
//!
//! Contributions are read in chunks of [`CHUNK_MAX`]: each is checked by its shape, then by its kind's fields, and put
//! into its boards' batches; the chunk is written, and its outcomes are counted; then the next chunk is read. A
//! contribution to several boards becomes a write for each. So a stream needs the memory of one chunk, which counts in
//! the share of writes ([`write_memory`]), and its writes stay in order. The chunk of a slow stream is written
//! [`CHUNK_WAIT`] after its first line. When the server stops, a stream ends with what it has read.

mod chunk;
mod standings;
#[cfg(test)]
mod tests;
mod write_memory;

use std::ops::Range;
use std::pin::pin;
use std::time::Duration;

use access::{Caller, Scope};
use futures::FutureExt as _;
use http_server::{BodyLine, LINE_BYTES_MAX, LINES, Lines, Whole};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep};
#[cfg(test)]
use wire::ContributionShape;
use wire::problem::{Problem, ProblemType};

use self::chunk::{Acquired, Chunk};
pub(crate) use self::standings::{Asked, AskedStandings, Return, ReturnWord, WindowStandingShape};
use crate::app::App;
use crate::call::{Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;
use crate::query::query;
use crate::receipts::{Ended, Receipt};

/// Maximum duration of the lines of a request that asks for standings.
const WHOLE_WAIT: Duration = Duration::from_secs(10);

/// Maximum contributions that are written together.
const CHUNK_MAX: usize = 1000;

/// How long the first line of a chunk waits for further ones.
const CHUNK_WAIT: Duration = Duration::from_millis(100);

/// Maximum contributions of a request that asks for standings, counted on each of their boards.
const STANDINGS_MAX: usize = CHUNK_MAX;

/// Failures after which a stream of lines ends early.
const FAILED_MAX: u64 = 1000;

/// What a request asks for beside its contributions.
#[derive(Debug, Clone, Copy)]
struct AskedOfWrite {
    returned: Return,
    /// How long to wait for a store that is unavailable, for each chunk.
    wait: Option<Duration>,
}

/// A body as the document shows it; the server reads it in chunks.
#[cfg(test)]
#[derive(utoipa::ToSchema)]
#[schema(as = Contributions, description = "One contribution, or an array of them: at most 100,000.")]
#[serde(untagged)]
#[expect(dead_code, reason = "a schema is made of it")]
enum BodyShape {
    One(ContributionShape<'static>),
    Many(Vec<ContributionShape<'static>>),
}

query! {
    struct ContributionsParams {
        /// Returns the standings after each contribution (`standings`), or also the ranks (`ranks`); for at most 1,000
        /// contributions.
        #[param(nullable = false, inline)]
        r#return: Option<ReturnWord>,
        /// With `return=ranks`: also returns the rank of each member right before the request.
        #[param(nullable = false, default = false)]
        previous_rank: Option<bool>,
    }
}

/// Add contributions: one, an array, or a stream of lines of any length
///
/// Each contribution is applied completely or not at all; a rejected one does not affect the others. A
/// contribution with an `id` counts once within the kind's dedupe span, however often it is sent. If a single
/// object is rejected, the response is the problem; if all of an array or a stream are, it is `nothing-applied` with
/// the receipt. The lines of a stream are applied in batches of 1,000, or of
/// those received within 100 ms.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/contributions", operation_id = "contribute", tag = "Contributions",
    params(ContributionsParams, OfWait),
    request_body(content((BodyShape = "application/json"), (String = "application/x-ndjson"))),
    responses((status = 200, body = Receipt), problems::OfBatch),
))]
pub(crate) async fn add(call: Box<Call>) -> HandlerResult {
    let params: ContributionsParams = call.params()?;
    let asked = AskedOfWrite {
        returned: Return::of(params.r#return, params.previous_rank)?,
        wait: call.write_wait(),
    };
    let mut receipt = Receipt::new(&call.app.memory.receipts, call.responses.reservation());
    let is_lines = match &*http_server::media_type(&call.headers) {
        "application/json" => false,
        LINES => true,
        other => {
            let detail =
                format!("content-type: {other:?} is not application/json or application/x-ndjson");
            return Err(Problem::new(ProblemType::UnsupportedMediaType, detail));
        }
    };
    // Boxed where the future is large and not that of most requests.
    let end = if is_lines {
        let read = Lines::new(&call.app.memory.bodies, call.take_body());
        let lines = lines(&call.app, &call.caller, read, asked, &mut receipt);
        lines.boxed().await?
    } else {
        let whole = call.whole().await?;
        let (app, caller) = (&call.app, &call.caller);
        if whole.trim_ascii_start().first() == Some(&b'[') {
            let items = array(app, caller, whole, asked, &mut receipt);
            items.boxed().await?
        } else {
            object(app, caller, &whole, asked, &mut receipt).await?;
            if let Some(problem) = receipt.refusal() {
                return Err(problem);
            }
            Ended::Whole
        }
    };
    Ok(receipt.answer(&end))
}

/// Writes a single object.
async fn object(
    app: &App,
    caller: &Caller,
    text: &[u8],
    asked: AskedOfWrite,
    receipt: &mut Receipt,
) -> Result<(), Problem> {
    let mut counted = app.metrics.writes.request();
    let mut chunk = Chunk::new(app, caller, asked);
    if let Acquired::No(problem) = chunk.acquire(1).await {
        return Err(problem);
    }
    counted.add(1);
    let added = chunk.add_object(0, text, app.now()).await;
    added.inspect_err(|problem| app.metrics.writes.reject(problem.kind))?;
    chunk.write(receipt).await
}

/// Writes the items of an array.
async fn array(
    app: &App,
    caller: &Caller,
    mut whole: Whole,
    asked: AskedOfWrite,
    receipt: &mut Receipt,
) -> Result<Ended, Problem> {
    let mut counted = app.metrics.writes.request();
    let items = http_server::items_from_json(&mut whole, http_server::ARRAY_ITEMS_MAX)?;
    if asked.returned != Return::Nothing {
        check_count(items.len())?;
    }
    counted.add(items.len());
    let mut taken = 0;
    while taken < items.len() {
        let mut chunk = Chunk::new(app, caller, asked);
        let begin = taken;
        let end = (begin + CHUNK_MAX).min(items.len());
        let mut read_at = app.now();
        while taken < end {
            if !chunk.try_acquire(end - taken) {
                match chunk.acquire(end - taken).await {
                    Acquired::Yes => read_at = app.now(),
                    Acquired::OnceWritten => break,
                    Acquired::No(problem) => return unsent(begin..items.len(), problem, receipt),
                }
            }
            chunk
                .add(taken, items[taken].get().as_bytes(), read_at)
                .await;
            taken += 1;
        }
        if let Err(problem) = chunk.write(receipt).await {
            return unsent(begin..items.len(), problem, receipt);
        }
        yield_now().await;
    }
    Ok(Ended::Whole)
}

/// Returns the end of a request whose last elements, these, were not sent to the store.
fn unsent(
    elements: Range<usize>,
    problem: Problem,
    receipt: &mut Receipt,
) -> Result<Ended, Problem> {
    if elements.start == 0 {
        return Err(problem);
    }
    elements.for_each(|index| receipt.fail(index, None, &problem));
    Ok(Ended::Whole)
}

/// Checks the number of contributions of a request that asks for standings.
fn check_count(count: usize) -> Result<(), Problem> {
    if count > STANDINGS_MAX {
        let detail = format!(
            "return: is for at most {STANDINGS_MAX} contributions, counted on each board, not {count}"
        );
        return Err(Problem::invalid(detail));
    }
    Ok(())
}

async fn lines(
    app: &App,
    caller: &Caller,
    mut lines: Lines,
    asked: AskedOfWrite,
    receipt: &mut Receipt,
) -> Result<Ended, Problem> {
    let mut counted = app.metrics.writes.request();
    let mut read = 0;
    receipt.set_read(read);
    loop {
        let (chunk, taken, end) = next_chunk(app, caller, &mut lines, read, asked).await;
        match end {
            End::Refused(problem) if read == 0 => return Err(problem),
            // The receipt reports how many lines were read.
            End::Refused(_) => return Ok(Ended::Whole),
            _ => {}
        }
        // A stream ends with its key: later lines are not written.
        if let Err(problem) = caller.check_still(app.access(), Scope::Write, app.now()) {
            return Ok(Ended::Broken(problem));
        }
        // The maximum is that of a chunk, so nothing is written yet.
        if asked.returned != Return::Nothing {
            check_count(read + taken)?;
        }
        read += taken;
        counted.add(taken);
        // On an error, nothing is written yet either.
        chunk.write(receipt).await?;
        receipt.set_read(read);
        match end {
            End::More if receipt.failed_count() < FAILED_MAX => yield_now().await,
            End::More | End::OfBody => return Ok(Ended::Whole),
            End::Stopping => return Ok(Ended::Stopping),
            // What was written stays written; the receipt reports how many lines that is.
            End::Broken(problem) | End::Refused(problem) => return Ok(Ended::Broken(problem)),
        }
    }
}

/// How a chunk of lines ended.
enum End {
    More,
    OfBody,
    Stopping,
    /// Nothing of the chunk is to be written.
    Refused(Problem),
    Broken(Problem),
}

async fn next_chunk<'a>(
    app: &'a App,
    caller: &'a Caller,
    lines: &mut Lines,
    read: usize,
    asked: AskedOfWrite,
) -> (Chunk<'a>, usize, End) {
    let mut chunk = Chunk::new(app, caller, asked);
    if app.is_stopping() {
        return (chunk, 0, End::Stopping);
    }
    let mut stopping = pin!(app.stopping());
    // A request for standings has few lines, and is written as a whole or not at all.
    let is_whole = asked.returned != Return::Nothing;
    let (lines_max, wait_max) = if is_whole {
        (STANDINGS_MAX + 1, WHOLE_WAIT)
    } else {
        (CHUNK_MAX, CHUNK_WAIT)
    };
    let mut due = pin!(sleep(wait_max));
    // Lines that have arrived together were read at the same time.
    let mut read_at = app.now();
    for taken in 0..lines_max {
        if taken == 1 {
            due.as_mut().reset(Instant::now() + wait_max);
        }
        let line = if let Some(line) = lines.arrived() {
            Ok(Some(line))
        } else {
            tokio::select! {
                biased;
                line = lines.next() => {
                    read_at = app.now();
                    line
                }
                () = &mut stopping => return (chunk, taken, End::Stopping),
                () = &mut due, if taken > 0 => {
                    let end = if is_whole { End::Refused(too_slow()) } else { End::More };
                    return (chunk, taken, end);
                }
            }
        };
        match line {
            Ok(Some(BodyLine::Text(text))) if text.trim_ascii().is_empty() => {}
            Ok(Some(BodyLine::Text(text))) => {
                let to_come = lines_max - taken;
                if chunk.try_acquire(to_come) {
                    chunk.add(read + taken, &text, read_at).await;
                    continue;
                }
                let acquired = tokio::select! {
                    biased;
                    acquired = chunk.acquire(to_come) => acquired,
                    () = &mut stopping => return (chunk, taken, End::Stopping),
                };
                match acquired {
                    Acquired::Yes => {
                        read_at = app.now();
                        chunk.add(read + taken, &text, read_at).await;
                    }
                    Acquired::OnceWritten if is_whole => {
                        let refusal = chunk.no_memory();
                        return (chunk, taken, End::Refused(refusal));
                    }
                    Acquired::OnceWritten => {
                        lines.put_back(BodyLine::Text(text));
                        return (chunk, taken, End::More);
                    }
                    Acquired::No(problem) => return (chunk, taken, End::Refused(problem)),
                }
            }
            Ok(Some(BodyLine::TooLong)) => {
                let detail = format!("the line is longer than {LINE_BYTES_MAX} bytes");
                chunk.reject(read + taken, Problem::new(ProblemType::TooLarge, detail));
            }
            Ok(None) => return (chunk, taken, End::OfBody),
            Err(problem) => return (chunk, taken, End::Broken(problem)),
        }
    }
    (chunk, lines_max, End::More)
}

fn too_slow() -> Problem {
    let seconds = WHOLE_WAIT.as_secs();
    let detail = format!("return: the lines took more than {seconds} s from the first one on");
    Problem::new(ProblemType::TooSlow, detail)
}
