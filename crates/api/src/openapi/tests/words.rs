//! The words of problems are those of the document, and of `docs/http.md`.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::super::document::document;
use super::problems_of;

const PAGE: &str = include_str!("../../../../../docs/http.md");

/// Returns words and statuses of the rows `| `word` | 404 | meaning |` of the page.
fn on_the_page() -> BTreeSet<(String, String)> {
    let rows = PAGE.lines().filter_map(|line| {
        let (word, others) = line.strip_prefix("| `")?.split_once("` | ")?;
        let status = others.split(" |").next()?;
        let is_status = status.len() == 3 && status.parse::<u16>().is_ok();
        is_status.then(|| (word.to_owned(), status.to_owned()))
    });
    rows.collect()
}

/// Returns words and statuses of all responses.
fn documented(document: &Json) -> BTreeSet<(String, String)> {
    let items = document["paths"].as_object().unwrap().values();
    let operations = items.flat_map(|item| item.as_object().unwrap().values());
    operations
        .flat_map(|operation| problems_of(document, operation))
        .collect()
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
    let on_the_page = on_the_page();
    assert_eq!(
        on_the_page
            .iter()
            .map(|(word, _)| &**word)
            .collect::<BTreeSet<_>>(),
        listed
    );
    let documented = documented(&document);
    assert!(
        documented.is_subset(&on_the_page),
        "{:?}",
        documented.difference(&on_the_page)
    );
    // Only methods that are not in the document return it.
    let others = on_the_page.difference(&documented).map(|(word, _)| &**word);
    assert_eq!(others.collect::<Vec<_>>(), ["method-not-allowed"]);
}
