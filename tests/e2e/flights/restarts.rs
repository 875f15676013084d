//! The same boards before and after their server ends, and the flights known again.

use testkit::{Server, flights};

use super::{KINDS, check, config, counts, import, whole_and_lacking};

/// Paths of some boards, with their versions and tags.
pub(crate) fn tags(server: &Server) -> Vec<(String, String, String)> {
    let boards = ["airline-miles/EWR", "plane-miles/JFK", "airline-delay/LGA"];
    let windows = ["all", "month:2013-01", "day:2013-01-15"];
    let paths = boards.iter().flat_map(|board| {
        windows.map(|window| format!("/v1/boards/{board}/top?window={window}&fresh=true"))
    });
    let tag = |path: String| {
        let top = server.get(&path);
        let version = top.ok()["version"].as_str().unwrap().to_owned();
        (path, version, top.header("etag").to_owned())
    };
    paths.map(tag).collect()
}

/// Imports the file kind by kind; `[applied, duplicate]` of each has to be this.
#[track_caller]
pub(crate) fn imported(server: &Server, outcome: fn(usize) -> [usize; 2]) {
    for kind in KINDS {
        let [whole, lacking] = whole_and_lacking(kind.1, kind.2);
        let run = import(server, &flights::file(), kind);
        let [applied, duplicates] = outcome(whole);
        assert_eq!(counts(&run), [applied, duplicates, lacking], "{kind:?}");
    }
}

#[test]
fn after_a_stop_the_flights_are_there_under_their_old_tags_and_known() {
    let server = Server::durable(&config());
    imported(&server, |whole| [whole, 0]);
    check(&server);
    let before = tags(&server);
    let server = server.stop().start();
    for (path, _, tag) in &before {
        let answer = server.get_with(path, &[("if-none-match", tag)]);
        assert_eq!(answer.status, 304, "{path}");
    }
    assert_eq!(tags(&server), before);
    check(&server);
    imported(&server, |whole| [0, whole]);
    assert_eq!(tags(&server), before);
}

#[test]
fn after_a_kill_the_flights_are_there_in_another_epoch_and_known() {
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
