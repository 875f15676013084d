//! Boards that several threads create, delete and wait for.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use board::{Activity, Member, Mode, Rules, Ties};
use parking_lot::Mutex;
use testkit::conformance::fixtures::gifts;

use board::{Hidden, ShardCount};
use shard_store::Revision;

use super::*;
use crate::log::NoLog;

fn points() -> Kind {
    points_in(Mode::Accumulate)
}

fn points_in(mode: Mode) -> Kind {
    gifts(|spec| {
        spec.rules = Rules::new(spec.rules.fields().to_vec(), mode, Ties::Earliest).unwrap();
        spec.shards = 16;
    })
}

#[test]
fn a_deleted_board_takes_no_memory() {
    let registry = Registry::new(0);
    let kind = registry.put_kind(Arc::new(points()), Revision(0), true, &mut NoLog);
    let kind = kind.unwrap();
    let name: BoardName = "gifts/room".parse().unwrap();
    for incarnation in 1..=3 {
        let incarnation = Incarnation(incarnation);
        registry
            .create_board(
                &name,
                &kind,
                None,
                incarnation,
                Timestamp::EARLIEST,
                &mut NoLog,
            )
            .unwrap();
        let cell = Arc::downgrade(&registry.cell(incarnation).unwrap());
        registry.delete_board(&name, &mut NoLog).unwrap();
        assert_eq!(cell.strong_count(), 0);
        assert_eq!(
            registry.cell(incarnation).err(),
            Some(StoreError::IncarnationEnded)
        );
    }
}

#[test]
fn a_kind_that_hides_more_and_more_members_is_one_object_for_its_boards() {
    let registry = Registry::new(0);
    let mut written = Revision(0);
    let mut hidden = Hidden::default();
    let mut kept: Vec<Arc<Kind>> = Vec::new();
    for number in 0..100 {
        hidden = hidden
            .with(&Member::new(&format!("u{number}")).unwrap())
            .unwrap();
        let kind = Arc::new(points().hiding(hidden.clone()));
        let without_boards = number == 0;
        let record = registry
            .put_kind(kind, written, without_boards, &mut NoLog)
            .unwrap();
        assert_eq!(record.kind.as_ref().unwrap().hidden().len(), number + 1);
        written = record.revision;
        let name: BoardName = format!("gifts/room-{number}").parse().unwrap();
        let incarnation = Incarnation(u64::try_from(number).unwrap());
        registry
            .create_board(
                &name,
                &record,
                None,
                incarnation,
                Timestamp::EARLIEST,
                &mut NoLog,
            )
            .unwrap();
        let frozen = registry
            .cell(incarnation)
            .unwrap()
            .freeze(0, || ())
            .unwrap();
        assert!(frozen.kind.hidden().is_empty());
        kept.push(frozen.kind);
    }
    assert!(kept.iter().all(|kind| Arc::ptr_eq(kind, &kept[0])));
}

const DEADLINE: Duration = Duration::from_secs(20);

/// Returns a registry with a kind and its board `gifts/a`.
fn with_a_board() -> (Registry, KindRecord) {
    let registry = Registry::new(0);
    let kind = registry.put_kind(Arc::new(points()), Revision(0), true, &mut NoLog);
    let kind = kind.unwrap();
    let (name, now) = ("gifts/a".parse().unwrap(), Timestamp::EARLIEST);
    let created = registry.create_board(&name, &kind, None, Incarnation(1), now, &mut NoLog);
    created.unwrap();
    (registry, kind)
}

