//! The document has the routes of the table.

use std::collections::BTreeMap;

use axum::http::Method;

use super::super::document::documented;
use crate::route;

/// Files of pages: the only routes that are not in the document.
const PAGES: [&str; 4] = ["/", "/page/{file}", "/admin", "/overlay/{kind}/{subject}"];

#[test]
fn the_document_has_the_routes_of_the_table() {
    let mut served = BTreeMap::<_, Vec<Method>>::new();
    for route in route::all() {
        let methods = served.entry(route.path.to_owned()).or_default();
        methods.push(route.method.parse().unwrap());
    }
    for page in PAGES {
        assert_eq!(served.remove(page), Some(vec![Method::GET]), "{page}");
    }
    assert_eq!(served, documented().into_iter().collect());
}
