//! The timer of the heads of a connection: [`HeadTimer`].
//!
//! hyper begins a sleep for each head, and drops it when the head has arrived. A timer of the runtime that is entered
//! and removed for each request costs more than parsing the head. So each connection has one timer, which is entered
//! again only once it has fired: it may fire before the deadline, since deadlines move only later.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};
use parking_lot::Mutex;

/// The timer of the heads of one connection.
#[derive(Debug, Clone, Default)]
pub struct HeadTimer(Arc<Mutex<Option<Pin<Box<tokio::time::Sleep>>>>>);

/// A sleep until the deadline of one head.
#[derive(Debug)]
struct HeadDeadline {
    timer: HeadTimer,
    deadline: tokio::time::Instant,
}

impl Timer for HeadTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(HeadDeadline {
            timer: self.clone(),
            deadline: deadline.into(),
        })
    }

    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }
}

impl Sleep for HeadDeadline {}

impl Future for HeadDeadline {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let deadline = self.deadline;
        let sleep = &mut *self.timer.0.lock();
        let sleep = sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        loop {
            if sleep.deadline() > deadline {
                sleep.as_mut().reset(deadline);
            }
            ready!(sleep.as_mut().poll(context));
            if sleep.deadline() >= deadline {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(deadline);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use futures::FutureExt as _;
    use tokio::time::{Instant, advance};

    use super::*;

    const TIMEOUT: Duration = Duration::from_mins(1);
    const PAUSE: Duration = Duration::from_secs(50);

    #[tokio::test(start_paused = true)]
    async fn each_head_has_its_whole_time() {
        let timer = HeadTimer::default();
        for _ in 0..5 {
            let mut sleep = timer.sleep(TIMEOUT);
            assert!(sleep.as_mut().now_or_never().is_none());
            advance(PAUSE).await;
            assert!(sleep.as_mut().now_or_never().is_none());
        }
        let began = Instant::now();
        timer.sleep(TIMEOUT).await;
        // A timer of the runtime counts whole milliseconds.
        let slept = began.elapsed();
        assert!(slept >= TIMEOUT && slept < TIMEOUT + Duration::from_millis(2));
    }

    #[tokio::test(start_paused = true)]
    async fn one_timer_serves_all_heads_that_arrive_in_time() {
        let timer = HeadTimer::default();
        let entered = |timer: &HeadTimer| {
            let sleep = timer.0.lock();
            sleep.as_ref().map(|sleep| sleep.deadline())
        };
        let first = Instant::now() + TIMEOUT;
        for _ in 0..5 {
            let mut sleep = timer.sleep(TIMEOUT);
            poll_fn(|context| {
                assert!(sleep.as_mut().poll(context).is_pending());
                Poll::Ready(())
            })
            .await;
            assert_eq!(entered(&timer), Some(first));
            advance(Duration::from_secs(1)).await;
        }
        // An earlier deadline is kept, too.
        let began = Instant::now();
        timer.sleep(Duration::from_secs(1)).await;
        assert!(began.elapsed() < Duration::from_secs(2));
    }
}
