//! A small board costs Redis little: both of its keys stay listpacks, and each write renews their
//! expiry.

use std::time::Duration;

use board::{Keep, Kind, Period, Window, WindowRule};

use super::applier::{APPLIED, ApplierOnRedis, Board, NOW};
use crate::boards::fixtures::gifts::gifts;

/// The default maximum of entries that Redis keeps in a listpack for a sorted set; for a hash it is
/// at least this.
const LISTPACK_ENTRIES_MAX: usize = 128;

const IDLE: Duration = Duration::from_mins(80);

fn small() -> Kind {
    let idle = WindowRule {
        keep: Keep::Idle(IDLE),
        ..WindowRule::with_defaults(Period::All)
    };
    let mut spec = gifts(vec![idle]).spec().clone();
    spec.shards = 1;
    spec.dedupe = Duration::from_hours(1);
    Kind::new(spec).unwrap()
}

/// Returns the encodings of the sorted set and the score hash.
fn encodings(board: &Board<'_>) -> [String; 2] {
    let (rank, scores) = (
        board.keys.rank(Window::ALL_TIME),
        board.keys.scores(Window::ALL_TIME),
    );
    [rank, scores].map(|key| {
        let words: [&[u8]; 3] = [b"OBJECT", b"ENCODING", &key];
        board.setup.redis.command(&words).text().to_owned()
    })
}

/// Returns the bytes of both, as Redis reports them.
fn bytes(board: &Board<'_>) -> i64 {
    let (rank, scores) = (
        board.keys.rank(Window::ALL_TIME),
        board.keys.scores(Window::ALL_TIME),
    );
    let of = |key: &[u8]| {
        let words: [&[u8]; 3] = [b"MEMORY", b"USAGE", key];
        board.setup.redis.command(&words).integer()
    };
    of(&rank) + of(&scores)
}

async fn give(board: &Board<'_>, members: std::ops::Range<usize>, minute: u32, points: i64) {
    let now = NOW.plus(Duration::from_mins(1) * minute);
    let items: Vec<_> = members
        .map(|n| board.by_id(&format!("member-{n:03}"), points, &format!("{minute}"), now))
        .collect();
    let outcomes = board.apply(&items, now).await;
    assert_eq!(outcomes, vec![APPLIED; items.len()]);
}

#[tokio::test]
async fn a_board_of_128_members_is_two_listpacks() {
    let setup = ApplierOnRedis::new().await;
    let board = setup.board(small()).await;
    give(&board, 0..LISTPACK_ENTRIES_MAX, 0, 1).await;
    assert_eq!(encodings(&board), ["listpack"; 2]);
    // All change at once, and one by one, to sums of eight bytes; no set is too large in between.
    give(&board, 0..LISTPACK_ENTRIES_MAX, 1, 1 << 40).await;
    for n in 0..LISTPACK_ENTRIES_MAX {
        give(&board, n..n + 1, 2, 5).await;
    }
    assert_eq!(encodings(&board), ["listpack"; 2]);
    let kept = board.kept(Window::ALL_TIME);
    assert_eq!(kept.rank.len(), LISTPACK_ENTRIES_MAX);
    let longest = kept.rank.iter().map(|(_, entry)| entry.len()).max();
    let standing = kept.scores.values().map(Vec::len).max();
    // Far below the 64 bytes above which Redis does not use a listpack: ten of the member, eight of
    // its time.
    assert_eq!((longest, standing), (Some(18), Some(15)));
    let small = bytes(&board);
    give(&board, LISTPACK_ENTRIES_MAX..LISTPACK_ENTRIES_MAX + 1, 3, 1).await;
    // The hash has its own limit, which is larger by default.
    assert_eq!(encodings(&board)[0], "skiplist");
    let large = bytes(&board);
    println!("{small} bytes with 128 members, {large} with 129");
    assert!(large > small, "{small}, {large}");
}

#[tokio::test]
async fn a_write_renews_the_expiry_of_an_idle_board() {
    let setup = ApplierOnRedis::new().await;
    let board = setup.board(small()).await;
    let touched = async || {
        let found = setup.registry.board(&board.record.name).await;
        found.unwrap().unwrap().touched
    };
    // An eighth of the idle time has to have passed: that saves writes to the registry, and an idle
    // board is emptied that much later.
    for (minute, expected) in [(0, 0), (9, 0), (10, 10), (15, 10), (40, 40)] {
        give(&board, 0..1, minute, 1).await;
        let expected = NOW.plus(Duration::from_mins(expected));
        assert_eq!(touched().await, expected, "minute {minute}");
    }
}
