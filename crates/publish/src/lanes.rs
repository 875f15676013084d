//! The lanes of all targets that kinds are published at: [`Lanes`].

use std::collections::HashMap;
use std::sync::Arc;

use board::{Kind, KindName, TargetName};
use parking_lot::Mutex;
use tokio::task::JoinHandle;

use crate::context::Context;
use crate::credentials::Credentials;
use crate::lane::Lane;
use crate::target::Target;

/// The lanes, each with its task.
pub(crate) struct Lanes {
    pub(crate) context: Arc<Context>,
    credentials: Credentials,
    running: Mutex<HashMap<TargetName, RunningLane>>,
}

struct RunningLane {
    lane: Arc<Lane>,
    task: JoinHandle<()>,
}

impl Lanes {
    pub(crate) fn new(context: Arc<Context>, credentials: Credentials) -> Self {
        Self {
            context,
            credentials,
            running: Mutex::default(),
        }
    }

    /// Returns all lanes.
    pub(crate) fn all(&self) -> Vec<Arc<Lane>> {
        let running = self.running.lock();
        running.values().map(|one| one.lane.clone()).collect()
    }

    /// Returns the lane of the target that a kind is published at. Starts it if it is not running.
    pub(crate) fn lane_of(&self, kind: &KindName) -> Option<Arc<Lane>> {
        let kind = self.context.published_kind(kind)?;
        let (name, at) = self.context.target_of(&kind)?;
        let mut running = self.running.lock();
        if let Some(one) = running.get(name) {
            return Some(one.lane.clone());
        }
        let target = Target::new(
            name.clone(),
            at,
            &self.credentials,
            self.context.router.store(),
        );
        let lane = Arc::new(Lane::new(target));
        let task = tokio::spawn(lane.clone().run(self.context.clone()));
        let one = RunningLane {
            lane: lane.clone(),
            task,
        };
        running.insert(name.clone(), one);
        Some(lane)
    }

    /// Stops the lanes of targets that none of these kinds is published at.
    pub(crate) fn retain(&self, kinds: &[Arc<Kind>]) {
        let is_used = |target: &TargetName| {
            let mut used = kinds.iter().filter_map(|kind| self.context.target_of(kind));
            used.any(|(name, _)| name == target)
        };
        self.running.lock().retain(|target, one| {
            let is_used = is_used(target);
            if !is_used {
                one.task.abort();
            }
            is_used
        });
    }

    /// Stops all lanes.
    pub(crate) fn stop(&self) {
        for (_, one) in self.running.lock().drain() {
            one.task.abort();
        }
    }
}
