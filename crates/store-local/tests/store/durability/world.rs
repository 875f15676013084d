//! The possible contents of a store: kinds, and the naive twin of every board.
//!
//! [`World::after`] returns the world after an operation, and whether the store's reply fits. Which
//! worlds are possible at a time is up to the audit.

use std::collections::BTreeMap;
use std::sync::Arc;

use board::{BoardName, Kind, KindName, Member, Profile, Timestamp, Window};
use shard_store::{BoardRecord, BoardSettings, KindRecord, ProfileChange, Revision};

use crate::durability::op::{Op, Reply, What};
use crate::durability::seen::{Seen, SeenBoard, SeenWindow};
use testkit::conformance::twin::{ItemOutcome, Twin};

/// The contents of a store.
#[derive(Clone, Default)]
pub(crate) struct World {
    pub(crate) kinds: BTreeMap<KindName, KindRecord>,
    pub(crate) boards: BTreeMap<BoardName, Existence>,
    profiles: BTreeMap<(KindName, Member), Profile>,
}

/// One incarnation of a board, created or only with settings.
#[derive(Clone)]
pub(crate) struct Existence {
    pub(crate) record: BoardRecord,
    pub(crate) twin: Arc<Twin>,
    /// When its settings were made, or when it was created without any.
    since: Timestamp,
    /// Whether anything was ever applied to it.
    in_use: bool,
}

impl Existence {
    fn new(record: BoardRecord, kind: Arc<Kind>, now: Timestamp) -> Self {
        Self {
            twin: Arc::new(Twin::new(kind, record.clone(), now)),
            record,
            since: now,
            in_use: false,
        }
    }

    /// Returns whether a sweep may have ended it.
    fn may_be_gone(&self, now: Timestamp) -> bool {
        let activity = self.record.activity;
        if activity.has_expired(now) {
            true
        } else if self.record.created {
            self.twin.is_over(&activity, now) || self.twin.may_be_gone(now)
        } else {
            now >= activity.settings_kept_until(self.since)
        }
    }

    /// Returns what a sweep has left of it, if that is what was seen: settings that its name keeps,
    /// or its own if nothing was applied to it.
    fn left_by(&self, kind: &Arc<Kind>, seen: &SeenBoard, now: Timestamp) -> Option<Self> {
        // What a sweep leaves has another incarnation; this one is as it was, and so is its date.
        if seen.record.incarnation == self.record.incarnation {
            return None;
        }
        let BoardRecord {
            shards, activity, ..
        } = self.record;
        let is_unused = self.record.created && !self.in_use;
        let own = is_unused.then_some((shards, activity, self.since));
        let closing = activity.settings_after(|at| kind.admits_until(at), now);
        let closing = closing.map(|(activity, settled)| (kind.shards(), activity, settled));
        let mut left = own.into_iter().chain(closing).map(|settings| {
            let (shards, activity, settled) = settings;
            let left = BoardRecord {
                incarnation: seen.record.incarnation,
                shards,
                meaning: kind.meaning(),
                activity,
                created: false,
                ..self.record.clone()
            };
            (left, settled)
        });
        let (left, settled) = left.find(|(left, _)| *left == seen.record)?;
        self.may_be_gone(now)
            .then(|| Self::new(left, kind.clone(), settled))
    }

    /// Returns the differences from what was seen.
    fn differs(&self, seen: &SeenBoard) -> Option<String> {
        if self.record != seen.record {
            return Some(format!("{:?} instead of {:?}", seen.record, self.record));
        }
        for (shard, windows) in (0..).zip(&seen.shards) {
            for (window, found) in windows {
                let what = self.window_differs(*window, shard, found);
                if let Some(what) = what {
                    return Some(format!("shard {shard} of {window:?}: {what}"));
                }
            }
        }
        None
    }

    fn window_differs(&self, window: Window, shard: u16, seen: &SeenWindow) -> Option<String> {
        let SeenWindow::Ranked { entries, .. } = seen else {
            let may = self.twin.may_be_dropped(window);
            return (!may).then(|| "has been dropped".to_owned());
        };
        if self.twin.is_dropped(window) {
            return Some("is open again".to_owned());
        }
        let held = self.twin.sorted(window, shard);
        let place = (0..held.len().max(entries.len())).find(|i| held.get(*i) != entries.get(*i))?;
        Some(format!(
            "at {place} of {}: {:?} instead of {:?}",
            entries.len(),
            entries.get(place),
            held.get(place)
        ))
    }
}

