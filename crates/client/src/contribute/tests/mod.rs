//! Which contributions are sent again, tested against a scripted server.

mod resending;
mod undecided;

use crate::contribute::Contribution;
use crate::scripted::Reply;

/// Returns contributions of different members.
fn contributions(count: usize) -> Vec<Contribution> {
    let one = |n| Contribution::new("gifts/a", format!("u{n}")).points(1);
    (0..count).map(one).collect()
}

/// Returns a receipt with these counts and lists of items.
fn receipt(status: u16, applied: u64, duplicates: u64, rejected: &str, failed: &str) -> Reply {
    let count = |items: &str| items.matches("index").count();
    let body = format!(
        r#"{{"applied":{applied},"duplicates":{duplicates},"rejected_count":{},"rejected":[{rejected}],
            "failed_count":{},"failed":[{failed}]}}"#,
        count(rejected),
        count(failed)
    );
    Reply::Answer(status, &[], body)
}

fn applied(count: u64) -> Reply {
    receipt(200, count, 0, "", "")
}

fn item(index: usize, kind: &str) -> String {
    item_on(index, "gifts/a", kind)
}

fn item_on(index: usize, board: &str, kind: &str) -> String {
    format!(r#"{{"index":{index},"board":"{board}","type":"{kind}","detail":"d"}}"#)
}
