//! What a server is told of its store: where it is, and what an answer promises.

use testkit::dice::runs;
use testkit::{Launch, Server};

use super::kills::{END_NONE_WELL, Moment, rounds};
use crate::audit::LIGHT;

#[test]
fn the_store_defaults_to_megaboard_data_in_the_working_folder() {
    let server = Launch::new().args("--listen 127.0.0.1:0").start();
    assert_eq!(server.get("/readyz").ok()["store"], "embedded");
    assert!(server.kept().is_dir());
    server.give("gifts/a", &[("u", 1)]);
    let board = server.get("/v1/boards/gifts/a").ok();
    assert_eq!(board["store"], "embedded");
    let server = server.stop().start();
    assert_eq!(server.order("gifts/a", "all"), ["u"]);
}

#[test]
fn the_folder_is_the_one_that_is_named_and_is_made_with_what_it_lies_in() {
    let file = "[server]\nstore = \"embedded:some/where else\"\n";
    let server = Launch::on_a_free_port(file).start();
    server.give("gifts/a", &[("u", 1)]);
    assert!(server.folder().join("some/where else").is_dir());
    assert!(!server.kept().exists());
    let server = server.kill().start();
    assert_eq!(server.order("gifts/a", "all"), ["u"]);
}

#[test]
fn at_an_interval_a_kill_loses_nothing_either_since_the_system_lives_on() {
    // Whatever was answered is written; what it is not yet is synced.
    let config = "[server]\ndurability = \"interval\"\n";
    rounds(config, END_NONE_WELL, LIGHT, Moment::Any, runs(4, 100));
}

#[test]
fn a_stop_syncs_what_waits_for_its_interval() {
    let server = Server::durable("[server]\ndurability = \"interval\"\n");
    server.give("gifts/a", &[("u", 1)]);
    let versions = server.versions("gifts/a");
    let server = server.stop().start();
    assert_eq!(server.versions("gifts/a"), versions);
}
