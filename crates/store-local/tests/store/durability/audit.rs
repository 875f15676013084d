//! Drives a store on a simulated disk, and knows what it may contain.
//!
//! [`Audit`] has three sets of [`World`]s: what may be read now, what may be read after a kill of
//! the process, and what after a power cut. A reply reduces them; a missing reply, or `unknown`,
//! extends them. A store that shows none of the worlds that its replies leave possible has lost
//! something or reported something false.

mod restart;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, Incarnation, Timestamp, Window};
use shard_store::ShardStore;
use store_local::LocalStore;

use crate::durability::durable::{self, Durability, LocalSettings};
use crate::durability::op::{Answer, Op, Reply, What};
use crate::durability::script::{Script, names};
use crate::durability::seen::{Seen, SeenWindow};
use crate::durability::world::World;
use disk::fixtures::SimDisk;
pub(crate) use restart::End;
use testkit::conformance::versions_seen::Versions;

/// Nothing in memory takes that long.
const DEADLINE: Duration = Duration::from_secs(30);

/// The number of calls that a failure shows.
const SHOWN_MAX: usize = 40;

/// A store, and what it may contain.
pub(crate) struct Audit {
    pub(crate) script: Script,
    pub(crate) disk: SimDisk,
    pub(crate) settings: LocalSettings,
    store: Option<Arc<LocalStore>>,
    /// What may be read now.
    pub(crate) live: Vec<World>,
    /// What a kill of the process may leave.
    written: Vec<World>,
    /// What a power cut may leave.
    synced: Vec<World>,
    /// The last sweep that may be lost in part: repeating it completes it.
    swept: Option<Timestamp>,
    /// It failed on the way: its effect is known when it is repeated.
    half_swept: bool,
    /// The versions by epoch: what was seen in an epoch that is continued must be there again.
    versions: HashMap<(BoardName, Incarnation, u64), Versions>,
    epoch: Option<u64>,
    epochs_lost: HashSet<u64>,
    /// Whether something was reported as durable since the store was opened.
    wrote: bool,
    /// Whether it could not be opened at once.
    reopened: bool,
    calls_made: VecDeque<String>,
}

impl Audit {
    /// An empty store, on a disk that may have traps.
    pub(crate) async fn new(script: Script, settings: LocalSettings, disk: SimDisk) -> Self {
        let empty = vec![World::default()];
        let mut audit = Self {
            script,
            disk,
            settings,
            store: None,
            live: empty.clone(),
            written: empty.clone(),
            synced: empty.clone(),
            swept: None,
            half_swept: false,
            versions: HashMap::new(),
            epoch: None,
            epochs_lost: HashSet::new(),
            wrote: false,
            reopened: false,
            calls_made: VecDeque::new(),
        };
        audit.come_up(empty, true).await;
        audit
    }

    pub(crate) fn store(&self) -> &Arc<LocalStore> {
        self.store.as_ref().expect("it is open between restarts")
    }

    /// Returns whether a trap was in the way when it was opened.
    pub(crate) const fn was_reopened(&self) -> bool {
        self.reopened
    }

    fn note(&mut self, what: String) {
        self.calls_made.push_back(what);
        if self.calls_made.len() > SHOWN_MAX {
            self.calls_made.pop_front();
        }
    }

    fn fail(&self, what: &str) -> ! {
        let mut calls = String::new();
        for call in &self.calls_made {
            writeln!(calls, "  {call:.300}").unwrap();
        }
        panic!("{what}\nafter:\n{calls}")
    }

    /// Makes this many random calls.
    pub(crate) async fn calls(&mut self, count: usize) {
        for _ in 0..count {
            self.call().await;
        }
    }

    /// Makes a random call. Returns false if the store did not accept it, or does not know whether
    /// it did.
    pub(crate) async fn call(&mut self) -> bool {
        let store: Arc<dyn ShardStore> = self.store().clone();
        let op = if self.half_swept {
            Op {
                now: self.script.clock,
                what: What::Sweep,
            }
        } else {
            self.script.next(&store, &self.live).await
        };
        self.ask(&op).await
    }

    /// Makes one call.
    pub(crate) async fn ask(&mut self, op: &Op) -> bool {
        let asked = tokio::time::timeout(DEADLINE, op.ask(&**self.store())).await;
        let Ok(answer) = asked else {
            self.fail(&format!("no answer to {op:?}"));
        };
        self.note(format!("{answer:?} <- {op:?}"));
        match answer {
            Answer::Done(reply) => {
                self.narrow(op, &reply).await;
                true
            }
            _ if matches!(op.what, What::Sweep) => {
                self.swept = Some(op.now);
                self.half_swept = true;
                false
            }
            Answer::Unavailable(_) => false,
            Answer::Unknown(_) => {
                self.widen(op).await;
                false
            }
        }
    }

