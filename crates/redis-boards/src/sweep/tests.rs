//! What a server leaves behind that ends in the middle of it, and how another finishes that.

mod deleted;

use bytes::Bytes;
use redis_nodes::registry_key;

use board::{Activity, Calendar, Keep, Kind, Period, ShardCount, Window, WindowRule};

use super::*;
use crate::fixtures::gifts::{NOW, day, gifts};
use crate::fixtures::parts::OpenedParts;
use crate::keys;
use crate::library::library;
use crate::retention::{LINGER, gone_at};
use shard_store::{BoardSettings, Revision};

const DAY: Duration = Duration::from_hours(24);

fn week_of_idleness() -> WindowRule {
    WindowRule {
        keep: Keep::Idle(DAY * 8),
        ..WindowRule::with_defaults(Period::All)
    }
}

fn now() -> Timestamp {
    Timestamp::from_millis(NOW)
}

/// No list is short here: their refills are tested in `store-redis`.
#[derive(Debug)]
struct NoLists;

impl RefillLists for NoLists {
    fn refill(self: Arc<Self>, list: ShortList) {
        panic!("{list:?}");
    }
}

struct SweptBoard {
    opened: OpenedParts,
    sweep: Sweep,
    kind: Arc<Kind>,
    record: Record,
}

impl SweptBoard {
    async fn new(windows: Vec<WindowRule>) -> Self {
        let opened = OpenedParts::plain(library()).await;
        let kind = Arc::new(gifts(windows));
        let put = opened.registry.put_kind(kind.clone(), Revision(0), true);
        let put = put.await.unwrap();
        let name = "gifts/room 1".parse().unwrap();
        let created = opened.registry.create_board(&name, &put, None, now());
        let (record, _) = created.await.unwrap();
        Self {
            sweep: Sweep::new(
                opened.servers.clone(),
                opened.session.clone(),
                opened.registry.clone(),
                opened.incarnations.clone(),
                Arc::new(NoLists),
                &opened.settings,
            ),
            opened,
            kind,
            record,
        }
    }

    fn shards(&self) -> std::ops::Range<u16> {
        0..self.record.board().shards.get()
    }

    fn meta(&self, shard: u16, field: &str) -> Option<String> {
        let key = self.record.spread.keys(shard).meta();
        self.opened.field(&key, field)
    }

    fn tell(&self, shard: u16, field: &str, value: &str) {
        let key = self.record.spread.keys(shard).meta();
        let words: [&[u8]; 4] = [b"HSET", &key, field.as_bytes(), value.as_bytes()];
        self.opened.redis.command(&words).integer();
    }

    /// Lays two members down on a shard, written now.
    fn lay(&self, shard: u16, window: Window) {
        let of = self.record.spread.keys(shard);
        for member in ["u1", "u2"] {
            let (scores, rank) = (of.scores(window), of.rank(window));
            let words: [&[u8]; 4] = [b"HSET", &scores, member.as_bytes(), b"standing"];
            self.opened.redis.command(&words).integer();
            let words: [&[u8]; 4] = [b"ZADD", &rank, b"1", member.as_bytes()];
            self.opened.redis.command(&words).integer();
        }
        let version = format!("v:{}", keys::window_name(window));
        self.tell(shard, &version, "7 00000000000000aa 3");
        self.tell(shard, "w", &NOW.to_string());
    }

    fn holds(&self, shard: u16, window: Window) -> bool {
        let of = self.record.spread.keys(shard);
        let held = [of.scores(window), of.rank(window)].map(|key| self.opened.exists(&key));
        assert_eq!(held[0], held[1]);
        held[0]
    }

    /// How often Redis has run this command.
    fn calls(&self, command: &str) -> i64 {
        let stats = self.opened.redis.command(&["INFO", "commandstats"]);
        let calls = stats.field(&format!("cmdstat_{command}")).map(|line| {
            let count = line.split([',', '=']).nth(1).unwrap();
            count.parse().unwrap()
        });
        calls.unwrap_or(0)
    }

    async fn is_there(&self) -> bool {
        let found = self.opened.registry.board(&self.record.board().name).await;
        found.unwrap().is_some()
    }
}

