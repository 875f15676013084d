//! The maximum number of hidden members, with the longest names: contributions are accepted, and
//! all is there after SIGKILL.

use serde_json::{Value, json};
use testkit::{Launch, Server};

/// The limit of a kind.
const HIDDEN_MAX: usize = 1000;

fn longest_name(number: usize) -> String {
    format!("{number:0>128}")
}

fn hide(server: &Server, number: usize) {
    let path = format!("/v1/members/{}/hidden", longest_name(number));
    server.send("PUT", &path, &[], "").ok();
}

/// Contributes to a new board.
fn give(server: &Server, number: usize) {
    server.give(&format!("gifts/room-{number}"), &[("u", 1), ("v", 2)]);
}

fn assert_holds(server: &Server, rooms: usize) {
    let hidden = server.get("/v1/hidden?kind=gifts").ok();
    assert_eq!(hidden["hidden"].as_array().unwrap().len(), HIDDEN_MAX);
    for number in 0..rooms {
        let top = server.get(format!("/v1/boards/gifts/room-{number}/top?window=all"));
        let entries = top.entries();
        let names: Vec<&Value> = entries.iter().map(|entry| &entry["member"]).collect();
        assert_eq!(names, ["v", "u"], "room {number}");
    }
    let top = server.get("/v1/boards/gifts/main/top?window=all").ok();
    assert_eq!(top["members"], 1, "hidden members are not counted: {top}");
}

#[test]
fn a_thousand_members_with_long_names_are_hidden_and_nothing_is_lost() {
    testkit::sampled!(a_thousand_members_with_long_names_are_hidden_and_nothing_is_lost);
    let server = Server::durable("[kinds.gifts]\nwindows = [\"all\"]\n");
    let main: Vec<Value> = (0..HIDDEN_MAX)
        .map(|number| json!({"board": "gifts/main", "member": longest_name(number), "points": 1}))
        .chain([json!({"board": "gifts/main", "member": "shown", "points": 1})])
        .collect();
    for items in main.chunks(500) {
        server.contribute(&items.to_vec().into()).ok();
    }
    let mut rooms = 0;
    for number in 0..HIDDEN_MAX {
        hide(&server, number);
        if number % 20 == 0 {
            give(&server, rooms);
            rooms += 1;
        }
    }
    // More such kinds at once than fit into one group of the journal.
    for number in 0..40 {
        let path = format!("/v1/members/{}/hidden", longest_name(number));
        server.send("DELETE", &path, &[], "").ok();
        hide(&server, number);
        give(&server, rooms);
        rooms += 1;
    }
    // A kind that hides the maximum already does not prevent the other kinds from hiding a member.
    let other = json!({"windows": ["all"]});
    server.put("/v1/kinds/other", &other).is(201);
    let refused = server.put("/v1/members/more/hidden", &json!({}));
    let problem = refused.problem(409, "conflict", &["gifts", "1000"]);
    assert_eq!(problem["hidden_in"], json!(["other"]));
    let mut server: Server = server.kill().start();
    assert_holds(&server, rooms);
    give(&server, rooms);
    rooms += 1;
    let launch: Launch = server.stop();
    server = launch.start();
    assert_holds(&server, rooms);
}
