//! The document has the routes of the table.

use std::collections::BTreeMap;

use axum::http::Method;

use super::super::document::documented;
use crate::route::{self, Route};

/// Files of pages: the only routes that are not in the document.
const PAGES: [&str; 4] = ["/", "/page/{file}", "/admin", "/overlay/{kind}/{subject}"];

#[test]
fn the_document_has_the_routes_of_the_table() {
    let methods = |route: &Route| {
        let methods = route.methods().map(|name| name.parse::<Method>().unwrap());
        methods.collect::<Vec<_>>()
    };
    let mut served: BTreeMap<_, _> = route::all()
        .map(|route| (route.path().to_owned(), methods(route)))
        .collect();
    for page in PAGES {
        assert_eq!(served.remove(page), Some(vec![Method::GET]), "{page}");
    }
    assert_eq!(served, documented().into_iter().collect());
}
