//! The boards of a kind are listed in pages, ordered by subject.

use board::{ShardCount, Subject};

use crate::fixtures::{HOUR, NOW, OpenStore, board_name, gifts};

async fn subjects(store: &OpenStore, kind: &str, after: Option<&str>, limit: usize) -> Vec<String> {
    let after = after.map(|text| Subject::new(text).unwrap());
    let kind = kind.parse().unwrap();
    let boards = store.boards(&kind, after.as_ref(), limit).await.unwrap();
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
