//! Writes to a board, reads it, and follows it until it has changed. Requires a running server.
//!
//!     cargo run -p megaboard-client --example gifts
//!
//! `MEGABOARD_SERVER` is the URL of the server, by default `http://127.0.0.1:8080`; `MEGABOARD_KEY` is
//! a key of scope `write`, if the server has keys.

use std::env;
use std::error::Error;

use megaboard_client::{Client, Contribution, Event, Top};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = env::var("MEGABOARD_SERVER").unwrap_or_else(|_| "http://127.0.0.1:8080".into());
    let mut builder = Client::builder(server);
    if let Ok(key) = env::var("MEGABOARD_KEY") {
        builder = builder.key(key);
    }
    let client = builder.build()?;
    let room = client.board("gifts", "room-2");

    // Each has an id from the start, so that it counts once, however often the client has to send it.
    let gifts = [
        Contribution::new("gifts/room-2", "ada").points(30),
        Contribution::new("gifts/room-2", "ben").points(20),
    ];
    let outcome = client.contribute(&gifts).await?;
    println!("{} count", outcome.applied + outcome.duplicates);
    for rejected in outcome.rejected {
        println!("{} is rejected: {}", rejected.index, rejected.detail);
    }
    show(&room.top().n(10).window("all").await?);

    let ben = room.member("ben").window("all").target(1).await?;
    if let Some(points) = ben.to_target {
        println!("to become first, ben needs {points} points");
    }

    // The first event is the whole board, each further one the board after a change.
    let mut events = room.stream().n(10).window("all").events();
    let mut is_changed = false;
    while let Some(event) = events.next().await {
        match event? {
            Event::Board(top) if is_changed => {
                show(&top);
                break;
            }
            Event::Board(_) => {
                let gift = Contribution::new("gifts/room-2", "ben").points(5);
                client.contribute(&[gift]).await?;
                is_changed = true;
            }
            Event::Interrupted(error) => println!("the connection is lost: {error}"),
            _ => {}
        }
    }
    Ok(())
}

/// Prints a top as a table.
fn show(top: &Top) {
    for entry in &top.entries {
        let points = entry.points().unwrap_or_default();
        println!("{:>4}  {:<10} {points:>8}", entry.rank, entry.member);
    }
}
