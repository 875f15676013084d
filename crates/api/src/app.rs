//! [`App`]: the state that all handlers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::profile_join::ProfiledTops;
use access::audit::AuditLog;
use access::{Access, Caller, PublicKinds};
use board::{PublishTargets, Timestamp};
use http_server::request_trace::Tracer;
use http_server::{MemoryBudget, Responses};
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
    pub(crate) memory: MemoryBudget,
    /// Changes when members are hidden, shown or erased: streams read at once.
    pub(crate) shown_members: watch::Sender<()>,
    /// A permit for each search for the boards of a member.
    pub(crate) searches: ScanPermits,
    /// Responses that clients have not read yet, except those to scrapes.
    pub(crate) responses: Responses,
    pub(crate) scrapes: Responses,
    pub(crate) tracer: Option<Arc<dyn Tracer>>,
    clock: Clock,
    is_draining: AtomicBool,
    stop: watch::Sender<bool>,
    pub(crate) metrics: Metrics,
    registry: Registry,
}

impl PublicKinds for App {
    fn contains(&self, kind: &str) -> bool {
        self.router.catalogue().is_public(kind)
    }

    fn any(&self) -> bool {
        self.router.catalogue().has_public()
    }
}

impl App {
    /// Creates a service that writes through the router and reads through the merger, for callers that `access` admits.
    /// What it holds for them counts in `memory`.
    #[must_use]
    pub fn new(
        router: Arc<Router>,
        merger: Arc<Merger>,
        clock: Clock,
        access: Access,
        memory: MemoryBudget,
    ) -> Self {
        let stop = watch::Sender::new(false);
        let metrics = Metrics::default();
        let mut registry = metrics.register(&router, &merger, &access);
        memory.register(metrics::of_service(&mut registry));
        let feeds = Feeds::default();
        Streams::register_time(metrics::of_service(&mut registry), &feeds.time);
        let responses = Responses::new(&memory.responses, memory.responses_per_address_max());
        let scrapes = Responses::for_scrapes(&memory.scrapes);
        Self {
            router,
            merger,
            profiled_tops: ProfiledTops::up_to(memory.profiled_tops),
            feeds,
            access,
            audit: AuditLog::default(),
            publish_targets: PublishTargets::default(),
            memory,
            shown_members: watch::Sender::new(()),
            searches: ScanPermits::new(SEARCHES_MAX),
            responses,
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
