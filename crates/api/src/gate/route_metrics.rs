//! [`MetricsByRoute`]: the metrics of each method of each route, so that counting a request takes no lookup by name.

use crate::metrics::{Http, RouteMetrics};
use crate::route;

/// The label of paths and methods without a route: their number has no limit.
const OTHER: &str = "other";

/// The metrics of the routes.
pub(super) struct MetricsByRoute {
    /// By the index of the row in the table of routes.
    routes: Vec<RouteMetrics>,
    other: RouteMetrics,
}

impl MetricsByRoute {
    pub(super) fn new(http: &Http) -> Self {
        let routes = route::all().map(|route| http.of_route(route.path, route.method));
        Self {
            routes: routes.collect(),
            other: http.of_route(OTHER, OTHER),
        }
    }

    /// Returns the metrics that a request to this row counts for.
    pub(super) fn of(&self, index: Option<usize>) -> &RouteMetrics {
        index.map_or(&self.other, |index| &self.routes[index])
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Method;

    use super::*;
    use crate::route::Matched;

    #[test]
    fn a_request_counts_for_its_route_or_for_other() {
        let metrics = MetricsByRoute::new(&Http::default());
        let of = |method: Method, path: &str| metrics.of(Matched::of(&method, path).index);
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
