//! Attempts of a call, until one has a reply or the time is over.
//!
//! **Invariant:** a write may be sent again at any time. It gets the reply that the shard or the
//! registry remembers, or has no effect the second time, or is rejected because its deadline has
//! passed.
//!
//! At the end it must be known whether an attempt may have been applied.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout};

use crate::call::{Call, CallError, Effect, FunctionReply, Location, Refusal, parse_reply};
use crate::error_class::ErrorClass;
use crate::link::{CallReply, IN_DOUBT_MIN, Link};
use crate::node::Node;
use crate::redis_link::{Address, Backoff, CommandError};
use crate::settings::RedisSettings;
use crate::topology::Topology;
use shard_store::Overload;

/// The first and the longest pause between attempts.
const PAUSES: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(100));

/// The number of redirections that are followed at once; later ones are followed after a pause.
const REDIRECTIONS_AT_ONCE: u32 = 3;

/// How often a call that waits for replicas checks whether its primary still has the location.
const FOLLOW_EVERY: Duration = Duration::from_millis(200);

/// A call that is being made.
#[derive(Debug)]
pub(crate) struct Attempts<'a> {
    topology: &'a Topology,
    settings: &'a RedisSettings,
    location: Location,
    call: &'a Call,
    /// The node for the next attempt, if it is not that of the location, and whether `ASKING` goes before the call.
    redirection: Option<(Address, bool)>,
    redirections: u32,
    /// When the first attempt began.
    began_first: Instant,
    /// When the last attempt began.
    began: Instant,
    /// Whether an attempt was sent and had no reply.
    may_be_applied: bool,
    /// Until when attempts are made to find out whether it was applied.
    ask_until: Instant,
    pause: Backoff,
}

/// The node of an attempt.
struct Target {
    node: Arc<Node>,
    link: Arc<Link>,
    /// The node that had the location when the attempt began; it differs if that redirected the
    /// attempt.
    named: Option<Arc<Node>>,
}

/// Why an attempt has no reply.
enum FailedAttempt {
    /// It was the last one.
    Final(CallError),
    /// Another attempt may succeed: at once, or after a pause.
    Again { why: String, at_once: bool },
    /// Another attempt may succeed when the node has a connection, which it has not had since then.
    Absent { why: String, since: Instant },
}

impl FailedAttempt {
    fn later(why: String) -> Self {
        let at_once = false;
        Self::Again { why, at_once }
    }
}

impl<'a> Attempts<'a> {
    pub(crate) fn new(
        topology: &'a Topology,
        settings: &'a RedisSettings,
        location: Location,
        call: &'a Call,
    ) -> Self {
        Self {
            topology,
            settings,
            location,
            call,
            redirection: None,
            redirections: 0,
            began_first: Instant::now(),
            began: Instant::now(),
            may_be_applied: false,
            ask_until: call.until,
            pause: Backoff::new(PAUSES.0, PAUSES.1),
        }
    }

    pub(crate) async fn run(mut self) -> Result<FunctionReply, CallError> {
        loop {
            self.began = Instant::now();
            let mut absent_until = None;
            let (why, at_once) = match self.once().await {
                Ok(answer) => return Ok(answer),
                Err(FailedAttempt::Final(error)) => return Err(error),
                Err(FailedAttempt::Again { why, at_once }) => (why, at_once),
                Err(FailedAttempt::Absent { why, since }) => {
                    absent_until = Some(self.waits_for_absent(since));
                    (why, false)
                }
            };
            let now = Instant::now();
            let last = absent_until.map_or(self.ask_until, |until| until.min(self.ask_until));
            if now >= last {
                return Err(self.given_up(why));
            }
            if !at_once {
                let next = now + self.pause.next_pause();
                // Sleep at most until the deadline or the end.
                let end = if now < self.call.until {
                    self.call.until
                } else {
                    self.ask_until
                };
                sleep_until(next.min(end).min(last)).await;
            }
            // One more attempt may reveal whether a write was applied; a read needs none.
            if self.call.effect == Effect::Read && Instant::now() >= self.call.until {
                return Err(self.given_up(why));
            }
        }
    }

    /// Returns until when the call waits for a node that has had no connection since `since`.
    fn waits_for_absent(&self, since: Instant) -> Instant {
        let briefly = match self.call.effect {
            Effect::Read | Effect::Volatile => since + self.settings.read_wait,
            Effect::Write => since + self.settings.write_wait,
        };
        match self.call.waits_until {
            Some(until) if until >= self.call.until => self.ask_until,
            Some(until) => until.max(briefly),
            None => briefly,
        }
    }

    /// Returns whether attempts are made past the deadline to find out if the call was applied. The
    /// caller repeats volatile calls itself.
    fn in_doubt(&self) -> bool {
        self.may_be_applied && self.call.effect == Effect::Write
    }

