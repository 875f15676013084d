//! Imports without a process: from a file to the requests and the summary.

mod endings;
mod outcomes;
mod trouble;

use std::io::Cursor;
use std::ops::RangeInclusive;
use std::sync::Mutex;
use std::time::Duration;

use megaboard_client::RetryPolicy;
use serde_json::{Value, json};

use super::csv::{CsvFormat, Role};
use super::summary::Summary;
use super::*;
use crate::scripted::{Reply, Request, TestServer};
use crate::server::ServerArgs;

/// The result of an import.
struct Import {
    outcome: Result<(), Halt>,
    summary: Summary,
    said: Vec<String>,
}

fn import(server: &ServerArgs, rows: Box<dyn Rows>, from_line: u64, stop: &Stop) -> Import {
    let retry = RetryPolicy {
        first_pause: Duration::from_millis(1),
        longest_pause: Duration::from_millis(10),
        give_up_after: Duration::from_secs(2),
    };
    let client = server.client_with(retry).unwrap();
    let runtime = Runtime::start().unwrap();
    let said = Mutex::new(Vec::new());
    let say = |message| said.lock().unwrap().push(message);
    let mut delivery = Delivery::new(Reads {
        runtime: &runtime,
        client: &client,
        stop,
        say: &say,
    });
    let outcome = send_all(Batches::new(rows, from_line), &mut delivery, None);
    let summary = delivery.report.summary;
    Import {
        outcome,
        summary,
        said: said.into_inner().unwrap(),
    }
}

fn import_ndjson(server: &TestServer, file: &str) -> Import {
    import(&server.args(), ndjson(file), 1, &Stop::default())
}

fn ndjson(file: &str) -> Box<dyn Rows> {
    let lines = Lines::new(Cursor::new(file.to_owned())).unwrap();
    Box::new(NdjsonRows::open(lines).unwrap())
}

fn csv(file: &str) -> Box<dyn Rows> {
    let format = CsvFormat {
        kind: "gifts".to_owned(),
        subject: "room".to_owned(),
        columns: vec![
            (Role::Member, "who".to_owned()),
            (Role::Points, "points".to_owned()),
        ],
        missing: None,
        delimiter: None,
    };
    let lines = Lines::new(Cursor::new(file.to_owned())).unwrap();
    Box::new(CsvRows::open(lines, format).unwrap())
}

/// Returns a receipt. The lists have index and type.
fn receipt(applied: usize, rejected: &[(usize, &str)], failed: &[(usize, &str)]) -> Value {
    let list = |items: &[(usize, &str)]| -> Vec<Value> {
        let item = |&(index, kind): &(usize, &str)| json!({"index": index, "board": "gifts/room", "type": kind, "detail": "because"});
        items.iter().map(item).collect()
    };
    json!({"applied": applied, "duplicates": 0,
        "rejected_count": rejected.len(), "rejected": list(rejected),
        "failed_count": failed.len(), "failed": list(failed)})
}

fn all_applied(request: &Request) -> Reply {
    Reply::ok(receipt(request.lines().len(), &[], &[]).to_string())
}

fn with_ids(lines: RangeInclusive<u32>) -> String {
    lines.fold(String::new(), |file, n| {
        file + &format!("{{\"member\":\"m{n}\",\"id\":\"e{n}\"}}\n")
    })
}

fn without_ids(lines: RangeInclusive<u32>) -> String {
    lines.fold(String::new(), |file, n| {
        file + &format!("{{\"member\":\"m{n}\"}}\n")
    })
}

fn reason(import: &Import) -> &str {
    match &import.outcome {
        Err(Halt::Failed(reason)) => reason,
        other => panic!("{other:?}"),
    }
}
