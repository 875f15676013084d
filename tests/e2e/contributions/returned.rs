//! `?return=standings` and `?return=ranks`: the standings after a contribution.

use serde_json::{Value, json};
use testkit::{Server, ndjson};

const PATH: &str = "/v1/contributions";

#[test]
fn at_most_1000_contributions_and_two_values_of_return_are_accepted() {
    let server = Server::start();
    let items: Vec<Value> = (0..1001)
        .map(|n| json!({"board": "gifts/a", "member": format!("u{n}"), "points": 1}))
        .collect();
    let lines = ndjson(&items);
    let ndjson = [("content-type", "application/x-ndjson")];
    for wanted in ["standings", "ranks"] {
        let path = format!("{PATH}?return={wanted}");
        let response = server.post(&path, &items.clone().into());
        response.problem(400, "invalid", &["return", "1000", "1001"]);
        let response = server.send("POST", &path, &ndjson, lines.clone());
        response.problem(400, "invalid", &["return", "1000"]);
    }
    for query in [
        "return=all",
        "return=",
        "retrun=ranks",
        "return=ranks&return=ranks",
        "previous_rank=true",
        "previous_rank=1&return=ranks",
    ] {
        let response = server.post(format!("{PATH}?{query}"), &items[0]);
        response.problem(400, "invalid", &[query.split('=').next().unwrap()]);
    }
    let board = server.get("/v1/boards/gifts/a?window=all").ok();
    assert_eq!(board["members"], 0);
    let receipt = server.post(
        format!("{PATH}?return=ranks"),
        &items[..1000].to_vec().into(),
    );
    let receipt = receipt.ok();
    // Counted on each board.
    let many = |n: usize| json!({"boards": ["gifts/b", "gifts/c"], "member": format!("u{n}"), "points": 1, "id": format!("i{n}")});
    let many: Vec<Value> = (0..501).map(many).collect();
    let response = server.post(format!("{PATH}?return=ranks"), &many.into());
    response.problem(400, "invalid", &["return", "1000", "1002"]);
    assert_eq!(
        server.get("/v1/boards/gifts/b?window=all").ok()["members"],
        0
    );
    let standings = receipt["standings"].as_array().unwrap();
    let mut ranks: Vec<u64> = standings
        .iter()
        .map(|standing| standing["windows"][4]["rank"].as_u64().unwrap())
        .collect();
    ranks.sort_unstable();
    assert_eq!(ranks, (1..=1000).collect::<Vec<_>>());
}