    /// Records that an attempt may have been applied. Another attempt is to find out, also past the
    /// deadline; but attempts that late are not repeated without end.
    fn doubt(&mut self) {
        self.may_be_applied = true;
        if self.in_doubt() && self.began < self.call.until {
            self.ask_until = self.call.until.max(Instant::now()) + IN_DOUBT_MIN;
        }
    }

    /// Returns the error of a call without a reply: for a write the outcome is unknown, a read had
    /// no effect.
    fn given_up(&self, why: String) -> CallError {
        if self.may_be_applied && self.call.effect != Effect::Read {
            CallError::Unknown(why)
        } else {
            CallError::Unavailable(why)
        }
    }

    async fn once(&mut self) -> Result<FunctionReply, FailedAttempt> {
        let redirection = self.redirection.take();
        let route = self.topology.route(self.location);
        let named = route.as_ref().ok().cloned();
        let (node, asking) = match redirection {
            Some((to, asking)) => match self.topology.at(&to) {
                Some(node) => {
                    // It may not have been needed before.
                    node.settled(self.ask_until).await;
                    (node, asking)
                }
                None => {
                    return Err(FailedAttempt::later(format!(
                        "redirected to {to}, but not in a cluster"
                    )));
                }
            },
            None => match route {
                Ok(node) => (node, false),
                Err(why) => {
                    self.topology.stale(None);
                    let since = self.began_first;
                    return Err(FailedAttempt::Absent { why, since });
                }
            },
        };
        let Some(link) = node.link() else {
            self.topology.stale(None);
            let why = format!("{}: {}", node.address(), node.trouble().unwrap_or_default());
            let since = node.absent_since().unwrap_or(self.began_first);
            let until = (Instant::now() + PAUSES.1).min(self.ask_until);
            node.changed(until.min(self.waits_for_absent(since))).await;
            return Err(FailedAttempt::Absent { why, since });
        };
        let target = Target { node, link, named };
        let link = &target.link;
        let reply = self.fcall(&target, asking);
        match target.node.metrics().count(reply).await {
            Ok(mut reply) => match parse_reply(&reply.payload) {
                Some(Ok(payload)) => {
                    let epoch = link.epoch();
                    self.acknowledged(&target, &mut reply).await?;
                    Ok(FunctionReply { payload, epoch })
                }
                Some(Err(refusal)) => Err(self.refused(link, refusal)),
                None => {
                    let why = format!("{}: the reply is not one of a function", link.address());
                    Err(FailedAttempt::Final(CallError::Unknown(why)))
                }
            },
            Err(error) => Err(self.failed(&target, error).await),
        }
    }

    /// Calls the function there, unless another node got the location while the call waited to be
    /// sent: what the previous node still applies may be lost.
    async fn fcall(&self, target: &Target, asking: bool) -> Result<CallReply, CommandError> {
        let admitted = target.link.admit(self.call, self.in_doubt()).await?;
        if !self.is_current(target) {
            return Err(CommandError::NotSent(
                "it is no longer the primary".to_owned(),
            ));
        }
        target.link.fcall(self.call, asking, admitted).await
    }

    /// Returns whether the node is connected as it was, and still has the location.
    fn is_current(&self, target: &Target) -> bool {
        let Target { node, link, named } = target;
        let is_connected = node.link().is_some_and(|now| Arc::ptr_eq(&now, link));
        let is_named = self.topology.route(self.location).ok().is_none_or(|now| {
            let mut known = std::iter::once(node).chain(named);
            known.any(|known| Arc::ptr_eq(known, &now))
        });
        is_connected && is_named
    }

    fn refused(&mut self, link: &Link, refusal: Refusal) -> FailedAttempt {
        match refusal.code.as_str() {
            // The deadline that each node gets is computed from a reading of its clock, which may
            // be early: an earlier attempt may have had a later deadline, and may still be applied.
            "LATE" if self.in_doubt() && self.began < self.call.until => {
                self.doubt();
                FailedAttempt::later(format!("{}: too late by its clock", link.address()))
            }
            "LATE" | "FORGOTTEN" => {
                let forgotten = refusal.code == "FORGOTTEN";
                FailedAttempt::Final(self.late(forgotten, link))
            }
            "FROZEN" if Instant::now() >= self.call.until => {
                FailedAttempt::Final(CallError::Unavailable("the board is frozen".to_owned()))
            }
            "FROZEN" => FailedAttempt::later("the board is frozen".to_owned()),
            _ => FailedAttempt::Final(CallError::Refused(refusal)),
        }
    }

