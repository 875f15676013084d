//! `serve --demo`.

use testkit::{Events, Launch};

#[test]
fn rooms_change_while_the_demo_is_filled() {
    let server = Launch::on_a_free_port("").args("--demo").start();
    let mut events = Events::of(&server, "/v1/boards/gifts/room-ada/stream?n=3&window=all");
    let first = events.until(|event| !event.entries().is_empty());
    events.until(|event| event.id != first.id);
    let mut stage = Events::of(&server, "/v1/boards/gifts/main-stage/stream?n=3&window=all");
    stage.until(|event| event.value["members"].as_u64() > Some(10_000));
}

#[test]
fn the_first_window_of_the_demo_has_the_million() {
    let server = Launch::on_a_free_port("").args("--demo").start();
    let top = server.get("/v1/boards/gifts/main-stage/top?n=1").value();
    assert_eq!(top["window"], "all");
}
