//! Every route accepts the query parameters that the document lists for it, and no others.

use std::collections::BTreeSet;

use testkit::Server;

use super::{CONFIG, Operation, fill};

/// A value that is invalid for all parameters but texts.
const NONSENSE: &str = "~";

#[test]
fn parameters_are_accepted_where_they_are_documented_and_nowhere_else() {
    let server = Server::with(CONFIG);
    let operations = Operation::all(&server.get("/openapi.json").ok());
    let names: BTreeSet<String> = operations.iter().flat_map(names).collect();
    assert!(names.len() >= 15, "{names:?}");
    for operation in operations
        .iter()
        .filter(|operation| operation.path.starts_with("/v1/"))
    {
        let own: BTreeSet<String> = names_of(operation);
        for name in &names {
            fill(&server);
            // An accepted stream is endless, so another parameter is invalid too. It is checked
            // last.
            let is_stream = operation.id() == "stream" && name != "window";
            let wrong = if is_stream { "&window=~" } else { "" };
            let (path, query) = path_and_query(operation, name);
            let target = format!("{path}?{query}{name}={NONSENSE}{wrong}");
            let body = operation.bodies().swap_remove(0);
            let response = operation.ask(&server, &target, &body);
            let unknown = format!("{name}: is not a parameter of this path");
            let is_unknown = response.body.contains(&unknown);
            assert_eq!(
                is_unknown,
                !own.contains(name),
                "{} {target}: {}",
                operation.method,
                response.body
            );
        }
    }
}

fn names(operation: &Operation) -> Vec<String> {
    names_of(operation).into_iter().collect()
}

fn names_of(operation: &Operation) -> BTreeSet<String> {
    let names = operation
        .parameters("query")
        .map(|parameter| parameter["name"].as_str().unwrap());
    names.map(str::to_owned).collect()
}

/// Returns the path, and the query with the required parameters except the tested one.
fn path_and_query(operation: &Operation, tested: &str) -> (String, String) {
    let target = operation.target();
    let (path, _) = target.split_once('?').unwrap_or((&target, ""));
    let needed = operation
        .parameters("query")
        .filter(|it| it["required"] == true);
    let needed = needed
        .map(|it| it["name"].as_str().unwrap())
        .filter(|name| *name != tested);
    let examples = target
        .split_once('?')
        .map_or("", |(_, query)| query)
        .split('&');
    let query: Vec<&str> = needed
        .filter_map(|name| {
            examples
                .clone()
                .find(|pair| pair.split('=').next() == Some(name))
        })
        .collect();
    let and = if query.is_empty() { "" } else { "&" };
    (path.to_owned(), query.join("&") + and)
}

#[test]
fn invalid_utf8_in_a_path_is_a_problem() {
    let server = Server::with(CONFIG);
    fill(&server);
    let operations = Operation::all(&server.get("/openapi.json").ok());
    let mut requests = 0;
    for operation in &operations {
        for wrong in operation.parameters("path") {
            let name = wrong["name"].as_str().unwrap();
            let wrong = Operation {
                method: operation.method.clone(),
                path: operation.path.replace(&format!("{{{name}}}"), "%ff"),
                description: operation.description.clone(),
            };
            let body = operation.bodies().swap_remove(0);
            let response = wrong.ask(&server, &wrong.target(), &body);
            response.problem(400, "invalid", &[name]);
            requests += 1;
        }
    }
    assert!(requests >= 30, "{requests}");
}
