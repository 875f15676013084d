//! The one table of routes: each path and method, what it requires of its callers, and its handler.
//!
//! The router, authorization, the metrics and the audit log are made from it. What a route is in the `OpenAPI` document
//! stands beside its handler (`#[utoipa::path]`); a test compares the document with the table.
//!
//! **Invariant:** a path or a method that the table lacks is not served, and where there are keys the gate itself
//! answers for it.

use std::sync::Arc;

use access::Scope;
use axum::http::Method;
use axum::routing::{self, MethodRouter};
use matchit::{Match, Router};

use crate::app::App;
use crate::routes::{
    around, board, boards, contributions, count, erase, health, kinds, lookup, member, members,
    metrics, openapi, page, range, rank, stream, stream_tokens, top, tops,
};

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

/// A path, as the router writes it, and its methods. `HEAD` is served as `GET` is.
#[derive(Debug)]
pub(crate) struct Route {
    path: &'static str,
    methods: &'static [Served],
}

/// A method of a path.
#[derive(Debug)]
struct Served {
    name: &'static str,
    needs: Needs,
    handler: fn() -> MethodRouter<Arc<App>>,
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
pub(crate) const TAKES_LINES: &str = "/v1/contributions";

/// The name of a method, and the handler of a route by it.
macro_rules! served {
    (GET $handler:path, $needs:expr) => {
        served!(@ "GET", routing::get, $handler, $needs)
    };
    (PUT $handler:path, $needs:expr) => {
        served!(@ "PUT", routing::put, $handler, $needs)
    };
    (POST $handler:path, $needs:expr) => {
        served!(@ "POST", routing::post, $handler, $needs)
    };
    (DELETE $handler:path, $needs:expr) => {
        served!(@ "DELETE", routing::delete, $handler, $needs)
    };
    (@ $name:literal, $by:path, $handler:path, $needs:expr) => {
        Served {
            name: $name,
            needs: $needs,
            handler: || $by($handler),
        }
    };
}

/// Makes the table of rows `PATH { METHOD handler: needs, ... }`.
macro_rules! routes {
    ($($path:tt { $($method:ident $($handler:ident)::+: $needs:expr),+ $(,)? })+) => {
        static ROUTES: &[Route] = &[$(Route {
            path: $path,
            methods: &[$(served!($method $($handler)::+, $needs)),+],
        }),+];
    };
}

routes! {
    "/healthz" { GET health::alive: Nothing }
    "/readyz" { GET health::ready: Nothing }
    SCRAPED { GET metrics::show: Metrics }
    "/" { GET page::start: Nothing }
    "/page/{file}" { GET page::file: Nothing }
    "/openapi.json" { GET openapi::show: Nothing }
    "/docs" { GET page::docs: Nothing }
    TAKES_LINES { POST contributions::add: Key(Write) }
    "/v1/top" { POST tops::many: Key(Read) }
    "/v1/stream-tokens" { POST stream_tokens::issue: Key(Read) }
    "/v1/kinds" { GET kinds::list: Key(Read) }
    "/v1/kinds/{kind}" {
        GET kinds::show: Key(Read),
        PUT kinds::put: Key(Admin),
        DELETE kinds::delete: Key(Admin),
    }
    "/v1/boards" { GET boards::list: Key(Read) }
    "/v1/boards/{kind}/{subject}" {
        GET board::show: Key(Read),
        PUT board::put_settings: Key(Admin),
        DELETE board::delete: Key(Admin),
    }
    "/v1/boards/{kind}/{subject}/top" { GET top::show: Key(Read) }
    "/v1/boards/{kind}/{subject}/stream" { GET stream::show: Stream }
    "/v1/boards/{kind}/{subject}/range" { GET range::show: Key(Read) }
    "/v1/boards/{kind}/{subject}/count" { GET count::show: Key(Read) }
    "/v1/boards/{kind}/{subject}/rank" {
        GET rank::of_points: Key(Read),
        POST rank::of_values: Key(Read),
    }
    "/v1/boards/{kind}/{subject}/lookup" { POST lookup::show: Key(Read) }
    "/v1/boards/{kind}/{subject}/members/{member}" {
        GET member::show: Key(Read),
        PUT member::set: Key(Write),
        DELETE member::remove: Key(Write),
    }
    "/v1/boards/{kind}/{subject}/members/{member}/around" { GET around::show: Key(Read) }
    "/v1/members/{member}" { DELETE erase::erase: Key(Admin) }
    "/v1/members/{member}/hidden" {
        GET members::is_hidden: Key(Admin),
        PUT members::hide: Key(Admin),
        DELETE members::show: Key(Admin),
    }
    "/v1/hidden" { GET members::hidden: Key(Admin) }
}

impl Route {
    /// The path, as the router writes it.
    pub(crate) const fn path(&self) -> &'static str {
        self.path
    }