    async fn narrow(&mut self, op: &Op, reply: &Reply) {
        let mut after = Vec::new();
        let mut why = String::new();
        for world in &self.live {
            match world.after(op, Some(reply)) {
                Ok(world) => after.push(world),
                Err(wrong) => why = wrong,
            }
        }
        if after.is_empty() {
            self.fail(&format!("a false answer to {op:?}: {why}"));
        }
        self.live = after;
        if matches!(op.what, What::Sweep) {
            self.swept = Some(op.now);
            self.half_swept = false;
            self.look().await;
        }
        if op.proves(reply) {
            self.written.clone_from(&self.live);
            self.wrote = true;
            if self.settings.durability == Durability::Always {
                self.swept = None;
                self.synced.clone_from(&self.live);
            } else {
                self.synced.extend(self.live.iter().cloned());
            }
        } else {
            self.written.extend(self.live.iter().cloned());
            self.synced.extend(self.live.iter().cloned());
        }
    }

    /// A missing reply: the worlds with the call, and those without.
    async fn widen(&mut self, op: &Op) {
        let reply = match &op.what {
            // Only the store knows which incarnation it was to be.
            What::PutSettings { name, .. } | What::Create(name) => {
                let Some(record) = self.store().board(name).await.unwrap() else {
                    return;
                };
                Some(Reply::Board(record))
            }
            _ => None,
        };
        let with = self
            .live
            .iter()
            .filter_map(|world| world.after(op, reply.as_ref()).ok());
        let with: Vec<World> = with.collect();
        for worlds in [&mut self.live, &mut self.written, &mut self.synced] {
            worlds.extend(with.iter().cloned());
        }
    }

    /// Reads everything, including the windows of any world.
    async fn see(&self, worlds: &[World]) -> Seen {
        self.see_in(&**self.store(), worlds).await
    }

    async fn see_in(&self, store: &dyn ShardStore, worlds: &[World]) -> Seen {
        let mut asked: BTreeMap<BoardName, BTreeSet<Window>> =
            names().map(|name| (name, BTreeSet::new())).collect();
        for world in worlds {
            for (name, incarnation) in &world.boards {
                let windows = asked.get_mut(name).unwrap();
                windows.extend(incarnation.twin.windows.keys());
                windows.extend(incarnation.twin.dropped());
            }
        }
        Seen::look(store, &asked).await
    }

    /// Compares what can be read with what may be there.
    pub(crate) async fn look(&mut self) -> Option<Seen> {
        if self.half_swept {
            return None;
        }
        let seen = self.see(&self.live).await;
        let fit = self.fitting(&self.live, &seen);
        self.live = fit.into_iter().map(|(_, world)| world).collect();
        self.note_versions(&seen);
        Some(seen)
    }

    /// Returns the worlds that fit, as they were and without boards that a sweep has ended.
    fn fitting(&self, worlds: &[World], seen: &Seen) -> Vec<(World, World)> {
        let mut fit = Vec::new();
        let mut why = String::new();
        for world in worlds {
            match world.fits(seen, self.swept) {
                Ok(pruned) => fit.push((world.clone(), pruned)),
                Err(differs) => write!(why, "\n  {differs:.600}").unwrap(),
            }
        }
        if fit.is_empty() {
            let count = worlds.len();
            self.fail(&format!("none of {count} possible worlds is there:{why}"));
        }
        fit
    }

    fn note_versions(&mut self, seen: &Seen) {
        for version in seen.versions() {
            let epoch = *self.epoch.get_or_insert(version.epoch);
            assert_eq!(epoch, version.epoch, "one epoch at a time");
            if self.epochs_lost.contains(&epoch) {
                self.fail("an epoch came back");
            }
        }
        let Some(epoch) = self.epoch else { return };
        for (name, board) in &seen.boards {
            let incarnation = (name.clone(), board.record.incarnation, epoch);
            let versions = self.versions.entry(incarnation).or_default();
            for (shard, windows) in (0..).zip(&board.shards) {
                for (window, found) in windows {
                    match found {
                        SeenWindow::Dropped => versions.forget(*window),
                        SeenWindow::Ranked { version, entries } => {
                            versions.see(*window, shard, *version, entries);
                        }
                    }
                }
            }
        }
    }

    /// Takes a whole snapshot.
    pub(crate) fn snapshot(&mut self) -> Result<(), String> {
        let done = durable::snapshot(self.store());
        self.note(format!("{done:?} <- a snapshot"));
        if done.is_ok() {
            self.note_synced();
        }
        done
    }

    fn note_synced(&mut self) {
        self.written.clone_from(&self.live);
        self.synced.clone_from(&self.live);
        self.swept = self.swept.filter(|_| self.half_swept);
    }

    /// Sends again what was sent with ids: what is there counts once.
    pub(crate) async fn send_again(&mut self) {
        for sent in self.script.sent.clone() {
            let op = self.script.again(&sent, &**self.store(), &self.live).await;
            if let Some(op) = op {
                self.ask(&op).await;
            }
        }
        self.look().await;
    }
}
