//! The boards of a kind are listed in pages, ordered by subject.

use board::{ShardCount, Subject};

use crate::conformance::fixtures::{HOUR, NOW, OpenStore, board_name, gifts};

async fn subjects(store: &OpenStore, kind: &str, after: Option<&str>, limit: usize) -> Vec<String> {
    subjects_with(store, kind, "", after, limit).await
}

async fn subjects_with(
    store: &OpenStore,
    kind: &str,
    prefix: &str,
    after: Option<&str>,
    limit: usize,
) -> Vec<String> {
    let after = after.map(|text| Subject::new(text).unwrap());
    let kind = kind.parse().unwrap();
    let boards = store.boards(&kind, prefix, after.as_ref(), limit).await;
    let boards = boards.unwrap();
    let subjects = boards.iter().map(|board| board.name.subject().to_string());
    subjects.collect()
}

pub async fn pages_are_ordered_by_subject(store: OpenStore) {
    let gifts_kind = store.kind(gifts(|_| ())).await;
    let likes_kind = store
        .kind(gifts(|spec| spec.name = "likes".parse().unwrap()))
        .await;
    let by_bytes = [
        "A",
        "a",
        "a b",
        "a/b",
        "b",
        "room-10",
        "room-9",
        "é",
        "مرحبا",
    ];
    for subject in [
        "b",
        "مرحبا",
        "room-9",
        "a/b",
        "a",
        "é",
        "A",
        "room-10",
        "a b",
    ] {
        let board = store.created(&gifts_kind, subject, NOW).await;
        assert!(board.record.created);
    }
    store.created(&likes_kind, "a", NOW).await;
    assert_eq!(subjects(&store, "gifts", None, 100).await, by_bytes);
    assert_eq!(subjects(&store, "gifts", None, 2).await, by_bytes[..2]);
    assert_eq!(
        subjects(&store, "gifts", Some("a"), 3).await,
        by_bytes[2..5]
    );
    // A page may start after a subject that does not exist.
    assert_eq!(
        subjects(&store, "gifts", Some("c"), 100).await,
        by_bytes[5..]
    );
    assert_eq!(subjects(&store, "gifts", Some("مرحبا"), 100).await, [""; 0]);
    assert_eq!(subjects(&store, "likes", None, 100).await, ["a"]);
    assert_eq!(subjects(&store, "races", None, 100).await, [""; 0]);
}

pub async fn a_prefix_selects_the_subjects_that_begin_with_it(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let all = [
        "A",
        "a",
        "a b",
        "a(",
        "a/b",
        "ab",
        "a\u{ff}",
        "a\u{10ffff}",
        "b",
        "room-1",
        "room-10",
        "room-2",
        "ro\u{f4}m",
    ];
    for subject in all {
        store.created(&kind, subject, NOW).await;
    }
    let mut sorted = all;
    sorted.sort_unstable();
    for prefix in [
        "",
        "a",
        "a ",
        "a(",
        "ab",
        "ac",
        "room",
        "room-1",
        "room-1000",
        "ro\u{f4}",
        "(",
        "[",
        "+",
        "-",
        "z",
        "\u{10ffff}",
    ] {
        for after in [
            None,
            Some("A"),
            Some("a b"),
            Some("ab"),
            Some("room-1"),
            Some("room-11"),
            Some("zz"),
        ] {
            for limit in [1, 3, 100] {
                let behind = sorted
                    .iter()
                    .filter(|subject| after.is_none_or(|after| **subject > after));
                let begin = behind.filter(|subject| subject.starts_with(prefix));
                let expected: Vec<&str> = begin.copied().take(limit).collect();
                let listed = subjects_with(&store, "gifts", prefix, after, limit).await;
                assert_eq!(listed, expected, "{prefix:?} after {after:?}, {limit}");
            }
        }
    }
}

pub async fn only_created_boards_are_listed(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    for subject in ["a", "b", "c"] {
        store.created(&kind, subject, NOW).await;
    }
    let eight = ShardCount::new(8).unwrap();
    let uncreated = board_name("gifts", "aa");
    store
        .put_settings(&uncreated, &kind, eight.into(), NOW)
        .await
        .unwrap();
    store
        .delete_board(&board_name("gifts", "b"), NOW.plus(HOUR))
        .await
        .unwrap();
    assert_eq!(subjects(&store, "gifts", None, 2).await, ["a", "c"]);
    store
        .create_board(&uncreated, &kind, None, NOW)
        .await
        .unwrap();
    assert_eq!(subjects(&store, "gifts", None, 2).await, ["a", "aa"]);
}
