//! Settings of the store: its folder, and its durability.

use testkit::Launch;
use testkit::dice::runs;

use super::kills::{KILLS, Moment, rounds};
use crate::audit::LIGHT;

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
