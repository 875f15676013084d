//! Changes of kinds, with boards and without, and kinds seeded from a configuration file.

use std::sync::Arc;
use std::time::Duration;

use board::limits::KINDS_MAX;
use board::{Calendar, KindName, KindSpec, Period, RankStyle, WindowRule};
use shard_router::{CatalogueError, WriteOutcome};
use shard_store::Revision;

use crate::stage::{NOW, Stage, board, kind, points};

fn name(text: &str) -> KindName {
    KindName::new(text).unwrap()
}

#[tokio::test]
async fn a_kind_is_new_once() {
    let stage = Stage::in_memory().await;
    let catalogue = stage.router.catalogue();
    let (known, is_new) = catalogue.put(kind(points("likes")), NOW).await.unwrap();
    assert!(is_new);
    assert_eq!(*known.kind, kind(points("likes")));
    let (_, is_new) = catalogue.put(kind(points("likes")), NOW).await.unwrap();
    assert!(!is_new);
    let names: Vec<String> = catalogue
        .kinds()
        .iter()
        .map(|kind| kind.name().to_string())
        .collect();
    assert_eq!(names, ["gifts", "likes"]);
}

#[tokio::test]
async fn without_boards_anything_may_change() {
    let stage = Stage::in_memory().await;
    let mut spec = points("gifts");
    spec.calendar = Calendar::new("Asia/Tokyo").unwrap();
    spec.windows = vec![WindowRule::with_defaults(Period::Day)];
    let catalogue = stage.router.catalogue();
    let (known, _) = catalogue.put(kind(spec.clone()), NOW).await.unwrap();
    assert_eq!(*known.kind, kind(spec));
}

#[tokio::test]
async fn with_boards_the_meaning_cannot_change() {
    let stage = Stage::in_memory().await;
    stage.send(&[stage.write(&board("room"), "u1", 1)]).await;
    let catalogue = stage.router.catalogue();
    let changes: [fn(&mut KindSpec); 4] = [
        |spec| spec.calendar = Calendar::new("Asia/Tokyo").unwrap(),
        |spec| spec.windows = vec![WindowRule::with_defaults(Period::Day)],
        |spec| {
            let fields = spec.rules.fields().to_vec();
            spec.rules =
                board::Rules::new(fields, board::Mode::Best, board::Ties::Earliest).unwrap();
        },
        |spec| {
            let fields = spec.rules.fields().to_vec();
            spec.rules =
                board::Rules::new(fields, board::Mode::Accumulate, board::Ties::Latest).unwrap();
        },
    ];
    for change in changes {
        let mut spec = points("gifts");
        change(&mut spec);
        let error = catalogue.put(kind(spec), NOW).await.unwrap_err();
        assert!(matches!(error, CatalogueError::Change(_)), "{error}");
    }
    assert_eq!(
        *catalogue.known("gifts").unwrap().kind,
        kind(points("gifts"))
    );
}

#[tokio::test]
async fn with_boards_other_settings_may_change() {
    let mut stage = Stage::in_memory().await;
    stage.send(&[stage.write(&board("room"), "u1", 1)]).await;
    let mut spec = points("gifts");
    spec.top = 7;
    spec.rank = RankStyle::Competition;
    spec.max_staleness = Duration::from_secs(9);
    spec.dedupe = Duration::from_mins(1);
    spec.shards = 64;
    let catalogue = stage.router.catalogue();
    let (known, is_new) = catalogue.put(kind(spec.clone()), NOW).await.unwrap();
    assert!(!is_new);
    assert_eq!(*known.kind, kind(spec));
    // Existing boards stay as they were created; new ones have the new settings.
    stage.gifts = known;
    for (subject, shards) in [("room", 16), ("later", 64)] {
        let written = stage.send(&[stage.write(&board(subject), "u2", 1)]).await;
        assert!(
            matches!(written[0], WriteOutcome::Applied(_)),
            "{written:?}"
        );
        let record = stage.router.store().board(&board(subject)).await.unwrap();
        assert_eq!(record.unwrap().shards.get(), shards);
    }
}

