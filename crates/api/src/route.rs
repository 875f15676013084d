//! The one table of routes. A row has a method of a path, its handler, what it requires of its callers, the limits that
//! it counts for, and what else is special about it.
//!
//! A request is matched once, when its head has arrived: limits, authorization, metrics, traces, the audit log and its
//! handler all use the [`Matched`]. The description of a route for the `OpenAPI` document is at its handler
//! (`#[utoipa::path]`); a test compares the document with the table.
//!
//! **Invariant:** a path or a method that is not in the table is not served; if keys are configured, the gate refuses
//! it.

use std::ops::Range;
use std::sync::LazyLock;

use access::Scope;
use axum::http::{HeaderValue, Method, header};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http_server::query_params::percent;
use matchit::Router;
use wire::problem::{Problem, ProblemType};

use crate::call::{Call, HandlerResult};
use crate::routes::{
    admin, around, board, boards, contributions, count, erase, health, kinds, lookup, member,
    member_boards, members, metrics, openapi, page, profiles, range, rank, removal, stream,
    stream_tokens, top, tops,
};

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

/// The limits that a request counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limits {
    /// Those of all requests.
    Request,
    /// The same, except that a stream of lines is limited by its connection alone: it may take hours.
    Lines,
    /// Those of streams of events.
    Stream,
    /// Those of scrapes alone: metrics are needed most when the server is overloaded.
    Scrape,
    /// None.
    Probe,
}

use Limits::{Lines, Probe, Request, Scrape, Stream};
use Needs::{Key, Nothing, ReadKey};
use Scope::{Admin, Read, Write};

/// A row of the table. `HEAD` is served like `GET`.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) method: &'static str,
    /// The path, with the names of its parameters.
    pub(crate) path: &'static str,
    pub(crate) needs: Needs,
    pub(crate) limits: Limits,
    /// Whether it is recorded in the audit log: changes that require an admin, and every `DELETE`.
    pub(crate) audited: bool,
    /// Whether it has all that it needs in its path and query: a body would be meant, and ignored.
    pub(crate) bodiless: bool,
    /// Whether its response may be prepared for repeated reads.
    pub(crate) prepared: bool,
    pub(crate) handler: fn(Box<Call>) -> BoxFuture<'static, HandlerResult>,
}

/// Makes a row.
macro_rules! route {
    ($method:ident $path:literal $($handler:ident)::+, $needs:expr, $limits:expr $(, $flag:ident)*) => {{
        #[allow(unused_mut, reason = "rows without flags change nothing")]
        let mut route = Route {
            method: stringify!($method),
            path: $path,
            needs: $needs,
            limits: $limits,
            audited: false,
            bodiless: false,
            prepared: false,
            handler: |call| $($handler)::+(call).boxed(),
        };
        $(route.$flag = true;)*
        route
    }};
}

/// Makes the table from rows `METHOD PATH HANDLER, NEEDS, LIMITS [, FLAG]...`, and the paths of the document from the
/// documented ones.
macro_rules! routes {
    (
        documented { $($method:ident $path:literal $($handler:ident)::+, $needs:expr, $limits:expr $(, $flag:ident)*;)+ }
        pages { $($pages:tt)+ }
    ) => {
        #[cfg(test)]
        #[derive(utoipa::OpenApi)]
        #[openapi(paths($($($handler)::+),+))]
        pub(crate) struct Documented;

        routes! {
            $($method $path $($handler)::+, $needs, $limits $(, $flag)*;)+
            $($pages)+
        }
    };
    ($($method:ident $path:literal $($handler:ident)::+, $needs:expr, $limits:expr $(, $flag:ident)*;)+) => {
        static ROUTES: &[Route] =
            &[$(route!($method $path $($handler)::+, $needs, $limits $(, $flag)*)),+];
    };
}

