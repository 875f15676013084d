//! Drives a store on a simulated disk, and knows what may be in it.
//!
//! [`Audit`] keeps three sets of [`World`]s: what may be read now, what may be read after the process
//! went, and what after the power went. An answer narrows them; one that does not come, or that says
//! `unknown`, widens them. A store that shows none of the worlds that its answers left possible has
//! lost something or said something false.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, Incarnation, Timestamp, Window};
use shard_store::{LocalStore, ShardStore};

use crate::durable::{self, EmbeddedSettings};
use crate::op::{Answer, Op, Reply, What};
use crate::script::{Script, names};
use crate::seen::{Seen, SeenWindow};
use crate::sim::SimDisk;
use crate::versions_seen::Versions;
use crate::world::World;

/// Nothing in memory takes that long.
const DEADLINE: Duration = Duration::from_secs(30);

/// Calls that a failure shows.
const TOLD_MAX: usize = 40;

/// How a store ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It was asked to, and said that all is kept.
    Stopped,
    /// The process went.
    Killed,
    /// The power went; what a disk makes of it is drawn by this seed.
    PowerCut(u64),
}

/// A store, and what it may hold.
pub(crate) struct Audit {
    pub(crate) script: Script,
    pub(crate) disk: SimDisk,
    pub(crate) store: Arc<LocalStore>,
    settings: EmbeddedSettings,
    /// What may be read now.
    live: Vec<World>,
    /// What a kill of the process may leave.
    written: Vec<World>,
    /// What a power cut may leave.
    synced: Vec<World>,
    /// The last sweep that may be lost in part: doing it again makes it whole.
    swept: Option<Timestamp>,
    /// It failed on its way: what it did is known when it is done again.
    half_swept: bool,
    versions: HashMap<(BoardName, Incarnation), Versions>,
    epoch: Option<u64>,
    epochs_lost: HashSet<u64>,
    told: VecDeque<String>,
}

impl Audit {
    /// An empty store.
    pub(crate) fn new(script: Script, settings: EmbeddedSettings) -> Self {
        let disk = SimDisk::default();
        let store = durable::open(&disk, &settings).unwrap();
        Self::of(script, settings, disk, store)
    }

    /// A store that is empty, but perhaps not for long.
    pub(crate) fn of(
        script: Script,
        settings: EmbeddedSettings,
        disk: SimDisk,
        store: Arc<LocalStore>,
    ) -> Self {
        let empty = vec![World::default()];
        Self {
            script,
            disk,
            store,
            settings,
            live: empty.clone(),
            written: empty.clone(),
            synced: empty,
            swept: None,
            half_swept: false,
            versions: HashMap::new(),
            epoch: None,
            epochs_lost: HashSet::new(),
            told: VecDeque::new(),
        }
    }

    fn tell(&mut self, what: String) {
        self.told.push_back(what);
        if self.told.len() > TOLD_MAX {
            self.told.pop_front();
        }
    }

    fn fail(&self, what: &str) -> ! {
        let mut calls = String::new();
        for told in &self.told {
            writeln!(calls, "  {told:.300}").unwrap();
        }
        panic!("{what}\nafter:\n{calls}")
    }

    /// So many random calls.
    pub(crate) async fn calls(&mut self, count: usize) {
        for _ in 0..count {
            self.call().await;
        }
    }

    /// A random call. False where the store could not take it, or does not know whether it did.
    pub(crate) async fn call(&mut self) -> bool {
        let store: Arc<dyn ShardStore> = self.store.clone();
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

    /// One call.
    pub(crate) async fn ask(&mut self, op: &Op) -> bool {
        let asked = tokio::time::timeout(DEADLINE, op.ask(&*self.store)).await;
        let Ok(answer) = asked else {
            self.fail(&format!("no answer to {op:?}"));
        };
        self.tell(format!("{answer:?} <- {op:?}"));
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
            self.swept = None;
            if durable::always(&self.settings) {
                self.synced.clone_from(&self.live);
            } else {
                self.synced.extend(self.live.iter().cloned());
            }
        } else {
            self.written.extend(self.live.iter().cloned());
            self.synced.extend(self.live.iter().cloned());
        }
    }