#[test]
fn no_other_board_waits_for_the_readers_of_a_board_that_ends() {
    let late = Timestamp::EARLIEST.plus(board::limits::KEEP_MAX);
    let ends: [fn(&Registry, &SharedCell, Timestamp); 3] = [
        |registry, cell, _| registry.delete_board(cell.name(), &mut NoLog).unwrap(),
        |registry, cell, now| {
            registry.end_over(cell, Incarnation(3), now, &mut NoLog, |_| true);
        },
        |registry, cell, now| {
            registry.drop_if_empty(cell, &points(), Incarnation(3), now, &mut NoLog);
        },
    ];
    for end in ends {
        let (registry, kind) = &with_a_board();
        let cell = &registry.cell(Incarnation(1)).unwrap();
        let reader = cell.hold();
        let (sender, done) = channel();
        thread::scope(|scope| {
            scope.spawn(|| end(registry, cell, late));
            let deadline = Instant::now() + DEADLINE;
            while !cell.is_awaited() {
                assert!(Instant::now() < deadline, "no thread waits for the reader");
                thread::yield_now();
            }
            scope.spawn(move || {
                let (name, now) = ("gifts/b".parse().unwrap(), Timestamp::EARLIEST);
                let log = &mut NoLog;
                let created = registry.create_board(&name, kind, None, Incarnation(2), now, log);
                sender
                    .send(created.is_ok() && registry.board(&name).is_some())
                    .unwrap();
            });
            let done = done.recv_timeout(DEADLINE);
            drop(reader);
            assert_eq!(done, Ok(true), "another board waits for the reader");
        });
        assert_eq!(registry.board(cell.name()), None);
        assert_eq!(
            registry.cell(Incarnation(1)).err(),
            Some(StoreError::IncarnationEnded)
        );
    }
}

/// Events as a crash keeps or loses them: those of a group together.
#[derive(Default)]
struct Groups {
    groups: Vec<Vec<&'static str>>,
}

