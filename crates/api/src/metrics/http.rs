//! Requests: how many, how long, how they ended, and why they were refused.

use std::time::Instant;

use axum::http::{Method, StatusCode};
use axum::response::Response;
use metering::{
    Counter, CounterFamily, Gauge, Histogram, HistogramFamily, REQUESTS, Registry, Unit, labels,
};
use problem::ProblemType;

use crate::route::{self, Matched};

/// The label of paths and methods that there are no routes for: their number has no limit.
const OTHER: &str = "other";

/// Classes of status, and last that of a request whose client has gone before its response.
const ENDS: [&str; 6] = ["1xx", "2xx", "3xx", "4xx", "5xx", "gone"];

/// The place of the last one.
const GONE: usize = ENDS.len() - 1;

/// Requests by their route.
#[derive(Debug)]
pub(crate) struct Http {
    durations: HistogramFamily,
    requests: CounterFamily,
    problems: CounterFamily,
    /// By the index of their path in the table of routes, and by method.
    routes: Vec<Vec<(&'static str, Route)>>,
    other: Route,
    /// By the place of their type in [`ProblemType::ALL`].
    by_problem: Vec<Counter>,
    under_way: Gauge,
}

/// One method of one path.
#[derive(Debug)]
struct Route {
    duration: Histogram,
    ends: [Counter; ENDS.len()],
}

/// A request from its head to the head of its answer, or until its client has gone.
pub(crate) struct CountedRequest<'a> {
    http: &'a Http,
    route: &'a Route,
    began: Instant,
    /// The place in [`ENDS`].
    end: usize,
}

impl Default for Http {
    fn default() -> Self {
        let durations = HistogramFamily::new_with_constructor(&REQUESTS);
        let (requests, problems) = (CounterFamily::default(), CounterFamily::default());
        let route = |path, method| {
            let of = [("route", path), ("method", method)];
            let status = |status| labels([("route", path), ("method", method), ("status", status)]);
            Route {
                duration: durations.get_or_create_owned(&labels(of)),
                ends: ENDS.map(|end| requests.get_or_create_owned(&status(end))),
            }
        };
        let routes = route::all().map(|row| {
            let path = row.path();
            let methods = row.methods().map(|method| (method, route(path, method)));
            methods.collect()
        });
        let problem =
            |kind: ProblemType| problems.get_or_create_owned(&labels([("type", kind.word())]));
        Self {
            routes: routes.collect(),
            other: route(OTHER, OTHER),
            by_problem: ProblemType::ALL.map(problem).to_vec(),
            under_way: Gauge::default(),
            durations,
            requests,
            problems,
        }
    }
}

impl Http {
    /// Counts a request from now on.
    pub(crate) fn begin(&self, method: &Method, matched: &Matched) -> CountedRequest<'_> {
        self.under_way.inc();
        CountedRequest {
            http: self,
            route: self.route(method, matched),
            began: Instant::now(),
            end: GONE,
        }
    }

    fn route(&self, method: &Method, matched: &Matched) -> &Route {
        let name = match method.as_str() {
            // As the table of routes has it.
            "HEAD" => "GET",
            name => name,
        };
        let route = matched.index().and_then(|index| {
            let mut methods = self.routes[index].iter();
            methods.find(|(method, _)| *method == name)
        });
        route.map_or(&self.other, |(_, route)| route)
    }

    /// Names them.
    pub(super) fn register(&self, registry: &mut Registry, guesses_refused: &Counter) {
        registry.register(
            "http_requests",
            "Requests by route, method and class of status, or gone: the client was, before its answer; HEAD counts as GET, what there is no route for as other",
            self.requests.clone(),
        );
        registry.register_with_unit(
            "http_request_duration",
            "Requests from their head to the head of their answer, or until their client was gone",
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register(
            "http_requests_under_way",
            "Requests that are not answered yet",
            self.under_way.clone(),
        );
        registry.register(
            "http_problems",
            "Requests that were refused or failed, by the type of their problem",
            self.problems.clone(),
        );
        registry.register(
            "http_guesses_refused",
            "Requests with a wrong key whose address had sent too many of them",
            guesses_refused.clone(),
        );
    }
}

impl CountedRequest<'_> {
    /// It is answered.
    pub(crate) fn end(mut self, response: &Response) {
        self.end = class_of(response.status());
        if let Some(kind) = response.extensions().get::<ProblemType>() {
            self.http.by_problem[*kind as usize].inc();
        }
    }
}

impl Drop for CountedRequest<'_> {
    /// Also of a request whose client has gone: where answers take too long, that is all there is of them.
    fn drop(&mut self) {
        self.route.duration.observe(self.began.elapsed());
        self.route.ends[self.end].inc();
        self.http.under_way.dec();
    }
}

/// The place of a status in [`ENDS`].
fn class_of(status: StatusCode) -> usize {
    let class = usize::from(status.as_u16() / 100);
    class.clamp(1, GONE) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_counts_for_its_route_and_what_has_none_for_other() {
        let http = Http::default();
        let answer = |method: Method, path: &str, status: StatusCode| {
            let mut response = Response::default();
            *response.status_mut() = status;
            http.begin(&method, &Matched::of(path)).end(&response);
        };
        answer(Method::GET, "/v1/boards/gifts/a/top", StatusCode::OK);
        answer(
            Method::HEAD,
            "/v1/boards/gifts/b/top",
            StatusCode::NOT_MODIFIED,
        );
        answer(
            Method::POST,
            "/v1/boards/gifts/b/top",
            StatusCode::METHOD_NOT_ALLOWED,
        );
        answer(Method::GET, "/wp-login.php", StatusCode::NOT_FOUND);
        answer(Method::GET, "/v1/boards/gifts//top", StatusCode::NOT_FOUND);
        let top = http.route(&Method::GET, &Matched::of("/v1/boards/x/y/top"));
        let ends = |route: &Route| route.ends.each_ref().map(Counter::get);
        assert_eq!(ends(top), [0, 1, 1, 0, 0, 0]);
        assert_eq!(top.duration.count(), 2);
        assert_eq!(ends(&http.other), [0, 0, 0, 3, 0, 0]);
        assert_eq!(http.under_way.get(), 0);
        let gone = http.begin(&Method::GET, &Matched::of("/v1/kinds"));
        assert_eq!(http.under_way.get(), 1);
        drop(gone);
        assert_eq!(http.under_way.get(), 0);
        let kinds = http.route(&Method::GET, &Matched::of("/v1/kinds"));
        assert_eq!(ends(kinds), [0, 0, 0, 0, 0, 1]);
        assert_eq!(kinds.duration.count(), 1);
    }
}
