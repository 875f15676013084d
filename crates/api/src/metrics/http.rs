//! Requests: how many, how long, how they ended, and why they were refused.

use std::time::Instant;

use axum::http::StatusCode;
use axum::response::Response;
use metering::{
    Counter, CounterFamily, Gauge, Histogram, HistogramFamily, REQUESTS, Registry, Unit, labels,
};
use wire::problem::ProblemType;

/// Classes of status; the last is for requests whose client has disconnected before the response.
const ENDS: [&str; 6] = ["1xx", "2xx", "3xx", "4xx", "5xx", "gone"];

/// The index of `gone`.
const GONE: usize = ENDS.len() - 1;

/// The metrics of requests.
#[derive(Debug)]
pub(crate) struct Http {
    durations: HistogramFamily,
    requests: CounterFamily,
    problems: CounterFamily,
    /// By the index of their type in [`ProblemType::ALL`].
    by_problem: Vec<Counter>,
    under_way: Gauge,
    repeated: Counter,
}

/// The metrics of one method of one route.
#[derive(Debug)]
pub(crate) struct RouteMetrics {
    duration: Histogram,
    ends: [Counter; ENDS.len()],
}

/// A request from its head to the head of its response, or until its client has disconnected.
pub(crate) struct CountedRequest<'a> {
    http: &'a Http,
    route: &'a RouteMetrics,
    began: Instant,
    /// The index in [`ENDS`].
    end: usize,
}

impl Default for Http {
    fn default() -> Self {
        let problems = CounterFamily::default();
        let problem =
            |kind: ProblemType| problems.get_or_create_owned(&labels([("type", kind.word())]));
        Self {
            by_problem: ProblemType::ALL.iter().map(|kind| problem(*kind)).collect(),
            under_way: Gauge::default(),
            repeated: Counter::default(),
            durations: HistogramFamily::new_with_constructor(&REQUESTS),
            requests: CounterFamily::default(),
            problems,
        }
    }
}

impl Http {
    /// Returns the metrics of a method of a route.
    pub(crate) fn of_route(&self, route: &'static str, method: &'static str) -> RouteMetrics {
        let of = [("route", route), ("method", method)];
        let status = |status| labels([("route", route), ("method", method), ("status", status)]);
        RouteMetrics {
            duration: self.durations.get_or_create_owned(&labels(of)),
            ends: ENDS.map(|end| self.requests.get_or_create_owned(&status(end))),
        }
    }

    /// Counts a request to this route, which begins now.
    pub(crate) fn begin<'a>(&'a self, route: &'a RouteMetrics) -> CountedRequest<'a> {
        self.begin_at(route, Instant::now())
    }

    /// Counts a request to this route, which began at this moment.
    pub(crate) fn begin_at<'a>(
        &'a self,
        route: &'a RouteMetrics,
        began: Instant,
    ) -> CountedRequest<'a> {
        self.under_way.inc();
        CountedRequest {
            http: self,
            route,
            began,
            end: GONE,
        }
    }

    /// Counts a read that was answered from a prepared response.
    pub(crate) fn count_repeated(&self) {
        self.repeated.inc();
    }

    /// Registers the metrics.
    pub(super) fn register(&self, registry: &mut Registry, guesses_refused: &Counter) {
        registry.register(
            "http_requests",
            "Requests by route, method and class of status; gone: the client disconnected before the response. HEAD counts as GET, requests without a route as other",
            self.requests.clone(),
        );
        registry.register_with_unit(
            "http_request_duration",
            "Duration of requests from their head to the head of the response, or until the client disconnected",
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register(
            "http_requests_under_way",
            "Requests in progress",
            self.under_way.clone(),
        );
        registry.register(
            "http_repeated",
            "Reads that were answered from a response prepared by an earlier one; they count in http_requests, too",
            self.repeated.clone(),
        );
        registry.register(
            "http_problems",
            "Requests that were refused or failed, by the type of their problem",
            self.problems.clone(),
        );
        registry.register(
            "http_guesses_refused",
            "Requests with a wrong key from an address that had sent too many of them",
            guesses_refused.clone(),
        );
    }
}

impl CountedRequest<'_> {
    /// Records the response.
    pub(crate) fn end<B>(self, response: &Response<B>) {
        if let Some(kind) = response.extensions().get::<ProblemType>() {
            self.http.by_problem[*kind as usize].inc();
        }
        self.end_with(response.status());
    }

    /// Records a response with this status, which is not a problem.
    pub(crate) fn end_with(mut self, status: StatusCode) {
        self.end = class_of(status);
    }
}

impl Drop for CountedRequest<'_> {
    /// Also counts requests whose client has disconnected: if responses take too long, there are no others.
    fn drop(&mut self) {
        self.route.duration.observe(self.began.elapsed());
        self.route.ends[self.end].inc();
        self.http.under_way.dec();
    }
}

/// Returns the index of a status in [`ENDS`].
fn class_of(status: StatusCode) -> usize {
    let class = usize::from(status.as_u16() / 100);
    class.clamp(1, GONE) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_request_counts_once_by_how_it_ended() {
        let http = Http::default();
        let top = http.of_route("/top", "GET");
        let answer = |status: StatusCode| {
            let mut response = Response::<()>::default();
            *response.status_mut() = status;
            http.begin(&top).end(&response);
        };
        answer(StatusCode::OK);
        answer(StatusCode::NOT_MODIFIED);
        let ends = |route: &RouteMetrics| route.ends.each_ref().map(Counter::get);
        assert_eq!(ends(&top), [0, 1, 1, 0, 0, 0]);
        assert_eq!(top.duration.count(), 2);
        assert_eq!(http.under_way.get(), 0);
        let gone = http.begin(&top);
        assert_eq!(http.under_way.get(), 1);
        drop(gone);
        assert_eq!(http.under_way.get(), 0);
        assert_eq!(ends(&top), [0, 1, 1, 0, 0, 1]);
        assert_eq!(top.duration.count(), 3);
    }
}
