//! [`App`]: the state that all handlers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::profile_join::ProfiledTops;
use access::audit::{AuditLog, HasAuditLog};
use access::{Access, Caller, PublicKinds};
use board::{PublishTargets, Timestamp};
use http_server::request_trace::Tracer;
use http_server::{
    ADDRESS_PART, BODIES_BYTES_MAX, BODY_BYTES_MAX, BodyMemory, HasResponses, Pools,
    RESPONSE_BYTES_MAX, Responses, WRITES_BYTES_MAX, WritePermits,
};
use merger::Merger;
use metering::Registry;
use shard_router::{KnownKind, Moment, Router};
use shard_store::Clock;
use tokio::sync::{Semaphore, watch};
use wire::problem::Problem;

use crate::feeds::Feeds;
use crate::metrics::{self, Metrics, Streams};

/// Maximum requests that look for the boards of a member at a time.
pub(crate) const SEARCHES_MAX: usize = 2;

/// Permits of reads that look at many boards. Callers without a key have as many of their own, so
/// that they do not keep the others waiting.
pub(crate) struct ScanPermits {
    keyed: Arc<Semaphore>,
    keyless: Arc<Semaphore>,
}

impl ScanPermits {
    fn new(permits: usize) -> Self {
        Self {
            keyed: Arc::new(Semaphore::new(permits)),
            keyless: Arc::new(Semaphore::new(permits)),
        }
    }

    pub(crate) const fn of(&self, caller: &Caller) -> &Arc<Semaphore> {
        if caller.is_keyless() {
            &self.keyless
        } else {
            &self.keyed
        }
    }
}

/// Default maximum bytes of tops with profiles.
pub const PROFILED_BYTES_MAX: usize = 256 << 20;

/// The state that all handlers share.
pub struct App {
    pub(crate) router: Arc<Router>,
    pub(crate) merger: Arc<Merger>,
    pub(crate) profiled_tops: ProfiledTops,
    pub(crate) feeds: Feeds,
    pub(crate) access: Access,
    pub(crate) audit: AuditLog,
    /// The targets that kinds may be published to.
    pub(crate) publish_targets: PublishTargets,
    /// Maximum bytes of a JSON body.
    pub(crate) body_bytes_max: usize,
    /// The memory of all bodies.
    pub(crate) body_memory: BodyMemory,
    pub(crate) pools: Pools,
    /// The permits of contributions that are being written.
    pub(crate) write_permits: WritePermits,
    /// Changes when members are hidden, shown or erased: streams read at once.
    pub(crate) shown_members: watch::Sender<()>,
    /// A permit for each search for the boards of a member.
    pub(crate) searches: ScanPermits,
    /// Responses that clients have not read yet, except those to scrapes.
    pub(crate) answers: Responses,
    pub(crate) scrapes: Responses,
    pub(crate) tracer: Option<Arc<dyn Tracer>>,
    clock: Clock,
    is_draining: AtomicBool,
    stop: watch::Sender<bool>,
    pub(crate) metrics: Metrics,
    registry: Registry,
}

impl HasResponses for App {
    fn answers(&self) -> &Responses {
        &self.answers
    }
}

impl PublicKinds for App {
    fn contains(&self, kind: &str) -> bool {
        self.router.catalogue().is_public(kind)
    }

    fn any(&self) -> bool {
        self.router.catalogue().has_public()
    }
}

impl HasAuditLog for App {
    fn audit_log(&self) -> &AuditLog {
        &self.audit
    }
}

impl App {
    /// Creates a service that writes through the router and reads through the merger, for callers that `access` admits.
    #[must_use]
    pub fn new(router: Arc<Router>, merger: Arc<Merger>, clock: Clock, access: Access) -> Self {
        let stop = watch::Sender::new(false);
        let metrics = Metrics::default();
        let mut registry = metrics.register(&router, &merger, &access);
        let pools = Pools::default();
        pools.register(metrics::of_service(&mut registry));
        let feeds = Feeds::default();
        Streams::register_time(metrics::of_service(&mut registry), &feeds.time);
        let answers = Responses::new(&pools.answers, RESPONSE_BYTES_MAX / ADDRESS_PART);
        let scrapes = Responses::for_scrapes(&pools.scrapes);
        Self {
            router,
            merger,
            profiled_tops: ProfiledTops::up_to(PROFILED_BYTES_MAX),
            feeds,
            access,
            audit: AuditLog::default(),
            publish_targets: PublishTargets::default(),
            body_bytes_max: BODY_BYTES_MAX,
            body_memory: BodyMemory::for_bodies_of(&pools.bodies, BODY_BYTES_MAX, BODIES_BYTES_MAX),
            pools,
            write_permits: WritePermits::of_bytes(WRITES_BYTES_MAX),
            shown_members: watch::Sender::new(()),
            searches: ScanPermits::new(SEARCHES_MAX),
            answers,
            scrapes,
            tracer: None,
            clock,
            is_draining: AtomicBool::new(false),
            stop,
            metrics,
            registry,
        }
    }

