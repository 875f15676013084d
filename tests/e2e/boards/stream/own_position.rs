//! `?member=`: the position of a member, beside the top.

use serde_json::{Value, json};
use testkit::Events;

use super::super::{ladder, on_a};

#[test]
fn member_events_equal_a_read_of_the_member() {
    let server = ladder(30);
    let mut events = Events::of(&server, &on_a("/stream?n=3&member=m17"));
    assert_eq!(events.event().name, "board");
    let mut own = events.event();
    assert_eq!((own.name.as_str(), own.id.as_str()), ("member", ""));
    assert_eq!(own.value["overtaken_by"], json!([]));
    let mut read = server.get(on_a("/members/m17")).ok();
    for changing in ["as_of", "overtaken_by"] {
        let _ = own.value.as_object_mut().unwrap().remove(changing);
        let _ = read.as_object_mut().unwrap().remove(changing);
    }
    assert_eq!(own.value, read);
}

#[test]
fn overtaking_members_are_listed() {
    let server = ladder(30);
    let mut events = Events::of(&server, &on_a("/stream?n=3&member=m17"));
    assert_eq!(events.named("member").value["position"], 17);
    server.give("gifts/a", &[("m20", 50), ("m25", 60)]);
    let own = events.named("member").value;
    // The two changes may be seen in two events.
    let mut overtaken = names(&own["overtaken_by"]);
    let mut position = own["position"].clone();
    while position != 19 {
        let own = events.named("member").value;
        overtaken.extend(names(&own["overtaken_by"]));
        position = own["position"].clone();
    }
    assert_eq!(
        overtaken,
        Vec::<String>::new(),
        "both moved further up than the ten entries that are compared"
    );
    server.give("gifts/a", &[("m18", 1)]);
    let own = events.named("member").value;
    assert_eq!(
        (&own["position"], &own["overtaken_by"]),
        (&json!(19), &json!([]))
    );
    server.give("gifts/a", &[("m18", 1)]);
    let own = events.named("member").value;
    assert_eq!(own["overtaken_by"], json!(["m18"]));
    assert_eq!(own["above"]["member"], "m18");
    // Its own rise is a change, and no other member has overtaken it.
    server.give("gifts/a", &[("m17", 500)]);
    let own = events.named("member").value;
    assert_eq!(
        (&own["position"], &own["overtaken_by"]),
        (&json!(1), &json!([]))
    );
    assert_eq!(own["above"], Value::Null);
}

#[test]
fn an_unranked_member_is_sent_with_null_and_again_when_ranked() {
    let server = ladder(3);
    let mut events = Events::of(&server, &on_a("/stream?member=nobody"));
    let own = events.named("member").value;
    assert_eq!(
        (&own["rank"], &own["member"]),
        (&Value::Null, &json!("nobody"))
    );
    let board = server.get(on_a("/count")).ok();
    for name in ["version", "members"] {
        assert_eq!(own[name], board[name]);
    }
    server.give("gifts/a", &[("nobody", 500)]);
    assert_eq!(events.named("member").value["rank"], 1);
    server.delete("/v1/boards/gifts/a/members/nobody").ok();
    assert_eq!(events.named("member").value["rank"], Value::Null);
}

fn names(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap().iter();
    list.map(|name| name.as_str().unwrap().to_owned()).collect()
}
