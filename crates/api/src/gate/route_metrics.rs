//! [`MetricsByRoute`]: the metrics of each method of each route, so that counting a request takes no lookup by name.

use axum::http::Method;

use crate::metrics::{Http, RouteMetrics};
use crate::route::{self, Matched};

/// The label of paths and methods without a route: their number has no limit.
const OTHER: &str = "other";

/// The metrics of the routes.
pub(super) struct MetricsByRoute {
    /// By the index of the path in the table of routes, and by method.
    routes: Vec<Vec<(&'static str, RouteMetrics)>>,
    other: RouteMetrics,
}

impl MetricsByRoute {
    pub(super) fn new(http: &Http) -> Self {
        let routes = route::all().map(|row| {
            let of_method = |method| (method, http.of_route(row.path(), method));
            row.methods().map(of_method).collect()
        });
        Self {
            routes: routes.collect(),
            other: http.of_route(OTHER, OTHER),
        }
    }

    /// Returns the metrics that a request counts for.
    pub(super) fn of(&self, method: &Method, matched: &Matched) -> &RouteMetrics {
        let name = match method.as_str() {
            // As in the table of routes.
            "HEAD" => "GET",
            name => name,
        };
        let route = matched.index().and_then(|index| {
            let mut methods = self.routes[index].iter();
            methods.find(|(method, _)| *method == name)
        });
        route.map_or(&self.other, |(_, route)| route)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_counts_for_its_route_or_for_other() {
        let metrics = MetricsByRoute::new(&Http::default());
        let of = |method: Method, path: &str| metrics.of(&method, &Matched::of(path));
        let top = of(Method::GET, "/v1/boards/gifts/a/top");
        assert!(!std::ptr::eq(top, &raw const metrics.other));
        assert!(std::ptr::eq(
            top,
            of(Method::HEAD, "/v1/boards/gifts/b/top")
        ));
        assert!(!std::ptr::eq(top, of(Method::GET, "/v1/kinds")));
        for (method, path) in [
            (Method::POST, "/v1/boards/gifts/b/top"),
            (Method::GET, "/wp-login.php"),
            (Method::GET, "/v1/boards/gifts//top"),
        ] {
            assert!(
                std::ptr::eq(of(method, path), &raw const metrics.other),
                "{path}"
            );
        }
    }
}
