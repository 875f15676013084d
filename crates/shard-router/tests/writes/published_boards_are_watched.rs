//! The watcher is notified of changes of boards of published kinds, and of nothing else.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use board::{BoardName, Publication, Window};
use futures::FutureExt;
use futures::future::pending;
use shard_router::{BoardChange, Watcher};
use testkit::HookedStore;

use crate::stage::{NOW, Stage, board, hooked, kind, points};

/// The reported changes: the subject, and the number of windows; `None` for any window.
#[derive(Default)]
struct Reports {
    changed: Mutex<Vec<(String, Option<usize>)>>,
    may_change: Mutex<Vec<(String, Option<usize>)>>,
}

impl Watcher for Reports {
    fn board_changed(&self, board: &Arc<BoardName>, change: BoardChange<'_>) {
        self.changed
            .lock()
            .unwrap()
            .push(Self::report(board, change));
    }

    fn board_may_change(&self, board: &Arc<BoardName>, change: BoardChange<'_>) {
        let report = Self::report(board, change);
        self.may_change.lock().unwrap().push(report);
    }
}

impl Reports {
    fn report(board: &BoardName, change: BoardChange<'_>) -> (String, Option<usize>) {
        let windows = match change {
            BoardChange::Windows(windows) => {
                assert_eq!(windows, [Window::ALL_TIME]);
                Some(windows.len())
            }
            BoardChange::Anywhere => None,
        };
        (board.subject().to_string(), windows)
    }

    fn taken(&self) -> Vec<(String, Option<usize>)> {
        assert_eq!(*self.may_change.lock().unwrap(), []);
        let mut changed = std::mem::take(&mut *self.changed.lock().unwrap());
        changed.sort();
        changed
    }
}

async fn stage() -> (Stage, Arc<Reports>) {
    stage_over(hooked()).await
}

async fn stage_over(store: Arc<HookedStore>) -> (Stage, Arc<Reports>) {
    let mut stage = Stage::over(store).await;
    let reports = Arc::new(Reports::default());
    stage.router.watch(reports.clone());
    let room = board("room");
    stage.send(&[stage.write(&room, "u", 1)]).await;
    assert_eq!(reports.taken(), [], "the kind is not published yet");
    let mut spec = points("gifts");
    spec.publish = Some(Publication {
        target: "readers".parse().unwrap(),
        key: "{subject}".parse().unwrap(),
        windows: Vec::new(),
        encoding: "plain".to_owned(),
        top: None,
        every: Duration::from_secs(1),
    });
    stage.put(kind(spec)).await;
    (stage, reports)
}

#[tokio::test]
async fn each_board_of_a_request_is_reported_once() {
    let (stage, reports) = stage().await;
    let (room, other) = (board("room"), board("other"));
    let writes = [
        stage.write(&room, "u", 1),
        stage.write(&other, "u", 1),
        stage.write(&room, "v", 1),
    ];
    stage.send(&writes).await;
    let once = |subject: &str| (subject.to_owned(), Some(1));
    assert_eq!(reports.taken(), [once("other"), once("room")]);
}

#[tokio::test]
async fn rejected_writes_are_not_reported() {
    let (stage, reports) = stage().await;
    let room = board("room");
    stage.send(&[stage.removal(&room, "nobody")]).await;
    assert_eq!(reports.taken(), []);
}

#[tokio::test]
async fn a_removal_and_a_deletion_report_any_window() {
    let (stage, reports) = stage().await;
    let room = board("room");
    stage.send(&[stage.removal(&room, "u")]).await;
    let any = ("room".to_owned(), None);
    assert_eq!(reports.taken(), std::slice::from_ref(&any));
    stage.router.delete_board(&room, NOW).await.unwrap();
    assert_eq!(reports.taken(), [any]);
}

#[tokio::test]
async fn abandoned_writes_are_reported_as_possible_changes() {
    let store = hooked();
    let (stage, reports) = stage_over(store.clone()).await;
    let room = board("room");
    store.before_applying(|_| pending());
    let writes = [stage.write(&room, "u", 1)];
    // Dropped while the store has it, like the request of a client that disconnects.
    assert!(stage.send(&writes).now_or_never().is_none());
    let reported = std::mem::take(&mut *reports.may_change.lock().unwrap());
    assert_eq!(reported, [("room".to_owned(), Some(1))]);
    assert_eq!(reports.taken(), []);
}
