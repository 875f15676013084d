//! `GET` and `POST .../rank`: the rank of values that no member has yet.

use serde_json::{Value, json};
use testkit::Server;

use super::{ladder, on_a};

#[test]
fn the_rank_is_that_of_a_member_reaching_the_values_now() {
    let server = ladder(30);
    for (points, position) in [(101, 1), (100, 2), (99, 3), (50, 31), (71, 31), (72, 30)] {
        for response in [
            server.get(on_a(&format!("/rank?points={points}"))),
            server.post(on_a("/rank"), &json!({"values": {"points": points}})),
            server.post(on_a("/rank"), &json!({"points": points})),
        ] {
            let rank = response.ok();
            let both = (&rank["rank"], &rank["position"]);
            assert_eq!(both, (&json!(position), &json!(position)), "{points}");
        }
        server.give("gifts/a", &[("new", points)]);
        let shown = server.get(on_a("/members/new")).ok();
        assert_eq!(shown["position"], position, "{points}");
        server.delete("/v1/boards/gifts/a/members/new").ok();
    }
}

#[test]
fn several_fields_ties_and_shared_ranks_are_considered() {
    let server = Server::with(
        "[kinds.races]\nmode = \"best\"\nrank = \"competition\"\nwindows = [\"all\"]\n\
         fields = [{ name = \"laps\" }, { name = \"seconds\", order = \"asc\" }]\n",
    );
    let item = |member: &str, laps: i64, seconds: i64| {
        json!({"board": "races/a", "member": member, "values": {"laps": laps, "seconds": seconds},
               "at": 1_700_000_000_000_i64})
    };
    let items = json!([
        item("a", 9, 50),
        item("b", 9, 60),
        item("c", 9, 60),
        item("d", 8, 10)
    ]);
    server.contribute(&items).ok();
    let rank = |laps: i64, seconds: i64| -> (Value, Value) {
        let body = json!({"values": {"laps": laps, "seconds": seconds}});
        let rank = server.post("/v1/boards/races/a/rank", &body).ok();
        (rank["rank"].clone(), rank["position"].clone())
    };
    assert_eq!(rank(9, 49), (json!(1), json!(1)));
    assert_eq!(rank(9, 60), (json!(2), json!(4)));
    assert_eq!(rank(9, 61), (json!(4), json!(4)));
    assert_eq!(rank(1, 1), (json!(5), json!(5)));
    let response = server.get("/v1/boards/races/a/rank?points=5");
    response.problem(400, "invalid", &["points", "laps"]);
    let response = server.post("/v1/boards/races/a/rank", &json!({"values": {"laps": 1}}));
    response.problem(400, "invalid", &["seconds"]);
}

#[test]
fn an_omitted_sum_is_0_as_in_a_contribution() {
    let server = Server::with(
        "[kinds.k]\nwindows = [\"all\"]\n\
         fields = [{ name = \"likes\" }, { name = \"best\", op = \"max\" }]\n",
    );
    let item =
        |member: &str, values: Value| json!({"board": "k/a", "member": member, "values": values});
    let items = json!([
        item("a", json!({"likes": 1})),
        item("b", json!({"likes": -1}))
    ]);
    server.contribute(&items).ok();
    let rank = |values: Value| {
        let rank = server
            .post("/v1/boards/k/a/rank", &json!({"values": values}))
            .ok();
        rank["position"].clone()
    };
    for values in [json!({"best": 3}), json!({})] {
        let position = rank(values.clone());
        assert_eq!(position, 2, "{values}");
        server.contribute(&item("new", values)).ok();
        let shown = server.get("/v1/boards/k/a/members/new").ok();
        assert_eq!(shown["position"], position);
        server.delete("/v1/boards/k/a/members/new").ok();
    }
}

#[test]
fn errors_name_the_parameter() {
    let server = ladder(2);
    for (query, parts) in [
        ("", &["points"][..]),
        ("?points=x", &["points", "\"x\""]),
        ("?points=9007199254740992", &["points", "9007199254740992"]),
        ("?points=1&n=2", &["n"]),
    ] {
        server
            .get(on_a(&format!("/rank{query}")))
            .problem(400, "invalid", parts);
    }
    for (body, status, word, parts) in [
        (json!({}), 400, "invalid", &["points"][..]),
        (json!({"values": {"laps": 1}}), 400, "invalid", &["laps"]),
        (
            json!({"values": {"points": 1}, "member": "u"}),
            400,
            "invalid",
            &["member"],
        ),
        (
            json!({"points": 9_007_199_254_740_992_i64}),
            422,
            "out-of-range",
            &["points"],
        ),
    ] {
        server
            .post(on_a("/rank"), &body)
            .problem(status, word, parts);
    }
}
