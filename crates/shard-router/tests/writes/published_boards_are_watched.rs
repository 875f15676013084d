//! Whoever watches hears of what has changed on boards of published kinds, and of nothing else.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use board::{BoardName, Publication, Window};
use futures::FutureExt;
use futures::future::pending;
use shard_router::{BoardChange, Watcher};

use crate::stage::{NOW, Stage, board, kind, points};
use crate::woven::Woven;

/// What it heard: the subject, and how many windows; none for any.
#[derive(Default)]
struct Heard {
    changed: Mutex<Vec<(String, Option<usize>)>>,
    may_change: Mutex<Vec<(String, Option<usize>)>>,
}

impl Watcher for Heard {
    fn board_changed(&self, board: &Arc<BoardName>, change: BoardChange<'_>) {
        self.changed.lock().unwrap().push(Self::told(board, change));
    }

    fn board_may_change(&self, board: &Arc<BoardName>, change: BoardChange<'_>) {
        let told = Self::told(board, change);
        self.may_change.lock().unwrap().push(told);
    }
}

impl Heard {
    fn told(board: &BoardName, change: BoardChange<'_>) -> (String, Option<usize>) {
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
        let mut heard = std::mem::take(&mut *self.changed.lock().unwrap());
        heard.sort();
        heard
    }
}

async fn stage() -> (Stage, Arc<Heard>) {
    stage_over(Woven::new()).await
}

async fn stage_over(store: Arc<Woven>) -> (Stage, Arc<Heard>) {
    let mut stage = Stage::over(store).await;
    let heard = Arc::new(Heard::default());
    stage.router.watch(heard.clone());
    let room = board("room");
    stage.send(&[stage.write(&room, "u", 1)]).await;
    assert_eq!(heard.taken(), [], "the kind is not published yet");
    let mut spec = points("gifts");
    spec.publish = Some(Publication {
        at: "readers".parse().unwrap(),
        key: "{subject}".parse().unwrap(),
        windows: Vec::new(),
        encoding: "plain".to_owned(),
        top: None,
        every: Duration::from_secs(1),
    });
    let put = stage.router.catalogue().put(kind(spec), NOW).await;
    stage.gifts = put.unwrap().0;
    (stage, heard)
}

#[tokio::test]
async fn each_board_of_a_request_is_notified_once() {
    let (stage, heard) = stage().await;
    let (room, other) = (board("room"), board("other"));
    let writes = [
        stage.write(&room, "u", 1),
        stage.write(&other, "u", 1),
        stage.write(&room, "v", 1),
    ];
    stage.send(&writes).await;
    let once = |subject: &str| (subject.to_owned(), Some(1));
    assert_eq!(heard.taken(), [once("other"), once("room")]);
}

#[tokio::test]
async fn what_was_refused_is_not() {
    let (stage, heard) = stage().await;
    let room = board("room");
    stage.send(&[stage.removal(&room, "nobody")]).await;
    assert_eq!(heard.taken(), []);
}

#[tokio::test]
async fn a_removal_and_a_deletion_are_about_any_window() {
    let (stage, heard) = stage().await;
    let room = board("room");
    stage.send(&[stage.removal(&room, "u")]).await;
    let any = ("room".to_owned(), None);
    assert_eq!(heard.taken(), std::slice::from_ref(&any));
    stage.router.delete_board(&room, NOW).await.unwrap();
    assert_eq!(heard.taken(), [any]);
}

#[tokio::test]
async fn what_nobody_waits_for_any_more_may_change_yet() {
    let store = Woven::new();
    let (stage, heard) = stage_over(store.clone()).await;
    let room = board("room");
    store.before_applying(|_| pending());
    let writes = [stage.write(&room, "u", 1)];
    // Dropped while the store has it, as the request of a client that hangs up.
    assert!(stage.send(&writes).now_or_never().is_none());
    let told = std::mem::take(&mut *heard.may_change.lock().unwrap());
    assert_eq!(told, [("room".to_owned(), Some(1))]);
    assert_eq!(heard.taken(), []);
}