fn today() -> Window {
    Calendar::utc().span_at(Period::Day, now()).window
}

#[tokio::test]
async fn a_window_is_closed_on_all_shards() {
    let room = SweptBoard::new(vec![day(), WindowRule::with_defaults(Period::All)]).await;
    room.lay(1, today());
    room.lay(1, Window::ALL_TIME);
    room.sweep.drop_expired(now().plus(DAY)).await.unwrap();
    assert!(room.holds(1, today()));
    let gone = gone_at(&room.kind, today()).unwrap();
    room.sweep.drop_expired(gone).await.unwrap();
    assert!(!room.holds(1, today()) && room.holds(1, Window::ALL_TIME));
    let start = format!("- {} - -", today().start().millis());
    for shard in room.shards() {
        assert_eq!(room.meta(shard, "d").as_deref(), Some(&*start));
    }
    assert_eq!(
        room.meta(1, "v:all").as_deref(),
        Some("7 00000000000000aa 3")
    );
    // An earlier one that is dropped later moves nothing.
    let shards = room.sweep.shards(&room.record.spread);
    let before = Calendar::utc()
        .span_at(Period::Day, now().minus(DAY))
        .window;
    shards.drop_windows(1, &[before]).await.unwrap();
    assert_eq!(room.meta(1, "d").as_deref(), Some(&*start));
}

#[tokio::test]
async fn a_deletion_that_was_interrupted_is_finished() {
    let room = SweptBoard::new(vec![day()]).await;
    room.lay(2, today());
    room.tell(2, "f", "somebody 1");
    room.opened
        .registry
        .delete_board(&room.record.board().name)
        .await
        .unwrap();
    let dying = registry_key("dying");
    assert!(room.opened.exists(&dying) && room.holds(2, today()));
    room.sweep.drop_expired(now()).await.unwrap();
    assert!(!room.opened.exists(&dying) && !room.holds(2, today()));
    for shard in room.shards() {
        let key = room.record.spread.keys(shard).meta();
        let fields = room.opened.redis.command(&[b"HGETALL", &*key]);
        let fields: Vec<_> = fields.items().iter().map(|field| field.text()).collect();
        assert_eq!(fields, ["x", "1"]);
        let kept = room.opened.redis.command(&[b"PTTL", &*key]).integer();
        assert!(kept > 23 * 3_600_000, "{kept}");
    }
}

#[tokio::test]
async fn a_writer_finishes_what_was_begun_to_be_emptied() {
    let room = SweptBoard::new(vec![week_of_idleness()]).await;
    for shard in [0, 3] {
        room.lay(shard, Window::ALL_TIME);
    }
    let bound = now().plus(DAY);
    let begun = room.opened.registry.begin_emptying(&room.record, bound);
    assert!(begun.await.unwrap());
    let later = now().plus(DAY * 9);
    let board = room.record.board();
    let placed = room
        .opened
        .incarnations
        .place_to_write(board, 3, &room.kind, later);
    placed.await.unwrap();
    for shard in [0, 3] {
        assert!(!room.holds(shard, Window::ALL_TIME));
        let version = room.meta(shard, "v:all").unwrap();
        let told = format!("9 {} ", room.opened.session.name());
        assert!(version.starts_with(&told), "{version}");
    }
    let record = room
        .opened
        .registry
        .board(&board.name)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((record.touched, record.emptying), (later, None));
    // Who began it comes back, and finds a shard that was written to since.
    room.lay(3, Window::ALL_TIME);
    room.tell(3, "w", &later.millis().to_string());
    let shards = room.sweep.shards(&room.record.spread);
    shards.empty_all(bound, &room.opened.session).await.unwrap();
    assert!(room.holds(3, Window::ALL_TIME));
    let begun = room.opened.registry.begin_emptying(&room.record, bound);
    assert!(!begun.await.unwrap(), "it was touched");
}

#[tokio::test]
async fn a_sweep_finishes_what_was_begun_to_be_emptied() {
    let room = SweptBoard::new(vec![week_of_idleness(), day()]).await;
    room.lay(0, Window::ALL_TIME);
    let bound = now().plus(DAY);
    let begun = room.opened.registry.begin_emptying(&room.record, bound);
    assert!(begun.await.unwrap());
    room.lay(1, today());
    room.sweep
        .drop_expired(now().plus(Duration::from_mins(2)))
        .await
        .unwrap();
    assert!(!room.holds(0, Window::ALL_TIME) && room.holds(1, today()));
    let record = room.opened.registry.board(&room.record.board().name).await;
    assert_eq!(record.unwrap().unwrap().emptying, None);
}

