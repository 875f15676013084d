//! Kinds and boards: who is born, who is dead. One slot, so that each call is atomic.

use std::collections::HashMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use board::{Kind, Meaning};

use super::servers::Servers;
use super::session::Session;
use crate::contract::{BoardRecord, StoreError};

/// The registry of a store, and the kinds that were seen in it.
#[derive(Debug)]
pub(super) struct Registry {
    servers: Arc<Servers>,
    session: Arc<Session>,
    seen: ArcSwap<HashMap<Meaning, Arc<Kind>>>,
}

impl Registry {
    pub(super) fn new(servers: Arc<Servers>, session: Arc<Session>) -> Self {
        Self {
            servers,
            session,
            seen: ArcSwap::default(),
        }
    }

    /// A kind that means what the board's standings mean.
    pub(super) async fn kind_of(&self, board: &BoardRecord) -> Result<Arc<Kind>, StoreError> {
        let seen = self.seen.load();
        seen.get(&board.meaning)
            .cloned()
            .ok_or(StoreError::StaleKind)
    }

    /// Keeps a kind at hand.
    pub(super) fn see(&self, kind: &Arc<Kind>) {
        let meaning = kind.meaning();
        if !self.seen.load().contains_key(&meaning) {
            self.seen.rcu(|seen| {
                let mut seen = HashMap::clone(seen);
                seen.insert(meaning, kind.clone());
                seen
            });
        }
    }
}