fn name_of(event: &Event<'_>) -> &'static str {
    match event {
        Event::BoardMade { .. } => "made",
        Event::BoardCreated { .. } => "created",
        Event::BoardEnded { .. } => "ended",
        other => panic!("{other:?}"),
    }
}

impl Log for Groups {
    fn record(&mut self, event: Event<'_>) {
        self.groups.push(vec![name_of(&event)]);
    }

    fn record_together(&mut self, events: [Event<'_>; 2]) {
        self.groups.push(events.iter().map(name_of).collect());
    }
}

/// Returns the settings of a board that starts now and ends in an hour.
fn battle(now: Timestamp) -> BoardSettings {
    let hour = Duration::from_hours(1);
    BoardSettings {
        shards: ShardCount::new(16).unwrap(),
        activity: Activity::new(Some(now), Some(now.plus(hour)), Some(hour)).unwrap(),
    }
}

#[test]
fn a_board_ends_together_with_the_settings_that_its_name_keeps() {
    let registry = Registry::new(0);
    let kind = registry.put_kind(Arc::new(points()), Revision(0), true, &mut NoLog);
    let kind = kind.unwrap();
    let (name, now) = ("gifts/battle".parse().unwrap(), Timestamp::EARLIEST);
    let settings = battle(now);
    let [first, second, third] = [1, 2, 3].map(Incarnation);
    let log = &mut Groups::default();
    let made = registry.put_settings(&name, &kind, settings, first, now, log);
    made.unwrap();
    // The incarnation of new settings: this board has some already.
    let unused = Incarnation(9);
    let created = registry.create_board(&name, &kind, Some(first), unused, now, log);
    created.unwrap();
    assert!(registry.withdraw(first, second, log));
    let created = registry.create_board(&name, &kind, Some(second), unused, now, log);
    created.unwrap();
    let cell = registry.cell(second).unwrap();
    registry.end_over(&cell, third, now, log, |_| true);
    let kept = registry.board(&name).unwrap();
    assert_eq!((kept.incarnation, kept.created), (third, false));
    let ended = ["ended", "made"];
    let expected: [&[&str]; 5] = [&["made"], &["created"], &ended, &["created"], &ended];
    assert_eq!(log.groups, expected);
}

/// An event as a start replays it.
enum Happened {
    Kind(KindRecord, bool),
    Made(BoardRecord, Timestamp),
    Ended(Incarnation),
}

/// The events, in order.
#[derive(Clone, Default)]
struct Journal(Arc<Mutex<Vec<Happened>>>);

impl Log for Journal {
    fn record(&mut self, event: Event<'_>) {
        let happened = match event {
            Event::KindWritten {
                record,
                without_boards,
            } => Happened::Kind(record.into_owned(), without_boards),
            Event::BoardMade { record, at } => Happened::Made(record.into_owned(), at),
            Event::BoardEnded { incarnation } => Happened::Ended(incarnation),
            other => panic!("{other:?}"),
        };
        self.0.lock().push(happened);
    }
}

/// A journal that pauses after each event.
struct Paused {
    journal: Journal,
    noted: Sender<()>,
    go_on: Receiver<()>,
}

impl Log for Paused {
    fn record(&mut self, event: Event<'_>) {
        self.journal.record(event);
        self.noted.send(()).unwrap();
        self.go_on.recv_timeout(DEADLINE).unwrap();
    }
}

#[test]
fn settings_left_while_their_kind_changes_are_the_same_after_a_start() {
    let changes: [fn(&Registry, &KindRecord, &mut dyn Log); 2] = [
        |registry, kind, log| {
            let other = Arc::new(points_in(Mode::Best));
            registry.put_kind(other, kind.revision, true, log).unwrap();
        },
        |registry, kind, log| {
            registry
                .delete_kind(&kind.name, kind.revision, log)
                .unwrap();
        },
    ];
    for change in changes {
        let (registry, journal) = (&Registry::new(0), Journal::default());
        let log = &mut journal.clone();
        let kind = &registry
            .put_kind(Arc::new(points()), Revision(0), true, log)
            .unwrap();
        let (name, now) = ("gifts/battle".parse().unwrap(), Timestamp::EARLIEST);
        let [first, second, third] = [1, 2, 3].map(Incarnation);
        let made = registry.put_settings(&name, kind, battle(now), first, now, log);
        let made = made.unwrap();
        let cell = &registry.cell(first).unwrap();
        // The sweep has computed what is left under the current kind, and waits for a reader.
        let reader = cell.hold();
        thread::scope(|scope| {
            let mut log = journal.clone();
            let sweep =
                scope.spawn(move || registry.end_over(cell, second, now, &mut log, |_| true));
            let deadline = Instant::now() + DEADLINE;
            while !cell.is_awaited() {
                assert!(Instant::now() < deadline, "no thread waits for the reader");
                thread::yield_now();
            }
            let ((noted, is_noted), (go, go_on)) = (channel(), channel());
            let mut log = Paused {
                journal: journal.clone(),
                noted,
                go_on,
            };
            let writer = scope.spawn(move || change(registry, kind, &mut log));
            is_noted.recv_timeout(DEADLINE).unwrap();
            drop(reader);
            sweep.join().unwrap();
            go.send(()).unwrap();
            writer.join().unwrap();
        });
        let happened = &*journal.0.lock();
        let is_as_meant = matches!(
            happened[2..],
            [Happened::Kind(..), Happened::Ended(_), Happened::Made(..)]
        );
        assert!(is_as_meant);
        let started = Registry::new(0);
        for happened in happened {
            match happened {
                Happened::Kind(record, without_boards) => {
                    started.replay_kind(record.clone(), *without_boards);
                }
                Happened::Made(record, at) => {
                    assert_eq!(started.replay_made(record, *at), Some(()));
                }
                Happened::Ended(incarnation) => {
                    started.replay_ended(*incarnation);
                }
            }
        }
        assert_eq!(started.board(&name), registry.board(&name));
        assert_eq!(started.kinds(), registry.kinds());
        // A board was created under the previous kind.
        let created = BoardRecord {
            incarnation: third,
            created: true,
            ..made
        };
        assert_eq!(started.replay_made(&created, now), None);
    }
}

#[test]
fn reading_an_existing_board_waits_for_no_creation() {
    let (registry, kind) = &with_a_board();
    let name = &"gifts/a".parse().unwrap();
    let (sender, done) = channel();
    // Other threads look up boards meanwhile, which a writer of the names has to wait for.
    let lookup = registry.names.read();
    thread::scope(|scope| {
        scope.spawn(move || sender.send(registry.created(name, kind, Timestamp::EARLIEST)));
        let done = done.recv_timeout(DEADLINE);
        drop(lookup);
        assert_eq!(done.unwrap().unwrap().incarnation, Incarnation(1));
    });
    let other = "gifts/b".parse().unwrap();
    assert_eq!(registry.created(&other, kind, Timestamp::EARLIEST), None);
    let older = KindRecord {
        revision: Revision(0),
        ..kind.clone()
    };
    assert_eq!(registry.created(name, &older, Timestamp::EARLIEST), None);
}