#[tokio::test]
async fn a_board_is_not_idle_while_writers_touch_it() {
    let room = SweptBoard::new(vec![week_of_idleness()]).await;
    room.lay(0, Window::ALL_TIME);
    let (incarnations, board) = (&room.opened.incarnations, room.record.board());
    let touched = async || {
        let found = room.opened.registry.board(&board.name).await.unwrap();
        found.unwrap().touched
    };
    // An eighth of the time costs nothing.
    let eighth = now().plus(DAY);
    let just_before = eighth.minus(Duration::from_millis(1));
    for (at, expected) in [
        (just_before, now()),
        (eighth, eighth),
        (just_before, eighth),
    ] {
        incarnations
            .place_to_write(board, 0, &room.kind, at)
            .await
            .unwrap();
        assert_eq!(touched().await, expected);
    }
    room.sweep.drop_expired(now().plus(DAY * 9)).await.unwrap();
    assert!(room.holds(0, Window::ALL_TIME));
    room.sweep.drop_expired(eighth.plus(DAY * 9)).await.unwrap();
    assert!(!room.is_there().await);
    let dead = incarnations
        .place_to_write(board, 0, &room.kind, eighth)
        .await;
    assert_eq!(dead, Err(StoreError::IncarnationEnded));
}

#[tokio::test]
async fn a_shard_that_holds_something_is_not_frozen() {
    let room = SweptBoard::new(vec![week_of_idleness()]).await;
    let shards = room.sweep.shards(&room.record.spread);
    let (mine, other) = (Bytes::from_static(b"mine"), Bytes::from_static(b"other"));
    let seen = shards.survey(0).await.unwrap();
    let freeze = async |token, idle| shards.freeze(0, token, &seen, idle).await.unwrap();
    assert!(freeze(&mine, false).await);
    let ends: i64 = room.meta(0, "f").unwrap()["mine ".len()..].parse().unwrap();
    assert!(ends > 0 && freeze(&mine, false).await, "sent again");
    shards.thaw(0, &other).await.unwrap();
    assert!(room.meta(0, "f").is_some());
    shards.thaw(0, &mine).await.unwrap();
    assert_eq!(room.meta(0, "f"), None);
    room.tell(0, "v:all", "7 00000000000000aa 3");
    assert!(!freeze(&mine, false).await, "it has a window");
    assert!(freeze(&mine, true).await, "an idle board's, empty");
    shards.thaw(0, &mine).await.unwrap();
    room.lay(0, Window::ALL_TIME);
    assert!(!freeze(&mine, true).await, "not empty");
    let empty = shards.survey(1).await.unwrap();
    room.tell(1, "g", "0 5");
    assert!(
        !shards.freeze(1, &mine, &empty, true).await.unwrap(),
        "an id is new"
    );
}

#[tokio::test]
async fn a_freeze_that_ended_is_taken_back_if_the_board_exists() {
    let room = SweptBoard::new(vec![day()]).await;
    let board = room.record.board();
    room.tell(0, "f", "somebody 9999999999999");
    room.opened.incarnations.thaw(board, 0).await.unwrap();
    assert!(room.meta(0, "f").is_some(), "it has not ended");
    room.tell(0, "f", "somebody 1");
    room.opened.incarnations.thaw(board, 0).await.unwrap();
    assert_eq!(room.meta(0, "f"), None);
    room.tell(0, "f", "somebody 1");
    room.opened
        .registry
        .delete_board(&board.name)
        .await
        .unwrap();
    let dead = room.opened.incarnations.thaw(board, 0).await;
    assert_eq!(dead, Err(StoreError::IncarnationEnded));
    assert!(room.meta(0, "f").is_some());
}

