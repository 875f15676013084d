//! Whom one server hides, all hide; whom one erases is on no server's boards.

use end_to_end::redis::{RedisCluster, RedisOptions};
use end_to_end::{Server, eventually};
use serde_json::json;

use super::stage::{SCRIPT_FREE, serve};

const KIND: &str = "[kinds.gifts]\nwindows = [\"all\"]\n";

fn order(server: &Server) -> Vec<String> {
    server.order("gifts/a", "all")
}

#[test]
fn who_is_hidden_by_one_server_is_hidden_by_all() {
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
    // Servers look now and then what has become of the kinds.
    eventually("the board without it", || {
        (order(&there) == ["best", "next"]).then_some(())
    });
    let place = there.get("/v1/boards/gifts/a/members/next").ok();
    assert_eq!(place["rank"], 2);
    there.give("gifts/a", &[("u1", 1)]);
    there.send("DELETE", "/v1/members/u1/hidden", &[], "").ok();
    let shown = there.get("/v1/boards/gifts/a/members/u1?fresh=true").ok();
    assert_eq!((&shown["rank"], &shown["points"]), (&json!(2), &json!(8)));
    let erased = there.send("DELETE", "/v1/members/u1", &[], "").ok();
    assert_eq!(erased, json!({"boards": 21, "erased": 21, "next": null}));
    eventually("the board without it", || {
        (order(&here) == ["best", "next"]).then_some(())
    });
    assert_eq!(
        here.get("/v1/boards/gifts/room-7?window=all").ok()["members"],
        0
    );
}
