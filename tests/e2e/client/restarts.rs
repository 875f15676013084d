//! What outlasts a server: streams, and contributions that are retried.

use std::time::Duration;

use megaboard_client::{Contribution, Event, Events, Top};
use testkit::redis::Port;
use testkit::{Launch, Server};
use tokio::time::timeout;

use super::{client, run};

const DEADLINE: Duration = Duration::from_mins(1);

/// Starts a server on a port that stays the same after a restart.
fn durable(port: &Port) -> Server {
    Launch::new()
        .file("megaboard.toml", "[kinds.gifts]\nwindows = [\"all\"]\n")
        .args(&format!("--listen {}", port.address()))
        .start()
}

/// Returns the next board, and whether the stream was interrupted before it.
async fn board(events: &mut Events) -> (Top, bool) {
    let mut interrupted = false;
    loop {
        let event = timeout(DEADLINE, events.next()).await.unwrap();
        match event.unwrap().unwrap() {
            Event::Board(top) => return (top, interrupted),
            Event::Interrupted(_) => interrupted = true,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_stream_continues_after_a_restart_of_the_server() {
    let port = Port::reserve();
    let server = durable(&port);
    let client = client(&server);
    run(async {
        let gift = |points| [Contribution::new("gifts/a", "u").points(points)];
        client.contribute(&gift(1)).await.unwrap();
        let mut events = client.board("gifts", "a").stream().n(3).events();
        let (top, _) = board(&mut events).await;
        assert_eq!(top.entries[0].points(), Some(1));
        let launch = server.stop();
        // Sent while there is no server, and applied by the next one.
        let waiting = client.clone();
        let sent = tokio::spawn(async move { waiting.contribute(&gift(2)).await });
        let server = launch.start();
        assert_eq!(sent.await.unwrap().unwrap().applied, 1);
        let mut interrupted = false;
        loop {
            let (top, again) = board(&mut events).await;
            interrupted |= again;
            if top.entries[0].points() == Some(3) {
                break;
            }
        }
        assert!(interrupted);
        drop(server);
    });
}
