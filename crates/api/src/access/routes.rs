//! What every route requires of its callers: the one table.
//!
//! **Invariant:** routes missing from the table are denied. Where there are keys, the gate itself answers for a path
//! or a method that the table lacks, and a test compares every route of the router with the table.

use axum::http::Method;
use matchit::Router;

use super::scope::Scope;

/// What a route asks of its callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing, from anybody.
    Nothing,
    /// A key for reading, unless the setting says otherwise.
    Metrics,
    /// A key for reading, or a token of the board.
    Stream,
    /// A key of this scope, for the kind in the path where it has one.
    Key(Scope),
}

use Needs::{Key, Metrics, Nothing, Stream};
use Scope::{Admin, Read, Write};

/// A path, as the router writes it, and what its methods ask. `HEAD` asks what `GET` does.
#[derive(Debug)]
pub(super) struct Route {
    path: &'static str,
    methods: &'static [(&'static str, Needs)],
}

const fn route(path: &'static str, methods: &'static [(&'static str, Needs)]) -> Route {
    Route { path, methods }
}

/// What the machinery around asks: neither limits nor load keep it from an answer.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];

/// Whether it is a path that the machinery around asks.
pub(crate) fn is_probe(path: &str) -> bool {
    PROBES.contains(&path)
}

/// What is asked for what is counted.
const SCRAPED: &str = "/metrics";

/// Whether it is the path that tells what is counted. When the server is full is when somebody wants
/// to see why: limits of other requests do not keep it from an answer.
pub(crate) fn is_scraped(path: &str) -> bool {
    path == SCRAPED
}

/// Where a `POST` may be a stream of lines.
pub(super) const TAKES_LINES: &str = "/v1/contributions";

static ROUTES: &[Route] = &[
    route("/healthz", &[("GET", Nothing)]),
    route("/readyz", &[("GET", Nothing)]),
    route(SCRAPED, &[("GET", Metrics)]),
    route("/", &[("GET", Nothing)]),
    route("/page/{file}", &[("GET", Nothing)]),
    route("/openapi.json", &[("GET", Nothing)]),
    route("/docs", &[("GET", Nothing)]),
    route("/v1/contributions", &[("POST", Key(Write))]),
    route("/v1/top", &[("POST", Key(Read))]),
    route("/v1/stream-tokens", &[("POST", Key(Read))]),
    route("/v1/kinds", &[("GET", Key(Read))]),
    route(
        "/v1/kinds/{kind}",
        &[
            ("GET", Key(Read)),
            ("PUT", Key(Admin)),
            ("DELETE", Key(Admin)),
        ],
    ),
    route("/v1/boards", &[("GET", Key(Read))]),
    route(
        "/v1/boards/{kind}/{subject}",
        &[
            ("GET", Key(Read)),
            ("PUT", Key(Admin)),
            ("DELETE", Key(Admin)),
        ],
    ),
    route("/v1/boards/{kind}/{subject}/top", &[("GET", Key(Read))]),
    route("/v1/boards/{kind}/{subject}/stream", &[("GET", Stream)]),
    route("/v1/boards/{kind}/{subject}/range", &[("GET", Key(Read))]),
    route("/v1/boards/{kind}/{subject}/count", &[("GET", Key(Read))]),
    route(
        "/v1/boards/{kind}/{subject}/rank",
        &[("GET", Key(Read)), ("POST", Key(Read))],
    ),
    route("/v1/boards/{kind}/{subject}/lookup", &[("POST", Key(Read))]),
    route(
        "/v1/boards/{kind}/{subject}/members/{member}",
        &[
            ("GET", Key(Read)),
            ("PUT", Key(Write)),
            ("DELETE", Key(Write)),
        ],
    ),
    route("/v1/members/{member}", &[("DELETE", Key(Admin))]),
    route(
        "/v1/members/{member}/hidden",
        &[
            ("GET", Key(Admin)),
            ("PUT", Key(Admin)),
            ("DELETE", Key(Admin)),
        ],
    ),
    route("/v1/hidden", &[("GET", Key(Admin))]),
    route(
        "/v1/boards/{kind}/{subject}/members/{member}/around",
        &[("GET", Key(Read))],
    ),
];

impl Route {
    /// The path, as the router writes it.
    pub(super) const fn path(&self) -> &'static str {
        self.path
    }

    /// What a method asks; none that the path does not know.
    pub(super) fn needs(&self, method: &Method) -> Option<Needs> {
        let name = match method.as_str() {
            "HEAD" => "GET",
            name => name,
        };
        let found = self.methods.iter().find(|(other, _)| *other == name);
        found.map(|(_, needs)| *needs)
    }

    /// Whether it is a stream, which a token of its board opens, too.
    pub(super) fn is_stream(&self) -> bool {
        self.methods.iter().any(|(_, needs)| *needs == Stream)
    }

    /// Whether the audit log says who did it: what only an admin may change, and what takes away.
    pub(super) fn is_audited(&self, method: &Method) -> bool {
        let changes = matches!(self.needs(method), Some(Key(Admin))) && method == Method::PUT;
        changes || (method == Method::DELETE && self.needs(method).is_some())
    }

    /// The methods that the path knows, as `Allow` lists them.
    pub(super) fn allow(&self) -> String {
        let mut names: Vec<&str> = self.methods.iter().map(|(name, _)| *name).collect();
        if names.contains(&"GET") {
            names.push("HEAD");
        }
        names.join(",")
    }
}

/// Each path, as the router writes it, and its methods.
pub(crate) fn methods_by_path()
-> impl Iterator<Item = (&'static str, impl Iterator<Item = &'static str>)> {
    ROUTES.iter().map(|route| {
        let methods = route.methods.iter().map(|(method, _)| *method);
        (route.path, methods)
    })
}

/// What a method of a path asks, by the path as the router writes it.
#[cfg(test)]
pub(crate) fn needs_of(path: &str, method: &Method) -> Option<Needs> {
    let route = ROUTES.iter().find(|route| route.path == path)?;
    route.needs(method)
}

/// The table by path, matched as the router matches.
pub(super) fn by_path() -> Router<&'static Route> {
    let mut router = Router::new();
    for route in ROUTES {
        let taken = router.insert(route.path, route);
        taken.expect("the table names each path once, as the router would");
    }
    router
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::openapi::documented;

    const ROUTER: &str = include_str!("../router.rs");

    /// Files of pages: they alone are served without standing in the document.
    const PAGES: [&str; 2] = ["/", "/page/{file}"];

    /// Paths and methods that are served, as the router's text has them.
    fn served() -> BTreeMap<String, Vec<Method>> {
        for other in [
            ".nest(",
            ".merge(",
            "_service(",
            "with_tsr(",
            "any(",
            "on(",
            "patch(",
            "head(",
            "options(",
            "trace(",
        ] {
            let hidden = "the test does not see those routes";
            assert!(!ROUTER.contains(other), "{other}: {hidden}");
        }
        let text: String = ROUTER.split_whitespace().collect();
        let (table, _) = text.split_once(".fallback(").unwrap();
        let rows = table.split(".route(\"").skip(1);
        let row = |row: &str| {
            let (path, handlers) = row.split_once("\",").unwrap();
            let all = [
                ("get(", Method::GET),
                ("put(", Method::PUT),
                ("post(", Method::POST),
                ("delete(", Method::DELETE),
            ];
            let named = all.into_iter().filter(|(name, _)| handlers.contains(name));
            (path.to_owned(), named.map(|(_, method)| method).collect())
        };
        let served: BTreeMap<_, _> = rows.map(row).collect();
        assert_eq!(ROUTER.matches(".route(").count(), served.len());
        served
    }

    #[test]
    fn what_is_served_stands_in_the_document_and_the_other_way_round() {
        let mut served = served();
        for page in PAGES {
            assert_eq!(served.remove(page), Some(vec![Method::GET]), "{page}");
        }
        assert_eq!(served, documented().into_iter().collect());
    }

    #[test]
    fn every_route_of_the_router_stands_in_the_table() {
        let table = by_path();
        let served = served();
        assert!(served.len() >= 15, "{served:?}");
        for (path, methods) in served {
            let Some(route) = ROUTES.iter().find(|route| route.path == path) else {
                panic!("{path}: say in access/routes.rs what it asks of its callers");
            };
            assert!(!methods.is_empty(), "{path}: no method was found");
            for method in methods {
                let needs = route.needs(&method);
                assert!(needs.is_some(), "{path}: what does {method} ask?");
                // Nothing under /v1 is for anybody.
                assert_eq!(
                    matches!(needs, Some(Key(_) | Stream)),
                    path.starts_with("/v1/"),
                    "{method} {path}"
                );
            }
            assert!(table.at(&path).is_ok());
        }
    }

    #[test]
    fn what_changes_something_is_not_for_reading() {
        let asking = ["/v1/top", "/rank", "/lookup", "/v1/stream-tokens"];
        for route in ROUTES {
            for (method, needs) in route.methods {
                let reads = *method == "GET" || asking.iter().any(|end| route.path.ends_with(end));
                if let Key(scope) = needs {
                    // Who is hidden is not for everybody who reads.
                    let about_hidden = route.path.ends_with("/hidden");
                    let expected = reads && !about_hidden;
                    assert_eq!(*scope == Read, expected, "{method} {}", route.path);
                }
            }
        }
    }
}
