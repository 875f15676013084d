//! A member hidden by one server is hidden by all; an erased one is on no server's boards.

use serde_json::json;
use testkit::redis::{RedisCluster, RedisOptions, RedisServer};
use testkit::{Server, eventually};

use super::fixtures::{SCRIPT_FREE, serve};

const KIND: &str = "[kinds.gifts]\nwindows = [\"all\"]\n";

fn order(server: &Server) -> Vec<String> {
    server.order("gifts/a", "all")
}

#[test]
fn a_member_hidden_by_one_server_is_hidden_by_all() {
    let redis = RedisCluster::start(3, 0, &RedisOptions::new());
    let configs = [KIND.to_owned(), format!("[redis]\n{SCRIPT_FREE}{KIND}")];
    let [here, there] = configs.map(|config| serve(&redis.url(), &config));
    here.give("gifts/a", &[("best", 9), ("u1", 7), ("next", 5)]);
    for number in 0..20 {
        here.give(&format!("gifts/room-{number}"), &[("u1", 1)]);
    }
    let hidden = here.send("PUT", "/v1/members/u1/hidden", &[], "");
    assert_eq!(hidden.ok()["hidden_in"], json!(["gifts"]));
    assert_eq!(order(&here), ["best", "next"]);
    // Servers reload the kinds periodically.
    eventually("the member is not shown", || {
        (order(&there) == ["best", "next"]).then_some(())
    });
    let next = there.get("/v1/boards/gifts/a/members/next").ok();
    assert_eq!(next["rank"], 2);
    there.give("gifts/a", &[("u1", 1)]);
    there.send("DELETE", "/v1/members/u1/hidden", &[], "").ok();
    let shown = there.get("/v1/boards/gifts/a/members/u1?fresh=true").ok();
    assert_eq!((&shown["rank"], &shown["points"]), (&json!(2), &json!(8)));
    let erased = there.send("DELETE", "/v1/members/u1", &[], "").ok();
    assert_eq!(erased, json!({"boards": 21, "erased": 21, "next": null}));
    eventually("the member is not shown", || {
        (order(&here) == ["best", "next"]).then_some(())
    });
    assert_eq!(
        here.get("/v1/boards/gifts/room-7?window=all").ok()["members"],
        0
    );
}

/// A trimmed list has no replacement for a hidden member, and one that is not trimmed must not show
/// any either.
#[test]
fn a_list_with_hidden_members_is_the_same_on_every_store() {
    const LIST: &str = "[kinds.best]\nmode = \"best\"\nwindows = [\"all\"]\nshards = 1\n\
                        retain = { keep = 2, trim_at = 3 }\n";
    let redis = RedisServer::plain();
    for server in [serve(&redis.url(), LIST), Server::with(LIST)] {
        for (member, points) in [("x1", 99), ("x2", 98), ("x3", 97), ("x4", 96)] {
            server.give("best/a", &[(member, points)]);
        }
        assert_eq!(server.order("best/a", "all"), ["x1", "x2"]);
        server.send("PUT", "/v1/members/x1/hidden", &[], "").ok();
        let listed = ["top?", "range?from=1&to=9&", "range?min=1&"];
        for path in listed {
            let path = format!("/v1/boards/best/a/{path}fresh=true");
            let shown = server.get(&path).ok();
            assert_eq!(shown["members"], 1, "{path}");
            assert_eq!(shown["entries"].as_array().unwrap().len(), 1, "{path}");
            assert_eq!(shown["entries"][0]["member"], "x2", "{path}");
        }
        for (member, rank) in [("x2", json!(1)), ("x3", json!(null)), ("x4", json!(null))] {
            let entry = server.get(format!("/v1/boards/best/a/members/{member}"));
            assert_eq!(entry.ok()["rank"], rank, "{member}");
        }
        let found = server.get("/v1/boards/best/a/rank?points=98").ok();
        assert_eq!(found["rank"], json!(null), "{found}");
        // A hidden member off the list leaves no gap.
        server.send("DELETE", "/v1/members/x1/hidden", &[], "").ok();
        server.send("PUT", "/v1/members/x4/hidden", &[], "").ok();
        assert_eq!(server.order("best/a", "all"), ["x1", "x2"]);
    }
}
