//! The one table of routes: each path and method, what it requires of its callers, and its handler.
//!
//! A path is matched once, when the head of its request has arrived: limits, authorization, metrics, traces, the audit
//! log and dispatch all use the [`Matched`]. The description of a route for the `OpenAPI` document is at its handler
//! (`#[utoipa::path]`); a test compares the document with the table.
//!
//! **Invariant:** a path or a method that is not in the table is not served; if keys are configured, the gate refuses
//! it.

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
    admin, around, board, boards, contributions, count, erase, health, kinds, lookup, member,
    member_boards, members, metrics, openapi, page, profiles, range, rank, removal, stream,
    stream_tokens, top, tops,
};
use http_server::query_params::PathParams;

/// What a route requires of its callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing.
    Nothing,
    /// A key for reading, unless `metrics_open` is set.
    Metrics,
    /// A key for reading, or a token of the board, unless its kind is public.
    Stream,
    /// A key for reading, unless the kinds that are read are public: that in the path, or those that the handler
    /// checks.
    ReadKey,
    /// A key of this scope, for the kind in the path if there is one.
    Key(Scope),
}

use Needs::{Key, Metrics, Nothing, ReadKey, Stream};
use Scope::{Admin, Read, Write};

/// A path, as the table has it, and its methods. `HEAD` is served like `GET`.
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

/// Paths of probes: limits do not apply to them.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];

/// Whether it is the path of a probe.
pub(crate) fn is_probe(path: &str) -> bool {
    PROBES.contains(&path)
}

/// The path of the metrics.
const SCRAPED: &str = "/metrics";

/// The path whose responses may be prepared, and its end.
const TOP: &str = "/v1/boards/{kind}/{subject}/top";
const TOP_END: &str = "/top";

/// Whether the response to a read of this path may be prepared, as far as its end shows.
pub(crate) fn may_be_prepared(path: &str) -> bool {
    path.ends_with(TOP_END)
}

/// The path where a `POST` may be a stream of lines.
const TAKES_LINES: &str = "/v1/contributions";

/// Whether a member is hidden: a `PUT` has all that it needs in path and query.
const HIDDEN: &str = "/v1/members/{member}/hidden";

/// Makes a method of a route, with its handler.
macro_rules! served {
    ($name:ident $handler:path, $needs:expr) => {
        Served {
            name: stringify!($name),
            needs: $needs,
            handler: |request, app| Handler::call($handler, request, app),
        }
    };
}

/// Makes the table from rows `PATH { METHOD handler: needs, ... }`.
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
    "/overlay/{kind}/{subject}" { GET page::overlay: Nothing }
    "/openapi.json" { GET openapi::show: Nothing }
    "/docs" { GET page::docs: Nothing }
    "/admin" { GET page::admin: Nothing }
    TAKES_LINES { POST contributions::add: Key(Write) }
    "/v1/top" { POST tops::many: ReadKey }
    "/v1/stream-tokens" { POST stream_tokens::issue: Key(Read) }
    "/v1/kinds" { GET kinds::list: ReadKey }
    "/v1/kinds/{kind}" {
        GET kinds::show: ReadKey,
        PUT kinds::put: Key(Admin),
        DELETE kinds::delete: Key(Admin),
    }
    "/v1/kinds/{kind}/profiles" { POST profiles::many: Key(Write) }
    "/v1/kinds/{kind}/members/{member}/profile" {
        GET profiles::show: ReadKey,
        PUT profiles::put: Key(Write),
        DELETE profiles::delete: Key(Write),
    }
    "/v1/boards" { GET boards::list: ReadKey }
    "/v1/boards/{kind}/{subject}" {
        GET board::show: ReadKey,
        PUT board::put_settings: Key(Admin),
        DELETE board::delete: Key(Admin),
    }
    TOP { GET top::show: ReadKey }
    "/v1/boards/{kind}/{subject}/stream" { GET stream::show: Stream }
    "/v1/boards/{kind}/{subject}/range" { GET range::show: ReadKey }
    "/v1/boards/{kind}/{subject}/count" { GET count::show: ReadKey }
    "/v1/boards/{kind}/{subject}/rank" {
        GET rank::of_points: ReadKey,
        POST rank::of_values: ReadKey,
    }
    "/v1/boards/{kind}/{subject}/lookup" { POST lookup::show: ReadKey }
    "/v1/boards/{kind}/{subject}/members" { DELETE removal::many: Key(Admin) }
    "/v1/boards/{kind}/{subject}/members/{member}" {
        GET member::show: ReadKey,
        PUT member::set: Key(Write),
        DELETE removal::one: Key(Write),
    }
    "/v1/boards/{kind}/{subject}/members/{member}/around" { GET around::show: ReadKey }
    "/v1/members/{member}" {
        GET member_boards::list: ReadKey,
        DELETE erase::erase: Key(Admin),
    }
    HIDDEN {
        GET members::is_hidden: Key(Admin),
        PUT members::hide: Key(Admin),
        DELETE members::show: Key(Admin),
    }
    "/v1/hidden" { GET members::hidden: Key(Admin) }
    "/v1/audit" { GET admin::audit: Key(Admin) }
    "/v1/keys" { GET admin::keys: Key(Admin) }
}

