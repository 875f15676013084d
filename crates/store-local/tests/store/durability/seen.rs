//! One reading of everything that a store shows.

use std::collections::{BTreeMap, BTreeSet};

use board::{BoardName, KindName, Member, Profile, Window};
use shard_store::{BoardRecord, KindRecord, ShardEntry, ShardStore, ShardVersion, StoreError};

use crate::durability::script::profiled;
use testkit::conformance::fixtures::{read_shard, whole};

/// Kinds, and all boards with all their windows, shard by shard; profiles.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    pub(crate) kinds: Vec<KindRecord>,
    pub(crate) boards: BTreeMap<BoardName, SeenBoard>,
    pub(crate) profiles: BTreeMap<(KindName, Member), Profile>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SeenBoard {
    pub(crate) record: BoardRecord,
    pub(crate) shards: Vec<BTreeMap<Window, SeenWindow>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SeenWindow {
    Dropped,
    Ranked {
        version: ShardVersion,
        entries: Vec<ShardEntry>,
    },
}

impl Seen {
    /// Reads the boards of these names, with their windows and these others.
    pub(crate) async fn look(
        store: &dyn ShardStore,
        names: &BTreeMap<BoardName, BTreeSet<Window>>,
    ) -> Self {
        let mut boards = BTreeMap::new();
        for (name, windows) in names {
            if let Some(record) = store.board(name).await.unwrap() {
                let board = open_read_only(store, record, windows).await;
                boards.insert(name.clone(), board);
            }
        }
        let kinds = store.kinds().await.unwrap();
        let mut profiles = BTreeMap::new();
        for kind in &kinds {
            let members: Vec<Member> = profiled().collect();
            let found = store.profiles(kind, &members).await.unwrap();
            let found = members.into_iter().zip(found);
            let found = found.filter_map(|(member, profile)| Some((member, profile?)));
            profiles.extend(found.map(|(member, profile)| ((kind.name.clone(), member), profile)));
        }
        let seen = Self {
            kinds,
            boards,
            profiles,
        };
        seen.check_lists(store).await;
        seen
    }

    /// Checks that the boards that are listed for a kind are those that are found by name.
    async fn check_lists(&self, store: &dyn ShardStore) {
        for kind in &self.kinds {
            let found = self.boards.values().map(|board| &board.record);
            let found = found.filter(|record| record.created && *record.name.kind() == kind.name);
            let listed = store.boards(&kind.name, "", None, 1000).await.unwrap();
            assert_eq!(listed.iter().collect::<Vec<_>>(), found.collect::<Vec<_>>());
        }
    }

    /// Returns every version that was read.
    pub(crate) fn versions(&self) -> impl Iterator<Item = ShardVersion> {
        let shards = self.boards.values().flat_map(|board| &board.shards);
        let windows = shards.flat_map(BTreeMap::values);
        windows.filter_map(|window| match window {
            SeenWindow::Ranked { version, .. } => Some(*version),
            SeenWindow::Dropped => None,
        })
    }
}

async fn open_read_only(
    store: &dyn ShardStore,
    record: BoardRecord,
    others: &BTreeSet<Window>,
) -> SeenBoard {
    let mut shards = Vec::new();
    for shard in 0..record.shards.get() {
        let held = store.windows(&record, shard).await.unwrap();
        let held = held.into_iter().map(|count| (count.window, count.members));
        let held: BTreeMap<Window, u64> = held.collect();
        let windows: BTreeSet<Window> = held.keys().chain(others).copied().collect();
        let mut seen = BTreeMap::new();
        for window in windows {
            let found = match read_shard(store, &record, shard, &whole(window)).await {
                Err(StoreError::WindowDropped) => SeenWindow::Dropped,
                reading => {
                    let reading = reading.unwrap();
                    let counted = held.get(&window).copied().unwrap_or(0);
                    assert_eq!(reading.members, counted, "{window:?} of shard {shard}");
                    SeenWindow::Ranked {
                        version: reading.version,
                        entries: reading.parts.unwrap().remove(0).entries,
                    }
                }
            };
            seen.insert(window, found);
        }
        assert_eq!(store.verify(&record, shard, false).await.unwrap(), []);
        shards.push(seen);
    }
    SeenBoard { record, shards }
}
