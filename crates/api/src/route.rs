//! The one table of routes: each path and method, what it requires of its callers, and its handler.
//!
//! A path is matched once, when its request's head has arrived: [`Matched`] is what limits, authorization, the
//! metrics, traces, the audit log and dispatch go by. What a route is in the `OpenAPI` document
//! stands beside its handler (`#[utoipa::path]`); a test compares the document with the table.
//!
//! **Invariant:** a path or a method that the table lacks is not served, and where there are keys the gate itself
//! answers for it.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use access::Scope;
use axum::extract::Request;
use axum::handler::Handler;
use axum::http::Method;
use axum::response::Response;
use futures::future::BoxFuture;
use matchit::Router;

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

/// A path, as the table writes it, and its methods. `HEAD` is served as `GET` is.
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
    handler: CallHandler,
}

/// Calls a handler.
pub(crate) type CallHandler = fn(Request, Arc<App>) -> BoxFuture<'static, Response>;

/// What the machinery around asks: neither limits nor load keep it from an answer.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];

/// Whether it is a path that the machinery around asks.
pub(crate) fn is_probe(path: &str) -> bool {
    PROBES.contains(&path)
}

/// What is asked for what is counted.
const SCRAPED: &str = "/metrics";

/// Where a `POST` may be a stream of lines.
const TAKES_LINES: &str = "/v1/contributions";

/// The name of a method, and the handler of a route by it.
macro_rules! served {
    ($name:ident $handler:path, $needs:expr) => {
        Served {
            name: stringify!($name),
            needs: $needs,
            handler: |request, app| Handler::call($handler, request, app),
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
    /// The path, as the table writes it.
    pub(crate) const fn path(&self) -> &'static str {
        self.path
    }

    /// The names of its methods.
    pub(crate) fn methods(&self) -> impl Iterator<Item = &'static str> {
        self.methods.iter().map(|served| served.name)
    }

    fn served(&self, method: &Method) -> Option<&Served> {
        let name = match method.as_str() {
            "HEAD" => "GET",
            name => name,
        };
        self.methods.iter().find(|served| served.name == name)
    }

    /// The handler of a method; none that the path does not serve.
    pub(crate) fn handler(&self, method: &Method) -> Option<CallHandler> {
        self.served(method).map(|served| served.handler)
    }

    /// What a method asks; none that the path does not serve.
    pub(crate) fn needs(&self, method: &Method) -> Option<Needs> {
        self.served(method).map(|served| served.needs)
    }

    /// Whether the machinery around asks it: neither limits nor load keep it from an answer.
    fn is_probe(&self) -> bool {
        is_probe(self.path)
    }

    /// Whether it returns the metrics. They are needed most when the server is full, so the limits of other requests do
    /// not apply to it.
    fn is_scraped(&self) -> bool {
        self.path == SCRAPED
    }

    /// Whether a `POST` to it may be a stream of lines.
    fn takes_lines(&self) -> bool {
        self.path == TAKES_LINES
    }

    /// Whether it is a stream, which a token of its board opens, too.
    fn is_stream(&self) -> bool {
        self.methods.iter().any(|served| served.needs == Stream)
    }

    /// Whether the audit log says who did it: what only an admin may change, and what takes away.
    pub(crate) fn is_audited(&self, method: &Method) -> bool {
        let changes = matches!(self.needs(method), Some(Key(Admin))) && method == Method::PUT;
        changes || (method == Method::DELETE && self.needs(method).is_some())
    }

    /// The methods that the path serves, as `Allow` lists them.
    pub(crate) fn allow(&self) -> String {
        let listed = |name| match name {
            "GET" => "GET,HEAD",
            name => name,
        };
        let names: Vec<&str> = self.methods().map(listed).collect();
        names.join(",")
    }
}

/// All of the table.
pub(crate) fn all() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter()
}

/// What a method of a path asks, by the path as the table writes it.
#[cfg(test)]
pub(crate) fn needs_of(path: &str, method: &Method) -> Option<Needs> {
    let route = ROUTES.iter().find(|route| route.path == path)?;
    route.needs(method)
}

/// Parameters of a path.
const PARAMS_MAX: usize = 3;

/// The indexes in the table, by path.
static INDEXES: LazyLock<Router<usize>> = LazyLock::new(|| {
    let mut indexes = Router::new();
    for (index, route) in ROUTES.iter().enumerate() {
        let taken = indexes.insert(route.path, index);
        taken.expect("the table names each path once");
    }
    indexes
});

/// What a path was matched to: its route, if it has one, and where its parameters are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Matched {
    index: Option<usize>,
    /// By name, as parts of the path.
    params: [Option<(&'static str, Range<usize>)>; PARAMS_MAX],
}

impl Matched {
    /// Matches a path. One with an empty parameter is of no route.
    pub(crate) fn of(path: &str) -> Self {
        let Ok(found) = INDEXES.at(path) else {
            return Self::default();
        };
        let mut params = [const { None }; PARAMS_MAX];
        for ((name, value), param) in found.params.iter().zip(&mut params) {
            if value.is_empty() {
                return Self::default();
            }
            let begin = value.as_ptr().addr() - path.as_ptr().addr();
            *param = Some((name, begin..begin + value.len()));
        }
        Self {
            index: Some(*found.value),
            params,
        }
    }

    /// The index of its route in [`all`].
    pub(crate) const fn index(&self) -> Option<usize> {
        self.index
    }

    /// Its route.
    pub(crate) fn route(&self) -> Option<&'static Route> {
        self.index.map(|index| &ROUTES[index])
    }

    /// The parameters of the path that was matched, by name, as they are written.
    pub(crate) fn params<'p>(
        &self,
        path: &'p str,
    ) -> impl Iterator<Item = (&'static str, &'p str)> {
        let params = self.params.iter().flatten();
        params.filter_map(move |(name, part)| Some((*name, path.get(part.clone())?)))
    }

    /// A parameter of the path that was matched, as it is written.
    pub(crate) fn param<'p>(&self, path: &'p str, name: &str) -> Option<&'p str> {
        let mut params = self.params(path);
        params
            .find(|(other, _)| *other == name)
            .map(|(_, value)| value)
    }

    /// Whether it is what the machinery around asks.
    pub(crate) fn is_probe(&self) -> bool {
        self.route().is_some_and(Route::is_probe)
    }

    /// Whether it returns the metrics.
    pub(crate) fn is_scraped(&self) -> bool {
        self.route().is_some_and(Route::is_scraped)
    }

    /// Whether a `POST` to it may be a stream of lines.
    pub(crate) fn takes_lines(&self) -> bool {
        self.route().is_some_and(Route::takes_lines)
    }

    /// Whether it is a stream.
    pub(crate) fn is_stream(&self) -> bool {
        self.route().is_some_and(Route::is_stream)
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
            let matched = Matched::of(&whole);
            assert_eq!(matched.route().map(Route::path), Some(*path));
            let params: Vec<_> = matched.params(&whole).map(|(_, value)| value).collect();
            let named = parts.iter().filter(|part| part.starts_with('{'));
            assert_eq!(params, vec!["a"; named.count()]);
            for place in (0..parts.len()).filter(|place| parts[*place].starts_with('{')) {
                let path = filled(Some(place));
                assert!(Matched::of(&path).route().is_none(), "{path}");
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
