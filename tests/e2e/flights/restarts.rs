//! The boards are the same before and after their server ends, and the flights are remembered.

use testkit::Server;

use super::boards::{check, config, imported, tags};

#[test]
fn after_a_stop_the_flights_have_their_old_etags_and_are_remembered() {
    let server = Server::durable(&config());
    imported(&server, |whole| [whole, 0]);
    check(&server);
    let before = tags(&server);
    let server = server.stop().start();
    for (path, _, tag) in &before {
        let response = server.get_with(path, &[("if-none-match", tag)]);
        assert_eq!(response.status, 304, "{path}");
    }
    assert_eq!(tags(&server), before);
    check(&server);
    imported(&server, |whole| [0, whole]);
    assert_eq!(tags(&server), before);
}

#[test]
fn after_a_kill_the_flights_are_in_another_epoch_and_are_remembered() {
    let server = Server::durable(&config());
    imported(&server, |whole| [whole, 0]);
    let before = tags(&server);
    let server = server.kill().start();
    check(&server);
    for (before, after) in before.iter().zip(tags(&server)) {
        assert!(before.1 != after.1 && before.2 != after.2, "{after:?}");
    }
    imported(&server, |whole| [0, whole]);
    check(&server);
}
