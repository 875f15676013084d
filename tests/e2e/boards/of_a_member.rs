//! `GET /v1/members/{member}`: the boards of a kind that rank a member.

use serde_json::{Value, json};
use testkit::Server;

fn subjects(page: &Value) -> Vec<&str> {
    let boards = page["boards"].as_array().unwrap().iter();
    boards.map(|it| it["board"].as_str().unwrap()).collect()
}

#[test]
fn the_boards_of_a_member_are_those_whose_lookup_finds_it() {
    let server = Server::with("[kinds.gifts]\nwindows = [\"all\"]\n");
    let items: Vec<Value> = (0..900)
        .filter(|n| n % 3 != 1)
        .map(|n| json!({"board": format!("gifts/r{n:03}"), "member": format!("u{}", n % 7), "points": n}))
        .collect();
    server.contribute(&items.clone().into()).ok();
    for member in ["u0", "u5", "nobody"] {
        let (mut found, mut after) = (Vec::new(), String::new());
        loop {
            let page = server
                .get(format!("/v1/members/{member}?kind=gifts&limit=50{after}"))
                .ok();
            found.extend(subjects(&page).into_iter().map(str::to_owned));
            let Some(next) = page["next"].as_str() else {
                break;
            };
            after = format!("&after={next}");
        }
        let expected = items.iter().filter(|item| item["member"] == member);
        let expected: Vec<&str> = expected
            .map(|item| item["board"].as_str().unwrap())
            .collect();
        assert_eq!(found, expected, "{member}");
    }
}
