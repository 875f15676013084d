//! Why a request is not let in: a problem, and the header that belongs to it.

use std::fmt::Display;

use axum::http::{HeaderName, HeaderValue, Method, Uri, header};
use axum::response::{IntoResponse, Response};

use super::rate::Wait;
use crate::problem::{Problem, ProblemType};
use crate::route::Route;
use crate::router::unknown_method;

/// Why a request is not let in.
#[derive(Debug)]
pub(super) struct Refusal {
    problem: Problem,
    // Boxed, so that being let in does not carry its room about.
    header: Option<Box<(HeaderName, HeaderValue)>>,
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        let header = None;
        Self { problem, header }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.header.map(|header| [*header]), self.problem).into_response()
    }
}

impl Refusal {
    /// 401 for what lets nobody in.
    pub(super) fn unauthorized(detail: &str) -> Self {
        Problem::new(ProblemType::Unauthorized, detail).into()
    }

    /// 405, with the methods that there are.
    pub(super) fn unknown_method(route: &Route, method: &Method, uri: &Uri) -> Self {
        let allow = HeaderValue::from_str(&route.allow()).ok();
        Self {
            problem: unknown_method(method, uri),
            header: allow.map(|allow| Box::new((header::ALLOW, allow))),
        }
    }

    /// 429 for now.
    pub(super) fn too_many(what: impl Display, wait: Wait) -> Self {
        // Rounded up: who comes back then is let in.
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        let seconds = seconds.max(1);
        let detail = format!("{what}; come back in {seconds} s");
        Self {
            problem: Problem::new(ProblemType::TooManyRequests, detail),
            header: Some(Box::new((header::RETRY_AFTER, seconds.into()))),
        }
    }

    /// 503: there is more to do than can be done.
    pub(super) fn overloaded(max: usize) -> Self {
        let detail = format!("{max} requests are under way already");
        Problem::new(ProblemType::Overloaded, detail).into()
    }

    /// 415 for a body that is packed.
    pub(super) fn encoded(encoding: &HeaderValue) -> Self {
        let encoding = String::from_utf8_lossy(encoding.as_bytes());
        let detail =
            format!("content-encoding: {encoding:?} is not taken, bodies come as they are");
        let identity = HeaderValue::from_static("identity");
        Self {
            problem: Problem::new(ProblemType::UnsupportedMediaType, detail),
            header: Some(Box::new((header::ACCEPT_ENCODING, identity))),
        }
    }
}
