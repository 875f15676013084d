//! The words of problems are those of the document, and of `docs/http.md`.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::super::document::document;

const PAGE: &str = include_str!("../../../../../docs/http.md");

/// Rows `| `word` | 404 | meaning |` of the page.
fn told() -> BTreeSet<(String, String)> {
    let rows = PAGE.lines().filter_map(|line| {
        let (word, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        let status = rest.split(" |").next()?;
        let is_status = status.len() == 3 && status.parse::<u16>().is_ok();
        is_status.then(|| (word.to_owned(), status.to_owned()))
    });
    rows.collect()
}

/// Words and statuses of all responses.
fn documented(document: &Json) -> BTreeSet<(String, String)> {
    let items = document["paths"].as_object().unwrap().values();
    let operations = items.flat_map(|item| item.as_object().unwrap().values());
    let responses =
        operations.flat_map(|operation| operation["responses"].as_object().unwrap().iter());
    let words = responses.flat_map(|(status, response)| {
        let name = response["$ref"]
            .as_str()
            .map(|name| name.rsplit('/').next().unwrap());
        let response = name.map_or(response, |name| &document["components"]["responses"][name]);
        let schema = &response["content"]["application/problem+json"]["schema"];
        let words = schema["allOf"][1]["properties"]["type"]["enum"].as_array();
        let words = words.into_iter().flatten();
        words.map(|word| (word.as_str().unwrap().to_owned(), status.clone()))
    });
    words.collect()
}

#[test]
fn words_are_the_same_everywhere() {
    let document = serde_json::to_value(document()).unwrap();
    let listed = &document["components"]["schemas"]["ProblemType"]["enum"];
    let listed: BTreeSet<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|w| w.as_str().unwrap())
        .collect();
    let told = told();
    assert_eq!(
        told.iter()
            .map(|(word, _)| &**word)
            .collect::<BTreeSet<_>>(),
        listed
    );
    let documented = documented(&document);
    assert!(
        documented.is_subset(&told),
        "{:?}",
        documented.difference(&told)
    );
    // What is no route of the document answers these.
    let elsewhere = ["method-not-allowed", "unknown-path"];
    let rest = told.difference(&documented).map(|(word, _)| &**word);
    assert_eq!(rest.collect::<Vec<_>>(), elsewhere);
}