    /// Joins all tops with profiles anew, since one was deleted with its member.
    pub(crate) fn forget_profiles(&self) {
        self.profiled_tops.forget();
        self.shown_members.send_replace(());
    }

    /// Adds metrics.
    #[must_use]
    pub fn with_metrics(mut self, register: impl FnOnce(&mut Registry)) -> Self {
        register(metrics::of_service(&mut self.registry));
        self
    }

    /// Sets the maximum bytes of a JSON body, and of all bodies together.
    #[must_use]
    pub fn with_bodies_up_to(mut self, bytes: usize, all_bytes: usize) -> Self {
        self.body_bytes_max = bytes;
        self.body_memory = BodyMemory::for_bodies_of(&self.pools.bodies, bytes, all_bytes);
        self
    }

    /// Sets the maximum bytes of heads and of what connections read ahead, of details in receipts, and of the events of
    /// streams; each is for all together.
    #[must_use]
    pub fn with_pools_up_to(
        self,
        read_ahead_bytes: usize,
        receipt_bytes: usize,
        stream_bytes: usize,
    ) -> Self {
        self.pools.read_ahead.limit_to(read_ahead_bytes);
        self.pools.receipts.limit_to(receipt_bytes);
        self.pools.streams.limit_to(stream_bytes);
        self
    }

    /// Sets the maximum bytes of responses that are prepared for repeated reads.
    #[must_use]
    pub fn with_prepared_up_to(self, bytes: usize) -> Self {
        self.pools.prepared.limit_to(bytes);
        self
    }

    /// Sets the maximum bytes of cached tops with profiles.
    #[must_use]
    pub fn with_profiled_up_to(mut self, bytes: usize) -> Self {
        self.profiled_tops = ProfiledTops::up_to(bytes);
        self
    }

    /// Sets the maximum memory of all contributions that are being written.
    #[must_use]
    pub fn with_writes_up_to(mut self, bytes: usize) -> Self {
        self.write_permits = WritePermits::of_bytes(bytes);
        self
    }

    /// Sets the maximum bytes of large responses that clients have not read yet, and of those to one address, which
    /// defaults to a quarter of all.
    #[must_use]
    pub fn with_answers_up_to(mut self, bytes: usize, address_bytes: Option<usize>) -> Self {
        let address_bytes = address_bytes.unwrap_or(bytes / ADDRESS_PART);
        self.pools.answers.limit_to(bytes);
        self.answers = Responses::new(&self.pools.answers, address_bytes);
        self
    }

    /// Sets the audit log.
    #[must_use]
    pub fn with_audit_log(mut self, audit: AuditLog) -> Self {
        self.audit = audit;
        self
    }

    /// Sets the targets that kinds may be published to.
    #[must_use]
    pub fn with_publish_targets(mut self, targets: PublishTargets) -> Self {
        self.publish_targets = targets;
        self
    }

    /// Sets the tracer, which chooses the requests that have spans.
    #[must_use]
    pub fn with_tracer(mut self, tracer: Option<Arc<dyn Tracer>>) -> Self {
        self.tracer = tracer;
        self
    }

    /// Returns the bytes that requests, responses and streams hold.
    #[must_use]
    pub fn held_bytes(&self) -> u64 {
        u64::try_from(self.pools.bytes()).unwrap_or(u64::MAX)
    }

    /// Returns what requests are authorized by.
    #[must_use]
    pub const fn access(&self) -> &Access {
        &self.access
    }

    /// Returns all metrics as `OpenMetrics`.
    pub(crate) fn open_metrics(&self) -> String {
        let mut text = String::new();
        let encoded = metering::text::encode(&mut text, &self.registry);
        encoded.expect("memory takes any text");
        text
    }

    pub(crate) fn clock(&self) -> &dyn Fn() -> Timestamp {
        &*self.clock
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Returns the current moment, for calls with a deadline.
    pub(crate) fn moment(&self) -> Moment {
        Moment::of(&self.clock)
    }

    /// Returns the kind of this name, or 404.
    pub(crate) async fn kind(&self, name: &str) -> Result<KnownKind, Problem> {
        let known = self.router.catalogue().kind(name).await?;
        known.ok_or_else(|| Problem::unknown_kind(name))
    }

    /// Has clients leave: from now on each response closes its connection, and the server is not ready.
    pub(crate) fn drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    /// Asks long-running requests to finish.
    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        *self.stop.borrow()
    }

    /// Waits until the server stops.
    pub(crate) async fn stopping(&self) {
        // The only error is a dropped sender, and `self` owns it.
        let _ = self.stop.subscribe().wait_for(|stopping| *stopping).await;
    }
}