impl Route {
    /// Returns the path, as the table has it.
    pub(crate) const fn path(&self) -> &'static str {
        self.path
    }

    /// Returns the names of its methods.
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

    /// Returns the handler of a method; `None` if the path does not have it.
    pub(crate) fn handler(&self, method: &Method) -> Option<CallHandler> {
        self.served(method).map(|served| served.handler)
    }

    /// Returns what a method requires; `None` if the path does not have it.
    pub(crate) fn needs(&self, method: &Method) -> Option<Needs> {
        self.served(method).map(|served| served.needs)
    }

    fn is_probe(&self) -> bool {
        is_probe(self.path)
    }

    /// Whether it returns the metrics. They are needed most when the server is overloaded, so the limits of other
    /// requests do not apply to it.
    fn is_scraped(&self) -> bool {
        self.path == SCRAPED
    }

    /// Whether a `POST` to it may be a stream of lines.
    fn takes_lines(&self) -> bool {
        self.path == TAKES_LINES
    }

    fn may_be_prepared(&self) -> bool {
        self.path == TOP
    }

    /// Whether it is a stream of events, which a token of its board may open.
    fn is_stream(&self) -> bool {
        self.methods.iter().any(|served| served.needs == Stream)
    }

    /// Whether a request is audited: changes that require an admin, and every `DELETE`.
    pub(crate) fn is_audited(&self, method: &Method) -> bool {
        let changes = matches!(self.needs(method), Some(Key(Admin))) && method == Method::PUT;
        changes || (method == Method::DELETE && self.needs(method).is_some())
    }

    /// Whether a change has all that it needs in its path and query: a body would be meant, and ignored.
    pub(crate) fn takes_no_body(&self, method: &Method) -> bool {
        let has_none = method == Method::DELETE || (method == Method::PUT && self.path == HIDDEN);
        has_none && self.served(method).is_some()
    }

    /// Returns the methods of the path, in the form of `Allow`.
    pub(crate) fn allow(&self) -> String {
        let listed = |name| match name {
            "GET" => "GET,HEAD",
            name => name,
        };
        let names: Vec<&str> = self.methods().map(listed).collect();
        names.join(",")
    }
}

/// Returns all routes.
pub(crate) fn all() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter()
}

/// Returns what a method of a path requires, by the path as the table has it.
#[cfg(test)]
pub(crate) fn needs_of(path: &str, method: &Method) -> Option<Needs> {
    let route = ROUTES.iter().find(|route| route.path == path)?;
    route.needs(method)
}

/// The indexes in the table, by path.
static INDEXES: LazyLock<Router<usize>> = LazyLock::new(|| {
    let mut indexes = Router::new();
    for (index, route) in ROUTES.iter().enumerate() {
        let taken = indexes.insert(route.path, index);
        taken.expect("the table names each path once");
    }
    indexes
});

/// What a path was matched to: its route, if it has one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Matched {
    index: Option<usize>,
}