#[tokio::test]
async fn an_incarnation_that_a_shard_calls_dead_is_ended_again() {
    let room = SweptBoard::new(vec![WindowRule::with_defaults(Period::All)]).await;
    room.lay(0, Window::ALL_TIME);
    let board = room.record.board();
    // The registry has lost that it was deleted.
    room.tell(2, "x", "1");
    room.opened.incarnations.place(board, 2).await.unwrap();
    room.opened.incarnations.forget(board);
    let dead = room.opened.incarnations.place(board, 2).await;
    assert_eq!(dead, Err(StoreError::IncarnationEnded));
    room.sweep.drop_expired(now()).await.unwrap();
    assert!(!room.is_there().await && !room.holds(0, Window::ALL_TIME));
}

#[tokio::test]
async fn two_servers_sweep_each_board_once() {
    let room = SweptBoard::new(vec![WindowRule::with_defaults(Period::All)]).await;
    let kind = room.opened.registry.kind(room.kind.name()).await;
    let kind = kind.unwrap().unwrap();
    for number in 0..300 {
        let name = format!("gifts/{number}").parse().unwrap();
        room.opened
            .registry
            .create_board(&name, &kind, None, now())
            .await
            .unwrap();
    }
    let session = Arc::new(Session::new().unwrap());
    let settings = &room.opened.settings;
    let registry = Registry::new(room.opened.servers.clone(), session.clone(), settings);
    let other = Sweep::new(
        room.opened.servers.clone(),
        session,
        Arc::new(registry),
        room.opened.incarnations.clone(),
        Arc::new(NoLists),
        settings,
    );
    let later = now().plus(LINGER);
    let (one, two) = tokio::join!(room.sweep.drop_expired(later), other.drop_expired(later));
    one.and(two).unwrap();
    let boards = room.opened.registry.boards(&kind.name, None, 1_000).await;
    assert_eq!(boards.unwrap(), []);
    assert!(!room.opened.exists(&registry_key("due")));
    assert!(!room.opened.exists(&registry_key("dying")));
}

#[tokio::test]
async fn a_board_without_a_successful_write_ends_and_its_settings_stay() {
    let room = SweptBoard::new(vec![WindowRule::with_defaults(Period::All)]).await;
    let registry = &room.opened.registry;
    let kind = registry.kind(room.kind.name()).await.unwrap().unwrap();
    let battle = Activity::new(Some(now()), Some(now().plus(DAY * 10)), None).unwrap();
    let later = now().plus(LINGER * 5);
    let mut settled = Vec::new();
    for (name, activity) in [("gifts/wide", Activity::ALWAYS), ("gifts/battle", battle)] {
        let name: BoardName = name.parse().unwrap();
        let settings = BoardSettings {
            shards: ShardCount::new(8).unwrap(),
            activity,
        };
        let record = registry.put_settings(&name, &kind, settings, now()).await;
        let seen = Some(record.unwrap().spread.incarnation());
        registry
            .create_board(&name, &kind, seen, later)
            .await
            .unwrap();
        settled.push((name, settings));
    }
    let listed = async || {
        let listed = registry.boards(&kind.name, None, 10).await;
        listed.unwrap().len()
    };
    let end = later.plus(LINGER);
    room.sweep
        .drop_expired(end.minus(Duration::from_millis(1)))
        .await
        .unwrap();
    assert_eq!(listed().await, 2);
    room.sweep.drop_expired(end).await.unwrap();
    assert_eq!(listed().await, 0);
    for (name, settings) in settled {
        let left = registry.board(&name).await.unwrap().unwrap();
        let board = left.board();
        assert_eq!(
            (board.shards, board.activity),
            (settings.shards, settings.activity)
        );
        assert_eq!((board.created, left.at), (false, now()));
    }
}

#[tokio::test]
async fn a_window_is_due_whatever_was_known_of_the_board_before() {
    let room = SweptBoard::new(vec![day()]).await;
    let (incarnations, board) = (&room.opened.incarnations, room.record.board());
    let day_of = |at| Calendar::utc().span_at(Period::Day, at).window;
    room.lay(0, day_of(now().plus(DAY * 3)));
    // Known: due a minute from its creation. Then it has its turn, and is due a day later.
    incarnations
        .place_to_write(board, 0, &room.kind, now())
        .await
        .unwrap();
    let later = now().plus(DAY);
    room.sweep.drop_expired(later).await.unwrap();
    room.lay(1, today());
    incarnations
        .opened(board, &room.kind, &[today()], later)
        .await;
    let gone = gone_at(&room.kind, today()).unwrap();
    assert!(gone < later.plus(DAY));
    room.sweep.drop_expired(gone).await.unwrap();
    assert!(!room.holds(1, today()));
}