// The rows of a path are together, in the order of the document.
routes! {
    documented {
        POST "/v1/contributions" contributions::add, Key(Write), Lines;
        GET "/v1/boards/{kind}/{subject}/top" top::show, ReadKey, Request, prepared;
        POST "/v1/top" tops::many, ReadKey, Request;
        GET "/v1/boards/{kind}/{subject}/range" range::show, ReadKey, Request;
        GET "/v1/boards/{kind}/{subject}/count" count::show, ReadKey, Request;
        GET "/v1/boards/{kind}/{subject}/members/{member}" member::show, ReadKey, Request;
        PUT "/v1/boards/{kind}/{subject}/members/{member}" member::set, Key(Write), Request;
        DELETE "/v1/boards/{kind}/{subject}/members/{member}" removal::one, Key(Write), Request, audited, bodiless;
        DELETE "/v1/boards/{kind}/{subject}/members" removal::many, Key(Admin), Request, audited, bodiless;
        GET "/v1/boards/{kind}/{subject}/members/{member}/around" around::show, ReadKey, Request;
        POST "/v1/boards/{kind}/{subject}/lookup" lookup::show, ReadKey, Request;
        GET "/v1/boards/{kind}/{subject}/rank" rank::of_points, ReadKey, Request;
        POST "/v1/boards/{kind}/{subject}/rank" rank::of_values, ReadKey, Request;
        GET "/v1/boards/{kind}/{subject}/stream" stream::show, Needs::Stream, Stream;
        POST "/v1/stream-tokens" stream_tokens::issue, Key(Read), Request;
        GET "/v1/boards" boards::list, ReadKey, Request;
        GET "/v1/boards/{kind}/{subject}" board::show, ReadKey, Request;
        PUT "/v1/boards/{kind}/{subject}" board::put_settings, Key(Admin), Request, audited;
        DELETE "/v1/boards/{kind}/{subject}" board::delete, Key(Admin), Request, audited, bodiless;
        GET "/v1/members/{member}" member_boards::list, ReadKey, Request;
        DELETE "/v1/members/{member}" erase::erase, Key(Admin), Request, audited, bodiless;
        GET "/v1/members/{member}/hidden" members::is_hidden, Key(Admin), Request;
        PUT "/v1/members/{member}/hidden" members::hide, Key(Admin), Request, audited, bodiless;
        DELETE "/v1/members/{member}/hidden" members::show, Key(Admin), Request, audited, bodiless;
        GET "/v1/hidden" members::hidden, Key(Admin), Request;
        GET "/v1/kinds/{kind}/members/{member}/profile" profiles::show, ReadKey, Request;
        PUT "/v1/kinds/{kind}/members/{member}/profile" profiles::put, Key(Write), Request;
        DELETE "/v1/kinds/{kind}/members/{member}/profile" profiles::delete, Key(Write), Request, audited, bodiless;
        POST "/v1/kinds/{kind}/profiles" profiles::many, Key(Write), Request;
        GET "/v1/kinds" kinds::list, ReadKey, Request;
        GET "/v1/kinds/{kind}" kinds::show, ReadKey, Request;
        PUT "/v1/kinds/{kind}" kinds::put, Key(Admin), Request, audited;
        DELETE "/v1/kinds/{kind}" kinds::delete, Key(Admin), Request, audited, bodiless;
        GET "/v1/audit" admin::audit, Key(Admin), Request;
        GET "/v1/keys" admin::keys, Key(Admin), Request;
        GET "/healthz" health::alive, Nothing, Probe;
        GET "/readyz" health::ready, Nothing, Probe;
        GET "/metrics" metrics::show, Needs::Metrics, Scrape;
        GET "/openapi.json" openapi::show, Nothing, Request;
        GET "/docs" page::docs, Nothing, Request;
    }
    // Files of pages, which are not in the document.
    pages {
        GET "/" page::start, Nothing, Request;
        GET "/page/{file}" page::file, Nothing, Request;
        GET "/overlay/{kind}/{subject}" page::overlay, Nothing, Request;
        GET "/admin" page::admin, Nothing, Request;
    }
}

/// The end of the path whose responses may be prepared, which most other paths do not have.
const PREPARED_END: &str = "/top";

/// Whether the response to a read of this path may be prepared, as far as its end shows.
pub(crate) fn may_be_prepared(path: &str) -> bool {
    path.ends_with(PREPARED_END)
}

/// Returns all rows.
pub(crate) fn all() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter()
}

/// The rows of each path.
static ROWS: LazyLock<Router<Range<usize>>> = LazyLock::new(|| {
    let mut rows = Router::new();
    let mut begin = 0;
    for of_path in ROUTES.chunk_by(|a, b| a.path == b.path) {
        let end = begin + of_path.len();
        let added = rows.insert(of_path[0].path, begin..end);
        added.expect("the rows of a path are together");
        begin = end;
    }
    rows
});

/// The parameters of a path, decoded.
#[derive(Debug, Clone, Default)]
pub(crate) struct PathParams {
    pub(crate) kind: Option<String>,
    pub(crate) subject: Option<String>,
    pub(crate) member: Option<String>,
    pub(crate) file: Option<String>,
}

/// What a request was matched to: its path, if that is in the table, and the row of its method.
#[derive(Debug, Clone)]
pub(crate) struct Matched {
    rows: &'static [Route],
    /// The index of the row in the table.
    pub(crate) index: Option<usize>,
    pub(crate) params: PathParams,
    /// Why a parameter is not valid. It is empty then.
    invalid: Option<Problem>,
}

impl Matched {
    /// Matches a request. A path with an empty parameter has no route.
    pub(crate) fn of(method: &Method, path: &str) -> Self {
        let mut matched = Self {
            rows: &[],
            index: None,
            params: PathParams::default(),
            invalid: None,
        };
        let Ok(found) = ROWS.at(path) else {
            return matched;
        };
        for (name, value) in found.params.iter() {
            if value.is_empty() {
                return matched;
            }
            let decoded = percent::check(name, value).map_err(|problem| {
                matched.invalid.get_or_insert(problem);
            });
            let decoded = Some(decoded.unwrap_or_default().into_owned());
            match name {
                "kind" => matched.params.kind = decoded,
                "subject" => matched.params.subject = decoded,
                "member" => matched.params.member = decoded,
                _ => matched.params.file = decoded,
            }
        }
        matched.rows = &ROUTES[found.value.clone()];
        let name = match method.as_str() {
            "HEAD" => "GET",
            name => name,
        };
        let index = matched.rows.iter().position(|route| route.method == name);
        matched.index = index.map(|index| found.value.start + index);
        matched
    }

