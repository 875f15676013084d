//! Settings of the store: its folder, and its durability.

use testkit::dice::runs;
use testkit::{Launch, Server};

use super::kills::{KILLS, Moment, rounds};
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
fn the_named_folder_is_created_with_its_parents() {
    let file = "[server]\nstore = \"embedded:some/where else\"\n";
    let server = Launch::on_a_free_port(file).start();
    server.give("gifts/a", &[("u", 1)]);
    assert!(server.folder().join("some/where else").is_dir());
    assert!(!server.kept().exists());
    let server = server.kill().start();
    assert_eq!(server.order("gifts/a", "all"), ["u"]);
}

#[test]
fn with_interval_durability_a_killed_process_loses_nothing() {
    // Answered writes are written to the file, although not all are synced.
    let config = "[server]\ndurability = \"interval\"\n";
    rounds(config, KILLS, LIGHT, Moment::Any, runs(4, 100));
}

#[test]
fn a_stop_syncs_pending_writes() {
    let server = Server::durable("[server]\ndurability = \"interval\"\n");
    server.give("gifts/a", &[("u", 1)]);
    let versions = server.versions("gifts/a");
    let server = server.stop().start();
    assert_eq!(server.versions("gifts/a"), versions);
}
