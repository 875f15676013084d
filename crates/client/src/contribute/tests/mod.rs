//! What is sent again and what is not, against a server that answers as it is told.

mod resending;
mod undecided;

use crate::contribute::Contribution;
use crate::scripted::Reply;

/// So many, each with its own member.
fn contributions(count: usize) -> Vec<Contribution> {
    let one = |n| Contribution::new("gifts/a", format!("u{n}")).points(1);
    (0..count).map(one).collect()
}

/// A receipt with these counts and lists of items.
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