#[tokio::test]
async fn a_window_that_a_sweep_may_have_missed_is_due_when_its_claim_ends() {
    let room = SweptBoard::new(vec![day()]).await;
    room.lay(1, today());
    let gone = gone_at(&room.kind, today()).unwrap();
    let registry = &room.opened.registry;
    let claimed = registry.take_due(gone.minus(LINGER * 2), 10).await.unwrap();
    room.opened
        .incarnations
        .opened(room.record.board(), &room.kind, &[today()], now())
        .await;
    // It has seen nothing that goes before tomorrow.
    let next = [(&claimed.boards[0], Some(gone.plus(DAY)))];
    registry.set_due(&claimed, &next).await.unwrap();
    room.sweep.drop_expired(gone.plus(LINGER)).await.unwrap();
    assert!(!room.holds(1, today()));
}

#[tokio::test]
async fn keys_live_for_as_long_as_the_kind_says_now() {
    let room = SweptBoard::new(vec![day()]).await;
    room.lay(1, today());
    let keys = room.record.spread.keys(1);
    for key in [keys.rank(today()), keys.scores(today())] {
        room.opened
            .redis
            .command(&[b"PEXPIRE", &key[..], b"100000"]);
    }
    let longer = WindowRule {
        keep: Keep::After(DAY * 300),
        ..day()
    };
    let forever = WindowRule {
        keep: Keep::Forever,
        ..day()
    };
    for (revision, rule, least) in [(1, longer, 200 * 86_400_000), (2, forever, -1)] {
        let kind = Arc::new(gifts(vec![rule]));
        let put = room
            .opened
            .registry
            .put_kind(kind, Revision(revision), false);
        put.await.unwrap();
        room.sweep.drop_expired(now()).await.unwrap();
        for key in [keys.rank(today()), keys.scores(today())] {
            let left = room.opened.redis.command(&[b"PTTL", &key[..]]).integer();
            assert!(left == least || least > 0 && left > least, "{left} ms");
        }
    }
}

#[tokio::test]
async fn a_time_to_live_that_is_right_is_not_written_again() {
    let hours = |days: u32| WindowRule {
        keep: Keep::After(DAY * days),
        ..WindowRule::with_defaults(Period::Hour)
    };
    let room = SweptBoard::new(vec![hours(40)]).await;
    let windows: Vec<Window> = (0..40)
        .map(|hour| {
            let at = now().minus(Duration::from_hours(hour));
            Calendar::utc().span_at(Period::Hour, at).window
        })
        .collect();
    for shard in room.shards() {
        for window in &windows {
            room.lay(shard, *window);
        }
    }
    let keys = 40 * 2 * i64::from(room.record.board().shards.get());
    let visit = async |kind: &Arc<Kind>, at: Timestamp| {
        let name = &room.record.board().name;
        room.sweep.visit(name, kind, at).await.unwrap().unwrap();
        (room.calls("pexpire"), room.calls("persist"))
    };
    // They were laid down without a time to live: each is given its own, once.
    assert_eq!(visit(&room.kind, now()).await, (keys, 0));
    for minutes in [0, 1, 30] {
        let at = now().plus(Duration::from_mins(minutes));
        assert_eq!(visit(&room.kind, at).await, (keys, 0));
    }
    // What the kind keeps for longer, for ever, and again for some days, is written once each.
    let longer = Arc::new(gifts(vec![hours(41)]));
    let forever = Arc::new(gifts(vec![WindowRule {
        keep: Keep::Forever,
        ..hours(1)
    }]));
    for (kind, calls) in [
        (&longer, (2 * keys, 0)),
        (&forever, (2 * keys, keys)),
        (&longer, (3 * keys, keys)),
    ] {
        for _ in 0..2 {
            assert_eq!(visit(kind, now()).await, calls);
        }
    }
}