impl Matched {
    /// Matches a path. A path with an empty parameter has no route.
    pub(crate) fn of(path: &str) -> Self {
        let has_empty = || {
            PathParams::of(path)
                .iter()
                .any(|(_, value)| value.is_empty())
        };
        let found = INDEXES.at(path).ok();
        Self {
            index: found.map(|found| *found.value).filter(|_| !has_empty()),
        }
    }

    /// Returns the index of its route in [`all`].
    pub(crate) const fn index(&self) -> Option<usize> {
        self.index
    }

    /// Returns its route.
    pub(crate) fn route(&self) -> Option<&'static Route> {
        self.index.map(|index| &ROUTES[index])
    }

    /// Whether it is a probe.
    pub(crate) fn is_probe(&self) -> bool {
        self.route().is_some_and(Route::is_probe)
    }

    /// Whether a request of this method only reads.
    pub(crate) fn only_reads(&self, method: &Method) -> bool {
        let needs = self.route().and_then(|route| route.needs(method));
        matches!(needs, Some(ReadKey | Key(Read)))
    }

    /// Whether it returns the metrics.
    pub(crate) fn is_scraped(&self) -> bool {
        self.route().is_some_and(Route::is_scraped)
    }

    /// Whether it is accepted on a connection for probes alone.
    pub(crate) fn is_for_spare(&self) -> bool {
        self.is_probe() || self.is_scraped()
    }

    /// Whether a `POST` to it may be a stream of lines.
    pub(crate) fn takes_lines(&self) -> bool {
        self.route().is_some_and(Route::takes_lines)
    }

    /// Whether the response to a `GET` may be prepared.
    pub(crate) fn may_be_prepared(&self) -> bool {
        self.route().is_some_and(Route::may_be_prepared)
    }

    /// Whether it is a stream of events.
    pub(crate) fn is_stream(&self) -> bool {
        self.route().is_some_and(Route::is_stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_an_empty_parameter_has_no_route() {
        for Route { path, .. } in ROUTES {
            let parts: Vec<&str> = path.split('/').collect();
            let filled = |empty: Option<usize>| {
                let filled = parts.iter().enumerate().map(|(index, part)| match *part {
                    _ if empty == Some(index) => "",
                    // Each has another value.
                    part if part.starts_with('{') => part.trim_matches(['{', '}']),
                    part => part,
                });
                filled.collect::<Vec<_>>().join("/")
            };
            let whole = filled(None);
            let matched = Matched::of(&whole);
            assert_eq!(matched.route().map(Route::path), Some(*path));
            let params: Vec<_> = PathParams::of(&whole).iter().collect();
            let found: Vec<_> = INDEXES.at(&whole).unwrap().params.iter().collect();
            assert_eq!(params, found, "{whole}");
            for index in (0..parts.len()).filter(|index| parts[*index].starts_with('{')) {
                let path = filled(Some(index));
                assert!(Matched::of(&path).route().is_none(), "{path}");
            }
        }
    }

    #[test]
    fn every_route_of_the_contract_requires_a_key() {
        for route in ROUTES {
            for served in route.methods {
                assert_eq!(
                    matches!(served.needs, Key(_) | ReadKey | Stream),
                    route.path.starts_with("/v1/"),
                    "{} {}",
                    served.name,
                    route.path
                );
            }
        }
    }

    #[test]
    fn routes_that_change_something_require_more_than_read() {
        // Reads whose parameters are in a body.
        let posted = ["/v1/top", "/rank", "/lookup", "/v1/stream-tokens"];
        for route in ROUTES {
            for Served { name, needs, .. } in route.methods {
                let reads = *name == "GET" || posted.iter().any(|end| route.path.ends_with(end));
                // A read scope is not enough to see hidden members, the audit log and keys.
                let for_admins = ["/hidden", "/audit", "/keys"];
                let for_admins = for_admins.iter().any(|end| route.path.ends_with(end));
                let expected = reads && !for_admins;
                if matches!(needs, Key(_) | ReadKey) {
                    let is_read = matches!(needs, ReadKey | Key(Read));
                    assert_eq!(is_read, expected, "{name} {}", route.path);
                }
            }
        }
    }
}
