//! Random calls: kinds are created, changed and deleted, boards are settled, created, filled and
//! deleted, time passes.
//!
//! [`Script`] draws the next call for a store as it is now. It keeps to the rules of a router: a
//! kind with created boards keeps its meaning, and a contribution counts in the windows that its
//! kind admits.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use board::{
    Activity, BoardName, ContributionId, Hidden, IdDigest, Keep, Kind, KindName, Member, Period,
    Profile, ShardCount, Timestamp, WindowRule,
};
use shard_store::{
    BoardRecord, BoardSettings, Change, Item, KindRecord, ProfileChange, ShardStore,
};

use crate::durability::op::{Op, What};
use crate::durability::world::World;
use testkit::conformance::any_kind::{any_kind, any_outright, any_values};
use testkit::conformance::fixtures::{Board, DAY, HOUR, MINUTE, NOW, board_name, member};
use testkit::dice::Dice;

const KINDS: [&str; 2] = ["gifts", "laps"];
const SUBJECTS: [&str; 3] = ["a", "b", "c"];

/// The number of members that may have a profile.
const PROFILED: usize = 5;

/// The number of contributions with ids that are sent again sometimes.
const SENT_MAX: usize = 40;

/// A stream of calls.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) dice: Dice,
    pub(crate) clock: Timestamp,
    members: Vec<Member>,
    /// What was sent with an id, and to which incarnation of a board.
    pub(crate) sent: VecDeque<(BoardRecord, Item)>,
    ids: u64,
    /// Whether sweeps are among the calls. After a crash any part of one may be left.
    pub(crate) sweeps: bool,
}

/// The state of the store that is needed to draw a call.
struct Sight {
    kinds: BTreeMap<KindName, KindRecord>,
    board: Option<BoardRecord>,
}

impl Sight {
    async fn of(store: &dyn ShardStore, name: &BoardName) -> Self {
        let kinds = store.kinds().await.unwrap().into_iter();
        Self {
            kinds: kinds.map(|kind| (kind.name.clone(), kind)).collect(),
            board: store.board(name).await.unwrap(),
        }
    }

    fn kind(&self, name: &KindName) -> Option<Arc<Kind>> {
        self.kinds.get(name)?.kind.clone()
    }
}

/// The names of all boards that may exist.
pub(crate) fn names() -> impl Iterator<Item = BoardName> {
    let of_kind = |kind| SUBJECTS.map(|subject| board_name(kind, subject));
    KINDS.into_iter().flat_map(of_kind)
}

/// The members that may have a profile.
pub(crate) fn profiled() -> impl Iterator<Item = Member> {
    (0..PROFILED).map(|n| member(&format!("u{n}")))
}

impl Script {
    /// A script of boards with about this many members.
    pub(crate) fn new(seed: u64, members: usize) -> Self {
        Self {
            dice: Dice::new(seed),
            clock: NOW,
            members: (0..members).map(|n| member(&format!("u{n}"))).collect(),
            sent: VecDeque::new(),
            ids: 0,
            sweeps: true,
        }
    }

    /// Returns the next call.
    pub(crate) async fn next(&mut self, store: &Arc<dyn ShardStore>, worlds: &[World]) -> Op {
        let kind = KindName::new(self.dice.pick::<&str>(&KINDS)).unwrap();
        let name = board_name(kind.as_str(), self.dice.pick::<&str>(&SUBJECTS));
        let sight = Sight::of(&**store, &name).await;
        let held = sight.kind(&kind);
        let what = match (self.dice.below(40), &held) {
            (0..4, _) if self.sweeps => {
                self.clock = self.clock.plus(self.any_span());
                What::Sweep
            }
            (4, _) => self.put_kind(&kind, held.as_deref(), worlds),
            (5, Some(_)) if self.dice.one_in(3) => What::DeleteKind(kind),
            (6, _) if sight.board.is_some() => What::Delete(name),
            (7, Some(_)) => What::PutSettings {
                name,
                settings: BoardSettings {
                    shards: ShardCount::new(*self.dice.pick(&[1, 2, 8])).unwrap(),
                    activity: self.any_activity(),
                },
            },
            (8, Some(_)) if sight.board.as_ref().is_some_and(|board| board.created) => {
                What::ChangeActivity {
                    name,
                    activity: self.any_activity(),
                }
            }
            (8..11, Some(_)) => What::ChangeProfile {
                kind,
                change: self.any_profile(),
            },
            (_, None) => self.put_kind(&kind, None, worlds),
            (_, Some(held)) => match sight.board {
                Some(record) if record.created => {
                    let board = Board {
                        store: store.clone(),
                        kind: held.clone(),
                        record,
                    };
                    self.contribute(&board, worlds)
                }
                _ => What::Create(name),
            },
        };
        Op {
            now: self.clock,
            what,
        }
    }