impl World {
    /// Returns the world after an operation, or why the reply to it is false. Without a reply, as
    /// if it had happened.
    pub(crate) fn after(&self, op: &Op, reply: Option<&Reply>) -> Result<Self, String> {
        let mut after = self.clone();
        let expected = after.perform(op, reply);
        match reply {
            Some(reply) if *reply != expected => Err(format!("{reply:?} instead of {expected:?}")),
            _ => Ok(after),
        }
    }

    fn perform(&mut self, op: &Op, reply: Option<&Reply>) -> Reply {
        let learned = match reply {
            Some(Reply::Board(record)) => Some(record),
            _ => None,
        };
        match &op.what {
            What::PutKind { kind, alone } => self.put_kind(kind, *alone),
            What::DeleteKind(name) => self.delete_kind(name),
            What::ChangeProfile { kind, change } => self.change_profile(kind, change),
            What::PutSettings { name, settings } => {
                self.put_settings(name, *settings, learned, op.now)
            }
            What::ChangeActivity { name, activity } => match self.boards.get_mut(name) {
                Some(incarnation) if incarnation.record.created => {
                    incarnation.record.activity = *activity;
                    Reply::Board(incarnation.record.clone())
                }
                _ => Reply::refused("Stale"),
            },
            What::Create(name) => self.create_board(name, learned, op.now),
            What::Delete(name) => match self.boards.remove(name) {
                Some(_) => Reply::Nothing,
                None => Reply::refused("NotFound"),
            },
            What::Apply { name, items, .. } => {
                let Some(incarnation) = self.boards.get_mut(name) else {
                    return Reply::refused("IncarnationEnded");
                };
                let twin = Arc::make_mut(&mut incarnation.twin);
                let reported: Vec<ItemOutcome> =
                    items.iter().map(|item| twin.apply(item, op.now)).collect();
                incarnation.in_use |= reported.contains(&ItemOutcome::Applied);
                Reply::Outcomes(reported)
            }
            What::Sweep => {
                self.drop_expired(op.now);
                Reply::Nothing
            }
        }
    }

    pub(crate) fn drop_expired(&mut self, now: Timestamp) {
        for incarnation in self.boards.values_mut() {
            Arc::make_mut(&mut incarnation.twin).drop_expired(now);
        }
    }

    fn of_kind(&mut self, kind: &KindName) -> impl Iterator<Item = &mut Existence> {
        let boards = self.boards.iter_mut();
        let boards = boards.filter(move |(name, _)| name.kind() == kind);
        boards.map(|(_, incarnation)| incarnation)
    }

    pub(crate) fn has_created_boards(&self, kind: &KindName) -> bool {
        let mut boards = self.boards.iter();
        boards.any(|(name, incarnation)| name.kind() == kind && incarnation.record.created)
    }

    fn write_kind(&mut self, name: &KindName, kind: Option<Arc<Kind>>) -> KindRecord {
        let held = self.kinds.get(name).map_or(0, |held| held.revision.0);
        let record = KindRecord {
            name: name.clone(),
            revision: Revision(held + 1),
            kind,
        };
        self.kinds.insert(name.clone(), record.clone());
        record
    }

    fn put_kind(&mut self, kind: &Arc<Kind>, alone: bool) -> Reply {
        if alone && self.has_created_boards(kind.name()) {
            return Reply::refused("HasBoards");
        }
        for incarnation in self.of_kind(kind.name()) {
            if alone {
                incarnation.record.meaning = kind.meaning();
                *incarnation =
                    Existence::new(incarnation.record.clone(), kind.clone(), incarnation.since);
            } else {
                Arc::make_mut(&mut incarnation.twin).set_kind(kind.clone());
            }
        }
        Reply::Kind(self.write_kind(kind.name(), Some(kind.clone())))
    }

    fn delete_kind(&mut self, name: &KindName) -> Reply {
        if self.has_created_boards(name) {
            return Reply::refused("HasBoards");
        }
        self.boards.retain(|board, _| board.kind() != name);
        self.profiles.retain(|(kind, _), _| kind != name);
        self.write_kind(name, None);
        Reply::Nothing
    }

