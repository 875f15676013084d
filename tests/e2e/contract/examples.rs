//! Every example of a request works.

use serde_json::Value;
use testkit::{Launch, Server};

use super::{CONFIG, Operation, fill};

/// Operations whose examples require a server without contributions.
const BEFORE_THE_FIRST: [&str; 3] = ["settle_board", "put_kind", "delete_kind"];

fn started(operation: &Operation) -> Server {
    let launch = Launch::on_a_free_port(CONFIG);
    let server = launch.args("--store memory: --audit-log audit.log").start();
    if !BEFORE_THE_FIRST.contains(&operation.id()) {
        fill(&server);
    }
    server
}

#[test]
fn every_example_of_a_request_succeeds() {
    let document = Server::start().get("/openapi.json").ok();
    let operations = Operation::all(&document);
    assert!(operations.len() >= 20, "{operations:?}");
    for operation in operations {
        // A stream is endless.
        if operation.id() == "stream" {
            continue;
        }
        for body in operation.bodies() {
            let server = started(&operation);
            let response = operation.ask(&server, &operation.target(), &body);
            let status = response.status.to_string();
            let about = format!("{}: {body:?}: {response:?}", operation.id());
            assert!(status.starts_with('2'), "{about}");
            let documented = &operation.description["responses"][&status];
            assert!(documented.is_object(), "{about}");
            if let Some(content) = documented.get("content") {
                let media_type = response.header("content-type").split(';').next().unwrap();
                assert!(content.get(media_type).is_some(), "{about}");
            }
            if let Ok(Value::Object(json)) = serde_json::from_str(&response.body) {
                let rejected = json.get("rejected_count");
                assert!(rejected.is_none_or(|count| *count == 0), "{about}");
            }
        }
    }
}