    /// Returns a contribution that was sent before, if its outcome is determined.
    pub(crate) async fn again(
        &self,
        (record, item): &(BoardRecord, Item),
        store: &dyn ShardStore,
        worlds: &[World],
    ) -> Option<Op> {
        let held = store.board(&record.name).await.unwrap()?;
        let same = held.incarnation == record.incarnation;
        (same && held.created && self.is_decided(record, item, worlds)).then(|| Op {
            now: self.clock,
            what: What::Apply {
                name: record.name.clone(),
                shard: record.shards.shard_of(item.hash),
                items: vec![item.clone()],
            },
        })
    }

    fn is_decided(&self, record: &BoardRecord, item: &Item, worlds: &[World]) -> bool {
        let mut incarnations = worlds.iter().map(|world| world.boards.get(&record.name));
        incarnations.all(|incarnation| {
            incarnation.is_some_and(|incarnation| incarnation.twin.is_decided(item, self.clock))
        })
    }

    /// A time about now. Times outside of it are for a router to reject: a store keeps them, and
    /// ends the board.
    fn any_activity(&mut self) -> Activity {
        let ends_at = self.clock.plus(self.any_span()).plus(MINUTE);
        let starts_at = self.dice.one_in(2).then_some(self.clock);
        let kept = self.dice.one_in(2).then(|| self.any_span() + MINUTE);
        match self.dice.below(4) {
            0 => Activity::ALWAYS,
            3 => {
                let idle = Some(self.any_span() + MINUTE);
                let activity = Activity::new(starts_at, None, None).unwrap();
                activity.with_idle(idle).unwrap()
            }
            1 => Activity::new(starts_at, None, None).unwrap(),
            _ => Activity::new(starts_at, Some(ends_at), kept).unwrap(),
        }
    }

    fn any_span(&mut self) -> Duration {
        let unit = *self.dice.pick(&[MINUTE, HOUR, HOUR, DAY]);
        unit * u32::try_from(self.dice.below(30)).unwrap()
    }

    fn any_profile(&mut self) -> ProfileChange {
        let json = format!("{{\"data\":{}}}", self.dice.below(1_000));
        let put = self.dice.below(3) > 0;
        ProfileChange {
            member: profiled().nth(self.dice.below(PROFILED)).unwrap(),
            profile: put.then(|| Profile::new(&json).unwrap()),
        }
    }

    /// Another kind of that name or, if it has boards, a permitted change of it.
    fn put_kind(&mut self, name: &KindName, held: Option<&Kind>, worlds: &[World]) -> What {
        let shards = *self.dice.pick(&[1, 2, 4]);
        let mut spec = any_kind(&mut self.dice, shards).spec().clone();
        spec.name = name.clone();
        let in_use = worlds.iter().any(|world| world.has_created_boards(name));
        let kind = match held.filter(|_| in_use) {
            Some(held) => changed(held, spec.windows, self.clock),
            None => Kind::new(spec).unwrap(),
        };
        What::PutKind {
            kind: Arc::new(kind.hiding(self.any_hidden())),
            // Rejected sometimes, if it is in use.
            alone: !in_use || self.dice.one_in(4),
        }
    }