    /// An answer that did not come: with it, or without it.
    async fn widen(&mut self, op: &Op) {
        let reply = match &op.what {
            // Only the store knows which life it was to be.
            What::Settle { name, .. } | What::Birth(name) => {
                let Some(record) = self.store.board(name).await.unwrap() else {
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

    /// Everything that can be read; the windows of any world are asked for.
    async fn see(&self, worlds: &[World]) -> Seen {
        let mut asked: BTreeMap<BoardName, BTreeSet<Window>> =
            names().map(|name| (name, BTreeSet::new())).collect();
        for world in worlds {
            for (name, life) in &world.boards {
                let windows = asked.get_mut(name).unwrap();
                windows.extend(life.twin.windows.keys());
                windows.extend(life.twin.dropped());
            }
        }
        Seen::look(&*self.store, &asked).await
    }

    /// Holds what can be read against what may be there.
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

    /// The worlds that fit, as they were and without boards that a sweep has ended.
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
        for (name, board) in &seen.boards {
            let life = (name.clone(), board.record.incarnation);
            let versions = self.versions.entry(life).or_default();
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
        for version in seen.versions() {
            let epoch = *self.epoch.get_or_insert(version.epoch);
            assert_eq!(epoch, version.epoch, "one epoch at a time");
            assert!(!self.epochs_lost.contains(&epoch), "an epoch came back");
        }
    }

    /// One whole snapshot.
    pub(crate) fn snapshot(&mut self) -> Result<(), String> {
        let done = durable::snapshot(&self.store);
        self.tell(format!("{done:?} <- a snapshot"));
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

    /// Ends the store and opens it again.
    pub(crate) async fn restart(&mut self, end: End) {
        let before = self.look().await;
        let mut end = end;
        if end == End::Stopped {
            match durable::stop(&self.store) {
                Ok(()) => self.note_synced(),
                Err(_) => end = End::Killed,
            }
        }
        self.tell(format!("{end:?}"));
        let worlds = match end {
            End::Stopped => self.live.clone(),
            End::Killed => std::mem::take(&mut self.written),
            End::PowerCut(_) => std::mem::take(&mut self.synced),
        };
        self.disk = match end {
            End::Stopped | End::Killed => self.disk.killed(),
            End::PowerCut(seed) => self.disk.crash(seed),
        };
        if end != End::Stopped {
            self.epochs_lost.extend(self.epoch.take());
            self.versions.clear();
        }
        self.reopen();
        let after = self.recover(worlds, matches!(end, End::PowerCut(_))).await;
        if end == End::Stopped
            && let (Some(before), Some(after)) = (before, after)
            && before != after
        {
            self.fail("a clean stop changed what is read, or its version");
        }
    }

    fn reopen(&mut self) {
        match durable::open(&self.disk, &self.settings) {
            Ok(store) => self.store = store,
            Err(why) => self.fail(&format!("refused to open: {why}\n{:?}", self.disk.names())),
        }
    }

    /// What is there is one of the worlds, and nothing else may be from now on.
    async fn recover(&mut self, mut worlds: Vec<World>, on_disk_alone: bool) -> Option<Seen> {
        self.half_swept = false;
        if let Some(now) = self.swept {
            let sweep = self.store.expire(now).await;
            self.tell(format!("{sweep:?} <- the sweep of {now} again"));
            sweep.unwrap();
            for world in &mut worlds {
                world.expire(now);
            }
        }
        let seen = self.see(&worlds).await;
        let fit = self.fitting(&worlds, &seen);
        // A board that the sweep ended is back if the sweep is lost once more.
        let kept = fit
            .iter()
            .flat_map(|(world, pruned)| [world, pruned])
            .cloned();
        self.written = kept.collect();
        if on_disk_alone {
            self.synced.clone_from(&self.written);
        } else {
            self.synced.extend(self.written.iter().cloned());
        }
        self.live = fit.into_iter().map(|(_, pruned)| pruned).collect();
        self.note_versions(&seen);
        Some(seen)
    }

    /// Sends again what was sent under ids: what is there counts once.
    pub(crate) async fn send_again(&mut self) {
        for sent in self.script.sent.clone() {
            let op = self.script.again(&sent, &*self.store, &self.live).await;
            if let Some(op) = op {
                self.ask(&op).await;
            }
        }
        self.look().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn live() {
        for seed in 0..200 {
            let members = [6, 40, 300][seed as usize % 3];
            let mut audit = Audit::new(Script::new(seed, members), EmbeddedSettings);
            for _ in 0..20 {
                audit.calls(10).await;
                audit.look().await;
            }
            audit.send_again().await;
        }
    }
}
