//! [`StreamTime`]: the processor time of all streams, and how much longer their intervals are for it.
//!
//! A stream costs a read of its top, rendering, and a write to each reader, at every change. Many streams of busy boards
//! could take all processors. So the time in which feeds and the connections of streams are polled is added up. While
//! it is more than a part of the processors has, all feeds read less often.

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::available_parallelism;
use std::time::Duration;

use futures::future::poll_fn;
use metering::as_float;
use parking_lot::Mutex;
use tokio::time::Instant;

/// The part of the processors that streams may take: one in so many.
const PROCESSORS_PART: f64 = 2.0;

/// How long time is added up before the intervals are adapted.
const PERIOD: Duration = Duration::from_secs(1);

/// No interval is made longer than this.
const INTERVAL_MAX: Duration = Duration::from_secs(10);

/// [`INTERVAL_MAX`] by the shortest interval.
const FACTOR_MAX: f64 = 500.0;

/// The processor time of all streams.
pub(crate) struct StreamTime {
    /// Processors that may be busy with streams.
    processors_max: f64,
    spent_ns: AtomicU64,
    period: Mutex<Period>,
}

struct Period {
    began: Instant,
    /// What had been spent then.
    spent_ns: u64,
    factor: f64,
}

impl Default for StreamTime {
    fn default() -> Self {
        let processors = available_parallelism().map_or(1, usize::from);
        Self::up_to(as_float(processors as u64) / PROCESSORS_PART)
    }
}

impl StreamTime {
    fn up_to(processors_max: f64) -> Self {
        Self {
            processors_max,
            spent_ns: AtomicU64::new(0),
            period: Mutex::new(Period {
                began: Instant::now(),
                spent_ns: 0,
                factor: 1.0,
            }),
        }
    }

    /// Does work for streams, and adds the time that it takes.
    pub(crate) fn measured<T>(&self, work: impl FnOnce() -> T) -> T {
        let began = std::time::Instant::now();
        let done = work();
        self.spend(began.elapsed());
        done
    }

    /// Runs a future, and adds the time in which it is polled.
    pub(crate) async fn within<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|context| self.measured(|| future.as_mut().poll(context))).await
    }

    fn spend(&self, time: Duration) {
        let ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.spent_ns.fetch_add(ns, Ordering::Relaxed);
    }

    /// Returns the seconds that were spent.
    pub(crate) fn seconds(&self) -> f64 {
        Duration::from_nanos(self.spent_ns.load(Ordering::Relaxed)).as_secs_f64()
    }

    /// Returns how many times as long as usual intervals are.
    pub(crate) fn factor(&self) -> f64 {
        let mut period = self.period.lock();
        let passed = period.began.elapsed();
        if passed >= PERIOD {
            let spent_ns = self.spent_ns.load(Ordering::Relaxed);
            let spent = Duration::from_nanos(spent_ns - period.spent_ns);
            let processors = spent.as_secs_f64() / passed.as_secs_f64();
            // Work is in proportion to the number of reads. Shorter again by half in each period.
            let proportional = period.factor * processors / self.processors_max;
            let least = period.factor * 0.5_f64.powf(passed.as_secs_f64());
            *period = Period {
                began: Instant::now(),
                spent_ns,
                factor: proportional.max(least).clamp(1.0, FACTOR_MAX),
            };
        }
        period.factor
    }

    /// Returns the interval of a feed whose kind has this one.
    pub(crate) fn interval(&self, usual: Duration) -> Duration {
        let longer = usual.mul_f64(self.factor());
        longer.min(usual.max(INTERVAL_MAX))
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const USUAL: Duration = Duration::from_millis(100);

    /// Spends this much in a period, and returns the interval afterwards, in ms.
    async fn interval_after(time: &StreamTime, spent_ms: u64) -> u128 {
        time.spend(Duration::from_millis(spent_ms));
        advance(PERIOD).await;
        time.interval(USUAL).as_millis()
    }

    #[tokio::test(start_paused = true)]
    async fn intervals_are_longer_while_streams_take_more_than_their_part() {
        let time = StreamTime::up_to(0.5);
        assert_eq!(time.interval(USUAL), USUAL);
        assert_eq!(interval_after(&time, 500).await, 100);
        assert_eq!(interval_after(&time, 750).await, 150);
        // As long as it fits, it stays.
        assert_eq!(interval_after(&time, 500).await, 150);
        assert_eq!(interval_after(&time, 1_000).await, 300);
        assert_eq!(interval_after(&time, 400).await, 240);
        // Not all at once.
        assert_eq!(interval_after(&time, 0).await, 120);
        assert_eq!(interval_after(&time, 0).await, 100);
        assert!((time.seconds() - 3.15).abs() < 1e-9);
    }

    #[tokio::test(start_paused = true)]
    async fn no_interval_is_made_longer_than_the_maximum() {
        let time = StreamTime::up_to(0.5);
        for _ in 0..20 {
            interval_after(&time, 1_000).await;
        }
        assert_eq!(time.interval(USUAL), INTERVAL_MAX);
        // A kind may have a longer one.
        assert_eq!(time.interval(2 * INTERVAL_MAX), 2 * INTERVAL_MAX);
    }
}