    /// Mostly none; sometimes so many that the kind is longer than all else that is written.
    fn any_hidden(&mut self) -> Hidden {
        let count = match self.dice.below(4) {
            0 => 1 + self.dice.below(4),
            1 => 80,
            _ => 0,
        };
        let named = |number| member(&format!("{number:0>128}"));
        Hidden::new((0..count).map(named)).unwrap()
    }

    fn contribute(&mut self, board: &Board, worlds: &[World]) -> What {
        let shard = *self.dice.pick(&board.shards().collect::<Vec<_>>());
        let here = self.members.iter().cloned();
        let here: Vec<Member> = here.filter(|u| board.shard_of(u) == shard).collect();
        // Sometimes all members contribute, and the board outgrows one vector.
        let rush = self.dice.one_in(4);
        let count = if rush {
            here.len()
        } else {
            1 + self.dice.below(6)
        };
        let mut items = Vec::new();
        for index in 0..count.min(here.len() * 2) {
            let member = if rush {
                &here[index]
            } else {
                self.dice.pick(&here)
            };
            let item = self.any_item(board, member);
            items.extend(item.filter(|item| self.is_decided(&board.record, item, worlds)));
        }
        for item in items.iter().filter(|item| item.id.is_some()).take(4) {
            self.sent.push_back((board.record.clone(), item.clone()));
        }
        while self.sent.len() > SENT_MAX {
            self.sent.pop_front();
        }
        What::Apply {
            name: board.record.name.clone(),
            shard,
            items,
        }
    }

    fn any_item(&mut self, board: &Board, member: &Member) -> Option<Item> {
        let dice = &mut self.dice;
        let change = match dice.below(12) {
            0 => *dice.pick(&[Change::Remove, Change::RemoveFrom, Change::Expire]),
            1 => Change::Set(any_outright(dice, &board.kind)),
            _ => Change::Fold(any_values(dice, &board.kind)),
        };
        let at = match dice.below(3) {
            0 => self.clock,
            1 => self
                .clock
                .plus(MINUTE * u32::try_from(dice.below(6)).unwrap()),
            _ => self
                .clock
                .minus(HOUR * u32::try_from(dice.below(40)).unwrap()),
        };
        let windows = board.kind.admit(at, self.clock).ok()?;
        let windows = match change {
            Change::Expire => [*dice.pick(&windows)].into(),
            _ => windows,
        };
        let at = board.kind.rules().kept_time(at);
        let with_id = !change.is_removal() && dice.one_in(2);
        self.ids += 1;
        let id = with_id.then(|| ContributionId::new(&format!("evt-{}", self.ids / 2)).unwrap());
        Some(Item {
            member: member.clone(),
            hash: member.placement_hash(),
            change,
            at,
            id: id.map(|id| IdDigest::new(board.record.incarnation, member, &id)),
            windows,
        })
    }
}

/// The kind with these windows in addition, kept for a shorter time.
fn changed(held: &Kind, windows: Vec<WindowRule>, now: Timestamp) -> Kind {
    let mut spec = held.spec().clone();
    for rule in windows {
        let mut known = spec.windows.iter_mut();
        match known.find(|known| known.period == rule.period) {
            Some(known) => known.keep = shortened(known.keep),
            None if rule.period == Period::All => {}
            None if rule.period == Period::Hour && !spec.calendar.has_whole_hours() => {}
            None => spec.windows.push(rule),
        }
    }
    held.changed_to(&Kind::new(spec).unwrap(), now).unwrap()
}

fn shortened(keep: Keep) -> Keep {
    match keep {
        // The script's only such window is the one without bounds.
        Keep::Forever => Keep::Idle(DAY * 20),
        Keep::After(span) => Keep::After(span * 3 / 4),
        Keep::Idle(span) => Keep::Idle(span * 3 / 4),
    }
}
