//! What may become of kinds, with boards and without, and what a configuration file may bring.

use std::sync::Arc;
use std::time::Duration;

use board::limits::KINDS_MAX;
use board::{Calendar, KindName, KindSpec, Period, RankStyle, WindowRule};
use shard_router::{CatalogueError, WriteOutcome};
use shard_store::Revision;
use store_local::LocalStore;

use crate::stage::{NOW, Stage, board, kind, points};

async fn stage() -> Stage {
    Stage::over(Arc::new(LocalStore::in_memory().unwrap())).await
}

fn name(text: &str) -> KindName {
    KindName::new(text).unwrap()
}

#[tokio::test]
async fn a_kind_is_new_once() {
    let stage = stage().await;
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
    let stage = stage().await;
    let mut spec = points("gifts");
    spec.calendar = Calendar::new("Asia/Tokyo").unwrap();
    spec.windows = vec![WindowRule::with_defaults(Period::Day)];
    let catalogue = stage.router.catalogue();
    let (known, _) = catalogue.put(kind(spec.clone()), NOW).await.unwrap();
    assert_eq!(*known.kind, kind(spec));
}

#[tokio::test]
async fn with_boards_what_they_mean_stays() {
    let stage = stage().await;
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
async fn with_boards_what_they_do_not_hang_on_changes() {
    let mut stage = stage().await;
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
    // Boards that are there stay as they were created, others are created anew.
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
    let stage = stage().await;
    stage.send(&[stage.write(&board("room"), "u1", 1)]).await;
    let mut spec = points("gifts");
    spec.windows.push(WindowRule::with_defaults(Period::Day));
    let catalogue = stage.router.catalogue();
    let (known, _) = catalogue.put(kind(spec.clone()), NOW).await.unwrap();
    let since = known.kind.window_rule(Period::Day).unwrap().since;
    let next = known.kind.calendar().span_at(Period::Day, NOW).end;
    assert!(since.is_some());
    assert_eq!(since, next);
    // Said again later, it begins when it began.
    let later = NOW.plus(Duration::from_hours(100));
    let (known, _) = catalogue.put(kind(spec), later).await.unwrap();
    assert_eq!(known.kind.window_rule(Period::Day).unwrap().since, since);
}

#[tokio::test]
async fn a_kind_with_boards_is_not_deleted() {
    let stage = stage().await;
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
async fn a_file_brings_what_the_store_has_never_known() {
    let stage = stage().await;
    let catalogue = stage.router.catalogue();
    let seeded = catalogue.seed(kind(points("likes"))).await.unwrap();
    assert_eq!(seeded, None);
    // What the store knows is right, whatever the file says.
    let mut other = points("likes");
    other.top = 3;
    let held = catalogue.seed(kind(other)).await.unwrap().unwrap();
    assert_eq!(*held.kind.clone().unwrap(), kind(points("likes")));
    // What was deleted stays so.
    catalogue.delete(&name("likes")).await.unwrap();
    let held = catalogue.seed(kind(points("likes"))).await.unwrap();
    assert_eq!(held.unwrap().kind, None);
    assert!(catalogue.kind("likes").await.unwrap().is_none());
    // Whoever asks for it by name gets it.
    let (_, is_new) = catalogue.put(kind(points("likes")), NOW).await.unwrap();
    assert!(is_new);
}

#[tokio::test]
async fn a_file_on_a_server_that_comes_later_changes_nothing() {
    let store = Arc::new(LocalStore::in_memory().unwrap());
    let (here, there) = (Stage::over(store.clone()).await, Stage::over(store).await);
    here.router
        .catalogue()
        .put(kind(points("likes")), NOW)
        .await
        .unwrap();
    let mut other = points("likes");
    other.top = 3;
    // It has not heard of the kind yet.
    let held = there.router.catalogue().seed(kind(other)).await.unwrap();
    assert_eq!(*held.unwrap().kind.clone().unwrap(), kind(points("likes")));
}

#[tokio::test]
async fn a_kind_too_many_is_refused() {
    let stage = stage().await;
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
