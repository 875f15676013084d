//! Sends requests when they are due: [`Driver`].

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use commands::Stop;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::connections::Connections;
use crate::request::Request;
use crate::scenario::Scenario;
use crate::tally::Tally;

/// The longest sleep, after which a signal is noticed.
const SLEEP_MAX: Duration = Duration::from_millis(100);

/// How long requests may wait for a connection after the last one was due. At a server that does not respond, each of
/// them would wait for a timeout.
const LAST_SENT_MAX: Duration = Duration::from_mins(1);

/// Sends requests from the calling thread, whose sleep is more precise than the timers of the runtime.
pub(crate) struct Driver {
    connections: Arc<Connections>,
    tally: Arc<Tally>,
    stop: Stop,
    runtime: Handle,
    /// One permit for each request that was due and has no response.
    outstanding: Arc<Semaphore>,
    outstanding_max: u32,
}

impl Driver {
    pub(crate) fn new(
        connections: &Arc<Connections>,
        stop: &Stop,
        runtime: &Handle,
        outstanding_max: u32,
    ) -> Self {
        Self {
            connections: connections.clone(),
            tally: Arc::default(),
            stop: stop.clone(),
            runtime: runtime.clone(),
            outstanding: Arc::new(Semaphore::new(outstanding_max as usize)),
            outstanding_max,
        }
    }

    pub(crate) fn tally(&self) -> Arc<Tally> {
        self.tally.clone()
    }

    /// Sends each request when it is due since the start, whatever the responses do, and waits for all responses.
    /// Beyond `outstanding_max`, requests are counted as missed, as are those that were still not sent a while after
    /// the end.
    pub(crate) fn open_loop(
        &self,
        arrivals: impl Iterator<Item = Duration>,
        mut scenario: Scenario,
    ) {
        let start = Instant::now();
        for due in arrivals {
            let due = start + due;
            if !self.sleep_until(due) {
                break;
            }
            let request = scenario.next();
            match self.outstanding.clone().try_acquire_owned() {
                Ok(permit) => self.send(request, due, permit),
                Err(_) => self.tally.missed(request.operation),
            }
        }
        let since = Instant::now();
        while since.elapsed() < LAST_SENT_MAX && !self.stop.is_requested() {
            let waited = async { timeout(SLEEP_MAX, self.responses()).await };
            if self.runtime.block_on(waited).is_ok() {
                return;
            }
        }
        self.connections.close();
        self.runtime.block_on(self.responses());
    }

    /// Returns how many requests per second succeed if each connection always has one. A quarter of the duration is a
    /// warm-up.
    pub(crate) fn capacity(&self, mut scenario: Scenario, duration: Duration) -> f64 {
        let warm_up = duration / 4;
        self.closed_loop(&mut scenario, warm_up);
        let (begun, before) = (Instant::now(), self.tally.so_far().0);
        self.closed_loop(&mut scenario, duration.saturating_sub(warm_up));
        let (elapsed, after) = (begun.elapsed(), self.tally.so_far().0);
        self.runtime.block_on(self.responses());
        #[expect(clippy::cast_precision_loss)]
        let responses = (after - before) as f64;
        responses / elapsed.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// Sends requests as fast as responses arrive.
    fn closed_loop(&self, scenario: &mut Scenario, duration: Duration) {
        let end = Instant::now() + duration;
        while Instant::now() < end && !self.stop.is_requested() {
            let permit = self.outstanding.clone().acquire_owned();
            let permit = self.runtime.block_on(permit).expect("it is never closed");
            self.send(scenario.next(), Instant::now(), permit);
        }
    }

    /// Sends a request as soon as a connection is free, and counts its latency since it was due.
    fn send(&self, request: Request, due: Instant, permit: OwnedSemaphorePermit) {
        let (connections, tally) = (self.connections.clone(), self.tally.clone());
        self.runtime.spawn(async move {
            let operation = request.operation;
            let send = async |client: &_| request.send(client, &connections, &tally).await;
            match connections.use_next(send).await {
                Some(Ok(())) => tally.succeeded(operation, due.elapsed()),
                Some(Err(error)) => tally.failed(operation, error.to_string()),
                None => tally.missed(operation),
            }
            drop(permit);
        });
    }

    /// Returns false if the load is to end.
    fn sleep_until(&self, due: Instant) -> bool {
        loop {
            let left = due.saturating_duration_since(Instant::now());
            if self.stop.is_requested() || left.is_zero() {
                return !self.stop.is_requested();
            }
            thread::sleep(left.min(SLEEP_MAX));
        }
    }

    /// Waits until no request is outstanding.
    async fn responses(&self) {
        drop(self.outstanding.acquire_many(self.outstanding_max).await);
    }
}