    /// Returns the row.
    pub(crate) fn route(&self) -> Option<&'static Route> {
        self.index.map(|index| &ROUTES[index])
    }

    /// Returns the path, as the table has it.
    pub(crate) fn path(&self) -> Option<&'static str> {
        self.rows.first().map(|route| route.path)
    }

    fn limits(&self) -> Option<Limits> {
        self.rows.first().map(|route| route.limits)
    }

    /// Whether it is a probe.
    pub(crate) fn is_probe(&self) -> bool {
        self.limits() == Some(Probe)
    }

    /// Whether it returns the metrics.
    pub(crate) fn is_scrape(&self) -> bool {
        self.limits() == Some(Scrape)
    }

    /// Whether it is accepted on a connection for probes alone.
    pub(crate) fn is_for_spare(&self) -> bool {
        self.is_probe() || self.is_scrape()
    }

    /// Whether it is a stream of events, which a token of its board may open.
    pub(crate) fn is_stream(&self) -> bool {
        self.limits() == Some(Stream)
    }

    /// Returns why a request without a route is refused: 404 if the path has none, or 405 with the methods that it has.
    pub(crate) fn refusal(&self, method: &Method, path: &str) -> Problem {
        if self.rows.is_empty() {
            let detail = format!("path {path:?} is not known");
            return Problem::new(ProblemType::UnknownPath, detail);
        }
        let names = self.rows.iter().map(|route| match route.method {
            "GET" => "GET,HEAD",
            name => name,
        });
        let allow = names.collect::<Vec<_>>().join(",");
        let detail = format!("{method} is not supported on path {path:?}; allowed: {allow}");
        let allow = HeaderValue::try_from(allow).expect("names of methods are ASCII");
        Problem::new(ProblemType::MethodNotAllowed, detail).with_header(header::ALLOW, allow)
    }

    /// Rejects a path with a parameter that is not percent-encoded.
    pub(crate) fn check_params(&self) -> Result<(), Problem> {
        self.invalid.clone().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_an_empty_parameter_has_no_route() {
        for Route { path, method, .. } in ROUTES {
            let method: Method = method.parse().unwrap();
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
            let matched = Matched::of(&method, &filled(None));
            let route = matched.route().unwrap();
            assert_eq!((route.path, route.method), (*path, method.as_str()));
            let PathParams {
                kind,
                subject,
                file,
                member,
            } = matched.params;
            for (name, value) in [
                ("kind", kind),
                ("subject", subject),
                ("file", file),
                ("member", member),
            ] {
                let expected = path.contains(&format!("{{{name}}}")).then_some(name);
                assert_eq!(value.as_deref(), expected, "{path}");
            }
            for index in (0..parts.len()).filter(|index| parts[*index].starts_with('{')) {
                let path = filled(Some(index));
                assert_eq!(Matched::of(&method, &path).path(), None, "{path}");
            }
        }
    }

    #[test]
    fn every_route_of_the_contract_requires_a_key() {
        for Route {
            method,
            path,
            needs,
            ..
        } in ROUTES
        {
            assert_eq!(
                matches!(needs, Key(_) | ReadKey | Needs::Stream),
                path.starts_with("/v1/"),
                "{method} {path}"
            );
        }
    }

    #[test]
    fn routes_that_change_something_require_more_than_read() {
        // Reads whose parameters are in a body.
        let posted = ["/v1/top", "/rank", "/lookup", "/v1/stream-tokens"];
        for Route {
            method,
            path,
            needs,
            ..
        } in ROUTES
        {
            let reads = *method == "GET" || posted.iter().any(|end| path.ends_with(end));
            // A read scope is not enough to see hidden members, the audit log and keys.
            let for_admins = ["/hidden", "/audit", "/keys"];
            let expected = reads && !for_admins.iter().any(|end| path.ends_with(end));
            if matches!(needs, Key(_) | ReadKey) {
                let is_read = matches!(needs, ReadKey | Key(Read));
                assert_eq!(is_read, expected, "{method} {path}");
            }
        }
    }

    #[test]
    fn changes_by_admins_and_every_delete_are_audited() {
        for route in ROUTES {
            let changes = route.method == "PUT" && route.needs == Key(Admin);
            let expected = changes || route.method == "DELETE";
            assert_eq!(route.audited, expected, "{} {}", route.method, route.path);
            let is_bodiless = route.method == "DELETE" || route.path.ends_with("/hidden");
            assert_eq!(route.bodiless, is_bodiless && route.method != "GET");
        }
    }
}
