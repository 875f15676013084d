//! `GET /v1/members/{member}`: the boards of a kind that rank a member.

use serde_json::{Value, json};
use testkit::Server;
use testkit::clock::now_ms;

fn subjects(page: &Value) -> Vec<&str> {
    let boards = page["boards"].as_array().unwrap().iter();
    boards.map(|it| it["board"].as_str().unwrap()).collect()
}

#[test]
fn the_boards_and_windows_that_rank_a_member_are_listed() {
    let server = Server::with(
        "[kinds.gifts]\nwindows = [\"day\", \"all\"]\n[kinds.best]\nwindows = [\"all\"]\nretain = { keep = 1 }\nmode = \"best\"\n",
    );
    server.give("gifts/a", &[("u1", 5), ("u2", 9)]);
    server.give("gifts/b", &[("u2", 1)]);
    server.give("gifts/c", &[("u1", 7)]);
    let old =
        json!({"board": "gifts/d", "member": "u1", "points": 3, "at": now_ms() - 50 * 86_400_000});
    server.contribute(&old).ok();
    let of = |query: &str| server.get(format!("/v1/members/u1?{query}")).ok();
    let all = of("kind=gifts");
    assert_eq!(
        (&all["member"], &all["kind"], &all["next"]),
        (&json!("u1"), &json!("gifts"), &Value::Null)
    );
    assert_eq!(all["looked_at"], 4);
    assert_eq!(subjects(&all), ["gifts/a", "gifts/c", "gifts/d"]);
    let windows = all["boards"][0]["windows"].as_array().unwrap();
    assert_eq!(windows.len(), 2);
    let all_time = &windows[1];
    assert_eq!(all_time["window"], "all");
    let shown = (
        &all_time["rank"],
        &all_time["position"],
        &all_time["points"],
    );
    assert_eq!(shown, (&json!(2), &json!(2), &json!(5)));
    assert_eq!(all["boards"][2]["windows"].as_array().unwrap().len(), 1);
    assert_eq!(
        subjects(&of("kind=gifts&window=day")),
        ["gifts/a", "gifts/c"]
    );
    // Page by page.
    let first = of("kind=gifts&limit=1");
    assert_eq!(
        (subjects(&first), &first["next"]),
        (vec!["gifts/a"], &json!("a"))
    );
    let second = of("kind=gifts&limit=2&after=a");
    assert_eq!(subjects(&second), ["gifts/c", "gifts/d"]);
    let last = of(&format!(
        "kind=gifts&after={}",
        second["next"].as_str().unwrap()
    ));
    assert_eq!((subjects(&last), &last["next"]), (vec![], &Value::Null));
    // Below the end of a list, hidden, and removed.
    let attempt =
        |member: &str, points: i64| json!({"board": "best/a", "member": member, "points": points});
    server
        .contribute(&json!([attempt("u1", 1), attempt("u2", 2)]))
        .ok();
    let window = &of("kind=best")["boards"][0]["windows"][0];
    assert_eq!(
        (&window["rank"], &window["points"]),
        (&Value::Null, &json!(1))
    );
    server.delete("/v1/boards/gifts/c/members/u1").ok();
    assert_eq!(subjects(&of("kind=gifts")), ["gifts/a", "gifts/d"]);
    server
        .put("/v1/members/u1/hidden?kind=gifts", &json!({}))
        .ok();
    assert_eq!(subjects(&of("kind=gifts")), Vec::<&str>::new());
    assert_eq!(subjects(&of("kind=best")), ["best/a"]);
    for (query, part) in [
        ("", "kind"),
        ("kind=gifts&after=", "after"),
        ("kind=gifts&limit=0", "limit"),
        ("kind=gifts&n=1", "n"),
    ] {
        server
            .get(format!("/v1/members/u1?{query}"))
            .problem(400, "invalid", &[part]);
    }
    server
        .get("/v1/members/u1?kind=nope")
        .problem(404, "unknown-kind", &["nope"]);
    server
        .get("/v1/members/u1?kind=best&window=day")
        .problem(404, "unknown-window", &["day"]);
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
