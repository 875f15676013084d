//! Keys of windows: their expiry, and what a removal finds.

use board::{Keep, Period, Window, WindowRule};

use super::applier::{APPLIED, ApplierOnRedis, Board, HOUR, MS, NOW, gifts, window};
use shard_store::{Change, ItemRejected, Outcome};

const ALL: Window = Window::ALL_TIME;
const DAY_MS: i64 = 24 * 3_600_000;

fn ttls_ms(board: &Board<'_>, window: Window) -> [i64; 2] {
    let keys = [board.keys.scores(window), board.keys.rank(window)];
    keys.map(|key| {
        let ttl = board.setup.redis.command(&[b"PTTL", &key[..]]);
        ttl.integer()
    })
}

async fn of_two_windows(setup: &ApplierOnRedis) -> Board<'_> {
    let hour = WindowRule {
        keep: Keep::After(HOUR * 2),
        ..WindowRule::with_defaults(Period::Hour)
    };
    let all = WindowRule::with_defaults(Period::All);
    let kind = gifts(|spec| spec.windows = vec![hour, all]);
    setup.board(kind).await
}

#[tokio::test]
async fn keys_live_a_day_longer_than_their_window_is_kept() {
    let setup = ApplierOnRedis::new().await;
    let board = of_two_windows(&setup).await;
    let hour = window(Period::Hour, NOW);
    let end_ms = hour.start().millis() + 3_600_000;
    let expected_ms = end_ms + 2 * 3_600_000 + DAY_MS - NOW.millis();
    let in_time = |ttls: [i64; 2]| {
        ttls.iter()
            .all(|ttl| (expected_ms - 60_000..=expected_ms).contains(ttl))
    };
    // The one member's entry is replaced each time: the set is never empty in between.
    for _ in 0..3 {
        board.apply(&[board.points("u1", 1, NOW)], NOW).await;
        assert!(
            in_time(ttls_ms(&board, hour)),
            "{:?}",
            ttls_ms(&board, hour)
        );
        assert_eq!(ttls_ms(&board, ALL), [-1, -1]);
    }
    // Removed with its last member, it is created again with the same expiry.
    let both = [
        board.item("u1", Change::Remove, NOW),
        board.points("u2", 1, NOW),
    ];
    assert_eq!(board.apply(&both, NOW).await, [APPLIED, APPLIED]);
    assert!(in_time(ttls_ms(&board, hour)));
    let last = board.item("u2", Change::Remove, NOW);
    board.apply(&[last], NOW).await;
    assert_eq!(ttls_ms(&board, hour), [-2, -2]);
    board.apply(&[board.points("u3", 1, NOW)], NOW).await;
    assert!(in_time(ttls_ms(&board, hour)));
}

#[tokio::test]
async fn a_removal_takes_a_member_off_windows_that_it_does_not_name() {
    let setup = ApplierOnRedis::new().await;
    let board = of_two_windows(&setup).await;
    let earlier = NOW.minus(HOUR);
    let items = [
        board.points("u1", 1, earlier),
        board.points("u2", 1, earlier),
        board.points("u1", 1, NOW),
    ];
    board.apply(&items, NOW).await;
    let before = board.version(ALL).0;
    let removal = board.item("u1", Change::Remove, NOW);
    // By a server that has never seen the earlier window.
    let other = setup.another();
    let removed = board.try_apply(&other, std::slice::from_ref(&removal), NOW, true);
    assert_eq!(removed.await, Ok(vec![APPLIED]));
    for window in [
        window(Period::Hour, earlier),
        window(Period::Hour, NOW),
        ALL,
    ] {
        let kept = board.kept(window);
        assert_eq!(kept.scores.len(), kept.rank.len());
        assert!(!kept.scores.contains_key(b"u1".as_slice()));
    }
    assert_eq!(board.version(ALL).0, before + 1);
    let again = board.apply(std::slice::from_ref(&removal), NOW).await;
    let refused = Outcome::Rejected(ItemRejected::NotRanked(removal.member));
    assert_eq!(again, [refused]);
    assert_eq!(board.version(ALL).0, before + 1);
}

#[tokio::test]
async fn what_changes_nothing_keeps_the_version_and_is_a_write() {
    let setup = ApplierOnRedis::new().await;
    let board = setup.board(gifts(|_| ())).await;
    board.apply(&[board.points("u1", 5, NOW)], NOW).await;
    let before = board.version(ALL);
    let later = NOW.plus(MS);
    assert_eq!(
        board.apply(&[board.points("u1", 0, later)], later).await,
        [APPLIED]
    );
    assert_eq!(board.version(ALL), before);
    assert_eq!(
        board.meta("w"),
        Some(later.millis().to_string().into_bytes())
    );
}

#[tokio::test]
async fn one_call_may_name_hundreds_of_windows() {
    let setup = ApplierOnRedis::new().await;
    let hour = WindowRule {
        keep: Keep::Forever,
        ..WindowRule::with_defaults(Period::Hour)
    };
    let board = setup.board(gifts(|spec| spec.windows = vec![hour])).await;
    let items: Vec<_> = (0..300)
        .map(|hours| board.points("u1", 1, NOW.minus(HOUR * hours)))
        .collect();
    assert_eq!(board.apply(&items, NOW).await, vec![APPLIED; 300]);
    let removal = board.item("u1", Change::Remove, NOW);
    assert_eq!(board.apply(&[removal], NOW).await, [APPLIED]);
    for item in &items {
        assert_eq!(board.kept(item.windows[0]).scores.len(), 0);
    }
}
