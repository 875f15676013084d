//! Values of the kind's fields: omitted, null, and invalid ones.

use serde_json::{Value, json};
use testkit::Server;

const KINDS: &str = "[kinds.gifts]\n\
    [kinds.mixed]\nwindows = [\"all\"]\n\
    fields = [{ name = \"s\" }, { name = \"hi\", op = \"max\" }]\n\
    [kinds.highs]\nwindows = [\"all\"]\nfields = [{ name = \"hi\", op = \"max\" }]\n\
    [kinds.races]\nmode = \"best\"\nwindows = [\"all\"]\n\
    fields = [{ name = \"laps\" }, { name = \"seconds\", order = \"asc\" }]\n";

fn of(kind: &str, values: &Value) -> Value {
    json!({"board": format!("{kind}/a"), "member": "u", "values": values})
}

#[test]
fn null_omits_a_field_and_omitted_sums_count_0() {
    let server = Server::with(KINDS);
    for (kind, values, shown) in [
        (
            "mixed",
            json!({"s": 1, "hi": null}),
            json!({"s": 1, "hi": null}),
        ),
        ("mixed", json!({}), json!({"s": 1, "hi": null})),
        ("mixed", json!({"hi": -5}), json!({"s": 1, "hi": -5})),
        ("highs", json!({"hi": 0}), json!({"hi": 0})),
    ] {
        let item = of(kind, &values);
        assert_eq!(server.contribute(&item).ok()["applied"], 1, "{item}");
        let member = server.get(format!("/v1/boards/{kind}/a/members/u")).ok();
        assert_eq!(member["values"], shown, "{item}");
    }
}

#[test]
fn null_is_worst_in_both_directions() {
    let server = Server::with(
        "[kinds.up]\nwindows = [\"all\"]\nfields = [{ name = \"s\" }, { name = \"x\", op = \"max\" }]\n\
         [kinds.down]\nwindows = [\"all\"]\n\
         fields = [{ name = \"s\" }, { name = \"x\", op = \"min\", order = \"asc\" }]\n",
    );
    for (kind, x) in [
        ("up", -9_007_199_254_740_991_i64),
        ("down", 9_007_199_254_740_991),
    ] {
        let item = |member: &str, values: Value, at: i64| json!({"board": format!("{kind}/a"), "member": member, "values": values, "at": at});
        let items = json!([
            item("none", json!({"s": 1}), 1_700_000_000_000_i64),
            item("worst", json!({"s": 1, "x": x}), 1_700_000_000_001_i64),
        ]);
        server.contribute(&items).ok();
        assert_eq!(
            server.order(&format!("{kind}/a"), "all"),
            ["worst", "none"],
            "{kind}"
        );
    }
}

#[test]
fn values_that_do_not_fit_the_kind_are_reported() {
    let server = Server::with(KINDS);
    for (item, status, word, parts) in [
        (
            of("races", &json!({"laps": 3})),
            400,
            "invalid",
            &["seconds"][..],
        ),
        (
            of("races", &json!({"laps": 3, "seconds": null})),
            400,
            "invalid",
            &["seconds"],
        ),
        (of("highs", &json!({})), 400, "invalid", &["values"]),
        (
            of("mixed", &json!({"t": 1})),
            400,
            "invalid",
            &["t", "mixed"],
        ),
        (
            of("mixed", &json!({"s": "1"})),
            400,
            "invalid",
            &["s", "\"1\""],
        ),
        (
            of("mixed", &json!({"s": 1.5})),
            400,
            "invalid",
            &["s", "1.5"],
        ),
        (
            of("mixed", &json!({"s": true})),
            400,
            "invalid",
            &["s", "true"],
        ),
        (of("mixed", &json!([1])), 400, "invalid", &["values"]),
        (
            of("mixed", &json!({"s": -9_007_199_254_740_992_i64})),
            422,
            "out-of-range",
            &["s", "-9007199254740992"],
        ),
        (
            of("mixed", &json!({"s": 1e300})),
            422,
            "out-of-range",
            &["s: 1e+300 is outside"],
        ),
        (
            json!({"board": "mixed/a", "member": "u", "points": 1}),
            400,
            "invalid",
            &["points", "mixed", "hi"],
        ),
        (
            json!({"board": "gifts/a", "member": "u"}),
            400,
            "invalid",
            &["points"],
        ),
        (
            json!({"board": "gifts/a", "member": "u", "points": 1, "values": {}}),
            400,
            "invalid",
            &["values", "points"],
        ),
    ] {
        server.contribute(&item).problem(status, word, parts);
        let receipt = server.contribute(&json!([item])).rejected();
        assert_eq!(receipt["rejected"][0]["type"], word, "{receipt}");
    }
    for kind in ["gifts", "mixed", "highs", "races"] {
        assert_eq!(
            server.get(format!("/v1/boards?kind={kind}")).ok()["boards"],
            json!([])
        );
    }
}

#[test]
fn numbers_are_exact_up_to_the_limits_of_the_range() {
    let server = Server::with(KINDS);
    let most = 9_007_199_254_740_991_i64;
    for (member, points) in [("top", most), ("one-less", most - 1), ("bottom", -most)] {
        server.give("gifts/a", &[(member, points)]);
        let shown = server.get(format!("/v1/boards/gifts/a/members/{member}?window=all"));
        assert!(
            shown.body.contains(&format!("\"points\":{points},")),
            "{}",
            shown.body
        );
    }
    assert_eq!(
        server.order("gifts/a", "all"),
        ["top", "one-less", "bottom"]
    );
    for text in [
        "1e-1",
        "10.5",
        "99999999999999999999",
        "-99999999999999999999",
        "1e400",
    ] {
        let body = format!("{{\"board\": \"gifts/b\", \"member\": \"u\", \"points\": {text}}}");
        let response = server.json("POST", "/v1/contributions", &body);
        assert!(
            [400, 422].contains(&response.status),
            "{text}: {}",
            response.body
        );
    }
    assert_eq!(server.versions("gifts/b"), []);
}