    /// Returns the outcome of a call that was rejected after its deadline. The node has checked
    /// whether an earlier attempt was applied: none was, and none will be. But a node whose clock
    /// was set may have forgotten it, and a transaction without functions has no deadline: it may
    /// still be applied.
    fn late(&self, forgotten: bool, link: &Link) -> CallError {
        if self.may_be_applied && (forgotten || !link.has_functions()) {
            return CallError::Unknown("no answer before the deadline of the call".to_owned());
        }
        if forgotten {
            let why = "the deadline of the call had long passed: the node's clock was set";
            return CallError::Unavailable(why.to_owned());
        }
        let mut overload = link.backlog(self.call.effect).overload();
        let why = "the deadline of the call had passed when it was to be applied";
        overload.why = format!("{why}: {}", overload.why);
        CallError::Overloaded(overload)
    }

    /// Returns the outcome of a call that was not sent, since it would have been late.
    fn overloaded(&self, overload: Overload) -> CallError {
        if self.may_be_applied {
            self.given_up(overload.why)
        } else {
            CallError::Overloaded(overload)
        }
    }

    async fn failed(&mut self, target: &Target, error: CommandError) -> FailedAttempt {
        let link = &target.link;
        let why = link.failure(&error);
        let again = |at_once| FailedAttempt::Again {
            why: why.clone(),
            at_once,
        };
        let words = match &error {
            CommandError::NotSent(_) => return again(!self.is_current(target)),
            CommandError::Overloaded(overload) => {
                return FailedAttempt::Final(self.overloaded(overload.clone()));
            }
            CommandError::Lost(_) => {
                self.doubt();
                self.topology.stale(None);
                return again(false);
            }
            CommandError::Redis(words) => words,
        };
        match ErrorClass::of(words, link.address()) {
            ErrorClass::Moved(to) => {
                self.topology.stale(to.clone());
                again(self.redirect(to, false))
            }
            ErrorClass::Ask(to) => again(self.redirect(to, true)),
            ErrorClass::Transient => again(false),
            ErrorClass::MissingFunction => match link.load().await {
                Ok(()) => again(self.spend_redirection()),
                Err(CommandError::Redis(words)) => FailedAttempt::Final(self.given_up(format!(
                    "{}: functions can't be loaded: {words}",
                    link.address()
                ))),
                Err(_) => again(false),
            },
            ErrorClass::NotPrimary => {
                self.topology.stale(None);
                again(false)
            }
            ErrorClass::FunctionFailed => {
                self.may_be_applied = true;
                FailedAttempt::Final(self.given_up(why))
            }
            ErrorClass::Permanent => FailedAttempt::Final(self.given_up(why)),
        }
    }

    /// Follows a redirection. Returns whether to do so at once.
    fn redirect(&mut self, to: Option<Address>, asking: bool) -> bool {
        self.redirection = to.map(|to| (to, asking));
        self.redirection.is_some() && self.spend_redirection()
    }

    fn spend_redirection(&mut self) -> bool {
        self.redirections += 1;
        self.redirections <= REDIRECTIONS_AT_ONCE
    }

    /// Waits until `acks` replicas have the write. If another process gets the location meanwhile,
    /// the attempt ends: there the call is remembered under the same number, or applied.
    async fn acknowledged(
        &mut self,
        target: &Target,
        reply: &mut CallReply,
    ) -> Result<(), FailedAttempt> {
        let wanted = self.settings.acks;
        if wanted == 0 || self.call.effect != Effect::Write {
            return Ok(());
        }
        self.may_be_applied = true;
        let end = self.wait_for_acks(target, reply, wanted).await;
        if end.is_err() {
            self.doubt();
        }
        end
    }

    async fn wait_for_acks(
        &self,
        target: &Target,
        reply: &mut CallReply,
        wanted: u32,
    ) -> Result<(), FailedAttempt> {
        let link = &target.link;
        let mut count = 0;
        loop {
            let mut round = pin!(link.count_acks(reply, wanted));
            // A round may hang: the node may be stopped or unreachable.
            let counted = loop {
                match timeout(FOLLOW_EVERY, &mut round).await {
                    Ok(counted) => break counted,
                    Err(_) => self.may_wait_at(target, count)?,
                }
            };
            count = counted.map_err(|error| FailedAttempt::later(link.failure(&error)))?;
            if count >= wanted {
                return Ok(());
            }
            self.may_wait_at(target, count)?;
        }
    }

    /// Returns whether there is time to wait for more replicas than so many, and the primary still
    /// has the location.
    fn may_wait_at(&self, target: &Target, count: u32) -> Result<(), FailedAttempt> {
        let link = &target.link;
        if Instant::now() >= self.call.until {
            let why = format!(
                "{} has it, and {count} of the {} replicas that are to have it",
                link.address(),
                self.settings.acks
            );
            return Err(FailedAttempt::Final(CallError::Unknown(why)));
        }
        if self.is_current(target) {
            // Replicas may be missing because they follow another primary.
            self.topology.stale(None);
            return Ok(());
        }
        let why = format!("{} is no longer the primary", link.address());
        Err(FailedAttempt::Again { why, at_once: true })
    }
}
