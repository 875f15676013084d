//! Whoever watches hears of what has changed on boards of published kinds, and of nothing else.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use board::{BoardName, Publication, Window};
use shard_router::{BoardChange, Watcher};

use crate::stage::{NOW, Stage, board, kind, points};
use crate::woven::Woven;

/// What it heard: the subject, and how many windows; none for any.
#[derive(Default)]
struct Heard(Mutex<Vec<(String, Option<usize>)>>);

impl Watcher for Heard {
    fn changed(&self, board: &Arc<BoardName>, change: BoardChange<'_>) {
        let windows = match change {
            BoardChange::Windows(windows) => {
                assert_eq!(windows, [Window::ALL_TIME]);
                Some(windows.len())
            }
            BoardChange::Anywhere => None,
        };
        let subject = board.subject().to_string();
        self.0.lock().unwrap().push((subject, windows));
    }
}

impl Heard {
    fn taken(&self) -> Vec<(String, Option<usize>)> {
        let mut heard = std::mem::take(&mut *self.0.lock().unwrap());
        heard.sort();
        heard
    }
}

async fn stage() -> (Stage, Arc<Heard>) {
    let mut stage = Stage::over(Woven::new()).await;
    let heard = Arc::new(Heard::default());
    stage.router.watch(heard.clone());
    let room = board("room");
    stage.send(&[stage.write(&room, "u", 1)]).await;
    assert_eq!(heard.taken(), [], "the kind is not published yet");
    let mut spec = points("gifts");
    spec.publish = Some(Publication {
        store: "redis://a".parse().unwrap(),
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
async fn each_board_of_a_request_is_heard_of_once() {
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
    assert_eq!(heard.taken(), [any.clone()]);
    stage.router.bury(&room, NOW).await.unwrap();
    assert_eq!(heard.taken(), [any]);
}