    fn change_profile(&mut self, kind: &KindName, change: &ProfileChange) -> Reply {
        let exists = self.kinds.get(kind).is_some_and(|held| held.kind.is_some());
        if !exists {
            return Reply::refused("StaleKind");
        }
        let key = (kind.clone(), change.member.clone());
        match &change.profile {
            Some(profile) => self.profiles.insert(key, profile.clone()),
            None => self.profiles.remove(&key),
        };
        Reply::Nothing
    }

    /// Returns the board's kind, and its record as calls name it, except for what the store
    /// chooses.
    fn made(
        &self,
        name: &BoardName,
        settings: Option<BoardSettings>,
        learned: Option<&BoardRecord>,
    ) -> Option<(BoardRecord, Arc<Kind>)> {
        let kind = self.kinds.get(name.kind())?.kind.clone()?;
        let own = settings.unwrap_or(kind.shards().into());
        let record = BoardRecord {
            name: name.clone(),
            incarnation: learned?.incarnation,
            shards: own.shards,
            meaning: kind.meaning(),
            activity: own.activity,
            created: settings.is_none(),
        };
        Some((record, kind))
    }

    fn put_settings(
        &mut self,
        name: &BoardName,
        settings: BoardSettings,
        learned: Option<&BoardRecord>,
        now: Timestamp,
    ) -> Reply {
        if self
            .boards
            .get(name)
            .is_some_and(|incarnation| incarnation.record.created)
        {
            return Reply::refused("AlreadyCreated");
        }
        let Some((record, kind)) = self.made(name, Some(settings), learned) else {
            return Reply::refused("StaleKind");
        };
        let incarnation = Existence::new(record.clone(), kind, now);
        self.boards.insert(name.clone(), incarnation);
        Reply::Board(record)
    }

    fn create_board(
        &mut self,
        name: &BoardName,
        learned: Option<&BoardRecord>,
        now: Timestamp,
    ) -> Reply {
        if let Some(incarnation) = self.boards.get_mut(name) {
            if !incarnation.record.created {
                let kind = self
                    .kinds
                    .get(name.kind())
                    .and_then(|kind| kind.kind.clone());
                let Some(kind) = kind else {
                    return Reply::refused("StaleKind");
                };
                incarnation.record.created = true;
                *incarnation = Existence {
                    since: incarnation.since,
                    ..Existence::new(incarnation.record.clone(), kind, now)
                };
            }
            return Reply::Board(incarnation.record.clone());
        }
        let Some((record, kind)) = self.made(name, None, learned) else {
            return Reply::refused("StaleKind");
        };
        let incarnation = Existence::new(record.clone(), kind, now);
        self.boards.insert(name.clone(), incarnation);
        Reply::Board(record)
    }

    /// Returns this world without the boards that a sweep may have ended and that are not seen any
    /// more, or how it differs from what is seen.
    pub(crate) fn fits(&self, seen: &Seen, swept: Option<Timestamp>) -> Result<Self, String> {
        let kinds: Vec<KindRecord> = self.kinds.values().cloned().collect();
        if kinds != seen.kinds {
            return Err(format!("kinds {:?} instead of {kinds:?}", seen.kinds));
        }
        if self.profiles != seen.profiles {
            let (own, seen) = (&self.profiles, &seen.profiles);
            return Err(format!("profiles {seen:?} instead of {own:?}"));
        }
        let mut fit = self.clone();
        for (name, incarnation) in &self.boards {
            let Some(board) = seen.boards.get(name) else {
                if swept.is_some_and(|now| incarnation.may_be_gone(now)) {
                    fit.boards.remove(name);
                    continue;
                }
                return Err(format!("{name} is gone"));
            };
            let kind = self.kinds.get(name.kind());
            let left =
                kind.and_then(|kind| incarnation.left_by(kind.kind.as_ref()?, board, swept?));
            if let Some(left) = left {
                fit.boards.insert(name.clone(), left);
            } else if let Some(what) = incarnation.differs(board) {
                return Err(format!("{name}: {what}"));
            }
        }
        match seen
            .boards
            .keys()
            .find(|name| !self.boards.contains_key(*name))
        {
            Some(name) => Err(format!("{name} is there")),
            None => Ok(fit),
        }
    }
}
