//! Batches: rejected items are reported by index, and the others are applied.

use serde_json::json;
use testkit::{Server, ndjson};

#[test]
fn contributions_of_a_member_keep_their_order() {
    let server = Server::start();
    // A set acts when it arrives, so the order is visible.
    let mut items = Vec::new();
    for round in 0..1500 {
        items.push(json!({"board": "gifts/a", "member": "u", "points": round, "set": true}));
        items.push(json!({"board": "gifts/a", "member": "u", "points": 1}));
    }
    let lines = ndjson(&items);
    for receipt in [server.contribute(&items.into()), server.lines(&lines)] {
        assert_eq!(receipt.ok()["applied"], 3000);
        let shown = server.get("/v1/boards/gifts/a/members/u?window=all").ok();
        assert_eq!(shown["points"], 1500);
    }
}