    /// The names of its methods.
    pub(crate) fn methods(&self) -> impl Iterator<Item = &'static str> {
        self.methods.iter().map(|served| served.name)
    }

    /// The handlers, by method.
    pub(crate) fn handlers(&self) -> MethodRouter<Arc<App>> {
        let handlers = self.methods.iter().map(|served| (served.handler)());
        handlers.fold(MethodRouter::new(), MethodRouter::merge)
    }

    /// What a method asks; none that the path does not serve.
    pub(crate) fn needs(&self, method: &Method) -> Option<Needs> {
        let name = match method.as_str() {
            "HEAD" => "GET",
            name => name,
        };
        let found = self.methods.iter().find(|served| served.name == name);
        found.map(|served| served.needs)
    }

    /// Whether it is a stream, which a token of its board opens, too.
    pub(crate) fn is_stream(&self) -> bool {
        self.methods.iter().any(|served| served.needs == Stream)
    }

    /// Whether the audit log says who did it: what only an admin may change, and what takes away.
    pub(crate) fn is_audited(&self, method: &Method) -> bool {
        let changes = matches!(self.needs(method), Some(Key(Admin))) && method == Method::PUT;
        changes || (method == Method::DELETE && self.needs(method).is_some())
    }

    /// The methods that the path serves, as `Allow` lists them.
    pub(crate) fn allow(&self) -> String {
        let mut names: Vec<&str> = self.methods().collect();
        if names.contains(&"GET") {
            names.push("HEAD");
        }
        names.join(",")
    }
}

/// All of the table.
pub(crate) fn all() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter()
}

/// What a method of a path asks, by the path as the router writes it.
#[cfg(test)]
pub(crate) fn needs_of(path: &str, method: &Method) -> Option<Needs> {
    let route = ROUTES.iter().find(|route| route.path == path)?;
    route.needs(method)
}

/// What belongs to each path of the table.
#[derive(Debug)]
pub(crate) struct ByPath<T>(Router<T>);

/// What belongs to a path, and the parameters of the path, as they are written.
pub(crate) type Found<'t, 'p, T> = Match<'t, 'p, &'t T>;

impl<T> ByPath<T> {
    /// Makes it of the rows of the table.
    pub(crate) fn of(each: impl Fn(&'static Route) -> T) -> Self {
        let mut router = Router::new();
        for route in ROUTES {
            let taken = router.insert(route.path, each(route));
            taken.expect("the table names each path once, as the router would");
        }
        Self(router)
    }

    /// What belongs to a path, matched as the router matches; but nothing belongs to one with an empty parameter.
    pub(crate) fn at<'t, 'p>(&'t self, path: &'p str) -> Option<Found<'t, 'p, T>> {
        let found = self.0.at(path).ok()?;
        let is_whole = found.params.iter().all(|(_, value)| !value.is_empty());
        is_whole.then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::openapi::documented;

    /// Files of pages: they alone are served without standing in the document.
    const PAGES: [&str; 2] = ["/", "/page/{file}"];

    #[test]
    fn what_is_served_stands_in_the_document_and_the_other_way_round() {
        let methods = |route: &Route| {
            let methods = route.methods().map(|name| name.parse::<Method>().unwrap());
            methods.collect::<Vec<_>>()
        };
        let mut served: BTreeMap<_, _> = all()
            .map(|route| (route.path.to_owned(), methods(route)))
            .collect();
        for page in PAGES {
            assert_eq!(served.remove(page), Some(vec![Method::GET]), "{page}");
        }
        assert_eq!(served, documented().into_iter().collect());
    }

    #[test]
    fn a_path_with_an_empty_parameter_is_of_no_route() {
        let table = ByPath::of(|route| route.path);
        for Route { path, .. } in ROUTES {
            let parts: Vec<&str> = path.split('/').collect();
            let filled = |empty: Option<usize>| {
                let filled = parts.iter().enumerate().map(|(place, part)| match *part {
                    _ if empty == Some(place) => "",
                    part if part.starts_with('{') => "a",
                    part => part,
                });
                filled.collect::<Vec<_>>().join("/")
            };
            let whole = filled(None);
            assert_eq!(table.at(&whole).map(|found| *found.value), Some(*path));
            for place in (0..parts.len()).filter(|place| parts[*place].starts_with('{')) {
                let path = filled(Some(place));
                assert!(table.at(&path).is_none(), "{path}");
            }
        }
    }

    #[test]
    fn nothing_of_the_contract_is_for_anybody() {
        for route in ROUTES {
            for served in route.methods {
                assert_eq!(
                    matches!(served.needs, Key(_) | Stream),
                    route.path.starts_with("/v1/"),
                    "{} {}",
                    served.name,
                    route.path
                );
            }
        }
    }

    #[test]
    fn what_changes_something_is_not_for_reading() {
        let asking = ["/v1/top", "/rank", "/lookup", "/v1/stream-tokens"];
        for route in ROUTES {
            for Served { name, needs, .. } in route.methods {
                let reads = *name == "GET" || asking.iter().any(|end| route.path.ends_with(end));
                if let Key(scope) = needs {
                    // Who is hidden is not for everybody who reads.
                    let about_hidden = route.path.ends_with("/hidden");
                    let expected = reads && !about_hidden;
                    assert_eq!(*scope == Read, expected, "{name} {}", route.path);
                }
            }
        }
    }
}
