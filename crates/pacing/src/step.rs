//! Steps: [`spend`] divides a request into them, [`paced`] takes a turn for each but the first.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::task::yield_now;

use crate::fair_queue::{FairQueue, Flow};

/// The work of a step, in entries: about a quarter of a millisecond in this process. A single piece
/// of work may be larger.
pub const STEP: usize = 1024;

/// The step that a thread is at.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// Work that is left of it.
    left: usize,
    /// Work that was done in it, which may be more than a step where a piece is.
    done: usize,
    /// Whether something waits for the next step.
    is_over: bool,
    /// All work that was counted since it began.
    counted: usize,
    /// The caller of the request, if a request is polled by [`paced`].
    caller: Option<u64>,
}

impl Step {
    const fn new(caller: Option<u64>) -> Self {
        Self {
            left: STEP,
            done: 0,
            is_over: false,
            counted: 0,
            caller,
        }
    }
}

thread_local! {
    static CURRENT: Cell<Step> = const { Cell::new(Step::new(None)) };
}

/// Waits for the next step, unless the current one has so much work left.
///
/// Within [`paced`], a poll is a step, whatever futures it polls. Elsewhere the steps of a thread
/// follow one another.
pub async fn spend(work: usize) {
    while !has_spent(work) {
        yield_now().await;
    }
    count(work);
}

/// Counts work that another process does for the request.
pub fn count(work: usize) {
    let mut step = CURRENT.get();
    step.counted = step.counted.saturating_add(work);
    CURRENT.set(step);
}

fn has_spent(work: usize) -> bool {
    let mut step = CURRENT.get();
    // A piece larger than a step has one of its own.
    let fits = !step.is_over && (step.left >= work || step.left == STEP);
    if fits {
        step.left = step.left.saturating_sub(work.max(1));
        step.done = step.done.saturating_add(work);
    } else if step.caller.is_some() {
        step.is_over = true;
    } else {
        step = Step::new(None);
    }
    CURRENT.set(step);
    fits
}

/// Returns the caller of the request that the thread works on.
#[must_use]
pub fn caller() -> Option<u64> {
    CURRENT.get().caller
}

/// Completes a request of this flow, and adds all the work that it takes to `counted`.
///
/// After a step that is over the next one takes a turn, for what was done since the last turn. What
/// a request waits for beside its own steps takes none: it may hold what others wait for.
pub async fn paced<F: Future>(
    queue: &Arc<FairQueue>,
    flow: Flow,
    counted: &mut usize,
    request: F,
) -> F::Output {
    let mut request = pin!(request);
    let mut done = 0_usize;
    let mut is_over = false;
    loop {
        let turn = if is_over {
            Some(queue.turn(flow, std::mem::take(&mut done)).await)
        } else {
            None
        };
        let polled = poll_fn(|context| {
            let before = CURRENT.replace(Step::new(Some(flow.caller)));
            let _restored = Restored(before);
            let polled = request.as_mut().poll(context);
            let step = CURRENT.get();
            *counted = counted.saturating_add(step.counted);
            done = done.saturating_add(step.done);
            is_over = step.is_over;
            Poll::Ready(polled)
        });
        if let Poll::Ready(output) = polled.await {
            return output;
        }
        drop(turn);
        woken().await;
    }
}

/// Sets the step of the thread back, also after a panic.
struct Restored(Step);

impl Drop for Restored {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// Waits until the task is woken.
async fn woken() {
    let mut is_first = true;
    poll_fn(|_| {
        if std::mem::take(&mut is_first) {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    })
    .await;
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::FutureExt as _;
    use futures::future::join_all;

    use super::*;

    const FLOW: Flow = Flow {
        caller: 1,
        board: 1,
    };

    /// Returns the work of each poll of a future that is paced.
    async fn steps_of<F: Future>(request: impl FnOnce(Arc<AtomicUsize>) -> F) -> Vec<usize> {
        let done = Arc::new(AtomicUsize::new(0));
        let queue = FairQueue::with_lanes(1);
        let mut counted = 0;
        let mut paced = pin!(paced(&queue, FLOW, &mut counted, request(done.clone())));
        let mut steps = Vec::new();
        poll_fn(|context| {
            let polled = paced.as_mut().poll(context);
            let step = done.swap(0, Ordering::Relaxed);
            if step > 0 {
                steps.push(step);
            }
            polled.map(drop)
        })
        .await;
        steps
    }

    async fn pieces(count: usize, work: usize, done: Arc<AtomicUsize>) {
        for _ in 0..count {
            spend(work).await;
            done.fetch_add(work, Ordering::Relaxed);
        }
    }

    #[tokio::test]
    async fn a_step_is_not_larger_than_the_maximum_or_one_piece() {
        assert_eq!(steps_of(|done| pieces(4, STEP / 4, done)).await, [STEP]);
        let steps = steps_of(|done| pieces(10, STEP / 4, done)).await;
        assert_eq!(steps, [STEP, STEP, STEP / 2]);
        let steps = steps_of(|done| pieces(3, 5 * STEP, done)).await;
        assert_eq!(steps, [5 * STEP; 3]);
    }

    #[tokio::test]
    async fn futures_that_are_polled_together_share_a_step() {
        let all = |done: Arc<AtomicUsize>| {
            join_all((0..8).map(move |_| pieces(1, STEP / 2, done.clone())))
        };
        assert_eq!(steps_of(all).await, [STEP; 4]);
    }

    #[tokio::test]
    async fn work_without_a_request_yields_as_often() {
        CURRENT.set(Step::new(None));
        let done = Arc::new(AtomicUsize::new(0));
        let mut work = pin!(pieces(8, STEP / 2, done.clone()));
        let mut polls = 1;
        while work.as_mut().now_or_never().is_none() {
            polls += 1;
        }
        assert_eq!((polls, done.load(Ordering::Relaxed)), (4, 4 * STEP));
    }

    #[tokio::test]
    async fn a_request_knows_its_caller_and_leaves_nothing_behind() {
        let queue = FairQueue::with_lanes(1);
        let mut counted = 0;
        let seen = paced(&queue, FLOW, &mut counted, async {
            spend(STEP).await;
            spend(STEP).await;
            caller()
        });
        assert_eq!((seen.await, caller()), (Some(FLOW.caller), None));
        assert_eq!(counted, 2 * STEP);
    }

    #[tokio::test]
    async fn a_request_that_waits_takes_no_turn_until_a_step_is_over() {
        let queue = FairQueue::with_lanes(1);
        // Nobody else gets a turn.
        let _taken = queue.turn(FLOW, 1).await;
        let (mut counted, mut polls) = (0, 0);
        let mut request = Box::pin(paced(&queue, FLOW, &mut counted, async {
            for _ in 0..4 {
                spend(STEP).await;
                yield_now().await;
            }
            spend(STEP).await;
            spend(1).await;
        }));
        while polls < 10 && request.as_mut().now_or_never().is_none() {
            polls += 1;
        }
        assert_eq!(polls, 10);
        drop(request);
        assert_eq!(counted, 5 * STEP);
    }
}
