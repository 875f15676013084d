//! How an audited store ends, and what is found afterwards: one of the worlds that its end left
//! possible.

use shard_store::ShardStore;

use super::Audit;
use crate::durability::durable;
use crate::durability::world::World;
use disk::fixtures::SimDisk;

/// How a store ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It was closed, and reported that everything is kept.
    Stopped,
    /// The process was killed.
    Killed,
    /// A power cut; this seed determines what is left on the disk.
    PowerCut(u64),
}

impl Audit {
    /// Ends the store and opens it again.
    pub(crate) async fn restart(&mut self, end: End) {
        let before = self.look().await;
        let stopped = end == End::Stopped && self.stop().await.is_ok();
        let end = match end {
            End::Stopped if !stopped => End::Killed,
            end => end,
        };
        *self = self.after(end).await;
        if stopped && before.is_some() {
            let after = self.look().await;
            if before != after {
                self.fail("a clean stop changed what is read, or its version");
            }
        }
    }

    /// Closes the store.
    pub(crate) async fn stop(&mut self) -> Result<(), String> {
        let stopped = durable::stop(self.store()).await;
        self.note(format!("{stopped:?} <- a stop"));
        if stopped.is_ok() {
            self.note_synced();
        } else {
            // It may be recorded that it was stopped, and that nothing is lost.
            self.wrote = false;
        }
        stopped
    }

    /// Opens these files: one of these worlds is there, or the start is rejected.
    pub(crate) async fn found_in(&self, disk: SimDisk, worlds: &[World]) -> Result<(), String> {
        let store = durable::open(&disk, &self.settings)?;
        let seen = self.see_in(&*store, worlds).await;
        self.fitting(worlds, &seen);
        Ok(())
    }

    /// Returns what is found after an end; this store itself continues, for another end.
    pub(crate) async fn after(&self, end: End) -> Self {
        self.after_on(end, |_| ()).await
    }

    /// Does the same, with traps that are set before anything is opened.
    pub(crate) async fn after_on(&self, end: End, set_traps: impl FnOnce(&SimDisk)) -> Self {
        let disk = match end {
            End::Stopped | End::Killed => self.disk.killed(),
            End::PowerCut(seed) => self.disk.crash(seed),
        };
        set_traps(&disk);
        let mut found = Self {
            script: self.script.clone(),
            disk,
            settings: self.settings.clone(),
            store: None,
            live: Vec::new(),
            written: self.written.clone(),
            synced: self.synced.clone(),
            swept: self.swept,
            half_swept: false,
            versions: self.versions.clone(),
            epoch: None,
            epochs_lost: self.epochs_lost.clone(),
            wrote: false,
            reopened: false,
            calls_made: self.calls_made.clone(),
        };
        if end == End::Stopped {
            found.epoch = self.epoch;
        } else if self.wrote {
            found.epochs_lost.extend(self.epoch);
        }
        found.note(format!("{end:?}"));
        let worlds = match end {
            End::Stopped => self.live.clone(),
            End::Killed => self.written.clone(),
            End::PowerCut(_) => self.synced.clone(),
        };
        let on_disk_alone = matches!(end, End::PowerCut(_));
        found.come_up(worlds, on_disk_alone).await;
        found
    }

    /// Opens the store and checks that the contents are one of the worlds. If a trap is in the way,
    /// it is opened again as after a kill; if the power is cut, as after that.
    pub(super) async fn come_up(&mut self, mut worlds: Vec<World>, mut on_disk_alone: bool) {
        loop {
            let Err(why) = self.try_to_come_up(&worlds, on_disk_alone).await else {
                return;
            };
            self.note(format!("not opened: {why}"));
            self.store = None;
            self.reopened = true;
            if self.disk.is_halted() {
                self.disk = self.disk.crash(self.script.dice.word());
                worlds = std::mem::take(&mut self.synced);
                on_disk_alone = true;
            } else if self.disk.any_sprung() {
                self.disk = self.disk.killed();
            } else {
                self.fail(&format!("refused to open: {why}\n{:?}", self.disk.names()));
            }
        }
    }

    async fn try_to_come_up(
        &mut self,
        worlds: &[World],
        on_disk_alone: bool,
    ) -> Result<(), String> {
        let store = durable::open(&self.disk, &self.settings)?;
        self.store = Some(store.clone());
        let mut worlds = worlds.to_vec();
        if let Some(now) = self.swept {
            let sweep = store.drop_expired(now).await;
            sweep.map_err(|error| error.to_string())?;
            self.note(format!("swept again at {now}"));
            for world in &mut worlds {
                world.drop_expired(now);
            }
        }
        let seen = self.see(&worlds).await;
        let fit = self.fitting(&worlds, &seen);
        // A board that the sweep ended is back if the sweep is lost again.
        let kept = fit.iter().flat_map(|(world, pruned)| [world, pruned]);
        self.written = kept.cloned().collect();
        if on_disk_alone {
            self.synced.clone_from(&self.written);
        } else {
            self.synced.extend(self.written.iter().cloned());
        }
        self.live = fit.into_iter().map(|(_, pruned)| pruned).collect();
        self.note_versions(&seen);
        Ok(())
    }
}