#[tokio::test]
async fn a_window_added_to_boards_begins_at_its_next_start() {
    let stage = Stage::in_memory().await;
    stage.send(&[stage.write(&board("room"), "u1", 1)]).await;
    let mut spec = points("gifts");
    spec.windows.push(WindowRule::with_defaults(Period::Day));
    let catalogue = stage.router.catalogue();
    let (known, _) = catalogue.put(kind(spec.clone()), NOW).await.unwrap();
    let since = known.kind.window_rule(Period::Day).unwrap().since;
    let next = known.kind.calendar().span_at(Period::Day, NOW).end;
    assert!(since.is_some());
    assert_eq!(since, next);
    // Put again later, the start stays.
    let later = NOW.plus(Duration::from_hours(100));
    let (known, _) = catalogue.put(kind(spec), later).await.unwrap();
    assert_eq!(known.kind.window_rule(Period::Day).unwrap().since, since);
}

#[tokio::test]
async fn a_kind_with_boards_is_not_deleted() {
    let stage = Stage::in_memory().await;
    let (gifts, room) = (name("gifts"), board("room"));
    stage.send(&[stage.write(&room, "u1", 1)]).await;
    let catalogue = stage.router.catalogue();
    let error = catalogue.delete(&gifts).await.unwrap_err();
    assert_eq!(error, CatalogueError::HasBoards(gifts.clone()));
    stage.router.delete_board(&room, NOW).await.unwrap();
    catalogue.delete(&gifts).await.unwrap();
    assert!(catalogue.kind("gifts").await.unwrap().is_none());
    let error = catalogue.delete(&gifts).await.unwrap_err();
    assert_eq!(error, CatalogueError::Unknown(gifts));
}

#[tokio::test]
async fn only_kinds_that_the_store_has_never_known_are_seeded() {
    let stage = Stage::in_memory().await;
    let catalogue = stage.router.catalogue();
    let seeded = catalogue.seed(kind(points("likes"))).await.unwrap();
    assert_eq!(seeded, None);
    // The store has precedence over the file.
    let mut other = points("likes");
    other.top = 3;
    let held = catalogue.seed(kind(other)).await.unwrap().unwrap();
    assert_eq!(*held.kind.clone().unwrap(), kind(points("likes")));
    // A deleted kind stays deleted.
    catalogue.delete(&name("likes")).await.unwrap();
    let held = catalogue.seed(kind(points("likes"))).await.unwrap();
    assert_eq!(held.unwrap().kind, None);
    assert!(catalogue.kind("likes").await.unwrap().is_none());
    // It can be put again.
    let (_, is_new) = catalogue.put(kind(points("likes")), NOW).await.unwrap();
    assert!(is_new);
}

#[tokio::test]
async fn seeding_on_a_later_server_changes_nothing() {
    let [here, there] = Stage::two().await;
    here.router
        .catalogue()
        .put(kind(points("likes")), NOW)
        .await
        .unwrap();
    let mut other = points("likes");
    other.top = 3;
    // `there` does not know the kind yet.
    let held = there.router.catalogue().seed(kind(other)).await.unwrap();
    assert_eq!(*held.unwrap().kind.clone().unwrap(), kind(points("likes")));
}

#[tokio::test]
async fn kinds_beyond_the_limit_are_refused() {
    let stage = Stage::in_memory().await;
    let store = stage.router.store();
    for number in 1..KINDS_MAX {
        let one = Arc::new(kind(points(&format!("k{number}"))));
        store.put_kind(one, Revision(0), true).await.unwrap();
    }
    let catalogue = stage.router.catalogue();
    let refused = Err(CatalogueError::TooMany(name("likes")));
    let put = catalogue.put(kind(points("likes")), NOW).await;
    assert_eq!(put.map(|_| ()), refused);
    let seeded = catalogue.seed(kind(points("likes"))).await;
    assert_eq!(seeded.map(|_| ()), refused);
}
