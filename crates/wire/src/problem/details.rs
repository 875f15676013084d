//! An error as clients see it, and its response: [`Problem`].

use std::fmt::Display;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use board::{BoardName, Member};
use serde::Serialize;
use serde_json::{Map, Value as Json};
use shard_store::Overload;

use crate::problem::problem_type::ProblemType;
use crate::problem::shown::shown;

/// The shortest `Retry-After` of a 503.
const RETRY_AFTER_MIN: Duration = Duration::from_secs(1);

/// The longest `Retry-After` of a 503, however long the store's backlog: much can change by then.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(30);

/// The detail of a failure whose cause the caller may not see.
const WITHOUT_CAUSE: &str =
    "the server could not serve this request: with a key, the response says why";

/// An error as clients see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The type.
    pub kind: ProblemType,
    /// What is wrong: names the field and its value, in at most 200 characters.
    pub detail: String,
    /// For a 503, the approximate time after which a retry may succeed.
    pub wait: Duration,
    /// Additional members of the body.
    more: Map<String, Json>,
    // Boxed, because most problems have none.
    header: Option<Box<(HeaderName, HeaderValue)>>,
}

impl Problem {
    /// Creates a problem.
    #[must_use]
    pub fn new(kind: ProblemType, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: shown(detail),
            wait: Duration::ZERO,
            more: Map::new(),
            header: None,
        }
    }

    /// Sets the time after which a retry may succeed.
    #[must_use]
    pub const fn after(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Creates a 400: the request is not valid.
    #[must_use]
    pub fn invalid(detail: impl Into<String>) -> Self {
        Self::new(ProblemType::Invalid, detail)
    }

    /// Creates a 404: there is no kind with this name.
    #[must_use]
    pub fn unknown_kind(name: &str) -> Self {
        Self::new(
            ProblemType::UnknownKind,
            format!(
                "kind {name:?} is not known: GET /v1/kinds lists the kinds, PUT /v1/kinds/{{kind}} creates one"
            ),
        )
    }

    /// Creates a 404: the member is not ranked in the window.
    #[must_use]
    pub fn not_ranked(member: &Member, window: &str) -> Self {
        let member = member.as_str();
        Self::new(
            ProblemType::NotRanked,
            format!("member {member:?} is not ranked in {window}"),
        )
    }

    /// Creates a 404: the member is not among the best that its kind ranks in the window.
    #[must_use]
    pub fn not_listed(member: &Member, window: &str, listed: Option<u64>) -> Self {
        let member = member.as_str();
        let best = listed.map_or_else(String::new, |listed| format!(" {listed}"));
        Self::new(
            ProblemType::NotListed,
            format!(
                "member {member:?} is not among the best{best} of {window}: it has no neighbours"
            ),
        )
    }

    /// Creates a 429: there are too many requests. `wait` is the time to retry after, and is rounded up to seconds.
    #[must_use]
    pub fn too_many_requests(what: impl Display, wait: Duration) -> Self {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        let seconds = seconds.max(1);
        let detail = format!("{what}; retry after {seconds} s");
        Self::new(ProblemType::TooManyRequests, detail)
            .with_header(header::RETRY_AFTER, seconds.into())
    }

    /// Creates a 404: the board does not exist.
    #[must_use]
    pub fn unknown_board(name: &BoardName) -> Self {
        Self::new(
            ProblemType::UnknownBoard,
            format!("there is no board \"{name}\": its first contribution creates it"),
        )
    }

    /// Creates a 410: the window is no longer kept.
    #[must_use]
    pub fn window_gone(window: &str) -> Self {
        Self::new(
            ProblemType::WindowGone,
            format!("window: {window} is past its retention"),
        )
    }

    /// Creates a 503 with the time after which the current backlog will be done.
    pub(crate) fn overloaded(overload: &Overload) -> Self {
        Self::new(ProblemType::Overloaded, overload.to_string()).after(overload.wait)
    }

    /// Prefixes the detail with the element of the request that is wrong.
    #[must_use]
    pub fn at(mut self, element: &str) -> Self {
        self.detail = shown(format!("{element}: {}", self.detail));
        self
    }

    /// Converts the problem to one of an item of a batch, where a line that is not JSON is an invalid item.
    #[must_use]
    pub fn of_item(mut self) -> Self {
        if self.kind == ProblemType::Malformed {
            self.kind = ProblemType::Invalid;
        }
        self
    }

    /// Adds a header to the response.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.header = Some(Box::new((name, value)));
        self
    }

    /// Adds the members of an object to the body.
    #[must_use]
    pub fn with(mut self, more: impl Serialize) -> Self {
        if let Ok(Json::Object(more)) = serde_json::to_value(more) {
            self.more.extend(more);
        }
        self
    }
}

/// What went wrong (RFC 9457). A few problems have further members, such as the receipt so far.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Problem))]
pub struct ProblemShape<'a> {
    #[cfg_attr(feature = "schema", schema(value_type = ProblemType))]
    r#type: &'static str,
    /// The same for all of a type.
    title: &'static str,
    /// The status of the answer.
    status: u16,
    /// What is wrong here: names the field and its value, in at most 200 characters.
    #[cfg_attr(feature = "schema", schema(max_length = 200))]
    detail: &'a str,
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schema(ignore))]
    more: &'a Map<String, Json>,
}

impl Problem {
    /// Returns the body of the response.
    #[must_use]
    pub fn json(&self) -> Vec<u8> {
        let status = self.kind.status();
        let (word, title) = self.kind.word_and_title();
        let shape = ProblemShape {
            r#type: word,
            title,
            status: status.as_u16(),
            detail: &self.detail,
            more: &self.more,
        };
        serde_json::to_vec(&shape).expect("a problem can be serialized")
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.kind.status();
        let mut response = (status, self.json()).into_response();
        // For the metrics.
        response.extensions_mut().insert(self.kind);
        let headers = response.headers_mut();
        let media_type = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, media_type);
        // By default, caches may store a 404 or 410. A later request may succeed.
        let no_store = HeaderValue::from_static("no-store");
        headers.insert(header::CACHE_CONTROL, no_store);
        if status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, retry_after_s(self.wait).into());
        }
        if let Some((name, value)) = self.header.map(|header| *header) {
            headers.insert(name, value);
        }
        response
    }
}

/// Removes from a response why the store or the server failed, which may name nodes of the store: for callers without
/// a key.
#[must_use]
pub fn without_cause(response: Response) -> Response {
    let problem = response.extensions().get::<ProblemType>().copied();
    let is_failure = response.status() == StatusCode::SERVICE_UNAVAILABLE;
    let Some(problem) = problem.filter(|_| is_failure) else {
        return response;
    };
    let wait = response.headers().get(header::RETRY_AFTER).cloned();
    let mut response = Problem::new(problem, WITHOUT_CAUSE).into_response();
    if let Some(wait) = wait {
        response.headers_mut().insert(header::RETRY_AFTER, wait);
    }
    response
}

/// Returns the `Retry-After` of a 503, in seconds.
fn retry_after_s(wait: Duration) -> u64 {
    let wait = wait.clamp(RETRY_AFTER_MIN, RETRY_AFTER_MAX);
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use axum::body::HttpBody as _;

    use super::*;
    use crate::problem::shown::SHOWN_CHARS_MAX;

    #[test]
    fn without_its_cause_a_failure_keeps_its_type_and_its_wait() {
        let failed = Problem::new(ProblemType::Unavailable, "10.0.0.1:6379 is away");
        let failed = failed.after(Duration::from_secs(7)).into_response();
        let response = without_cause(failed);
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()[header::RETRY_AFTER], "7");
        let kind = response.extensions().get::<ProblemType>();
        assert_eq!(kind, Some(&ProblemType::Unavailable));
        let expected = Problem::new(ProblemType::Unavailable, WITHOUT_CAUSE).into_response();
        let length = |response: &Response| response.size_hint().exact();
        assert_eq!(length(&response), length(&expected));
        let refused = without_cause(Problem::invalid("n: is 0").into_response());
        let as_before = Problem::invalid("n: is 0").into_response();
        assert_eq!(length(&refused), length(&as_before));
    }

    #[test]
    fn a_detail_repeats_no_key() {
        let key = format!("mb_{}", "k".repeat(43));
        let problem = Problem::invalid(format!("path \"/v1/{key}\" is not known"));
        assert_eq!(problem.detail, "path \"/v1/mb_...\" is not known");
        assert_eq!(
            problem.at(&key).detail,
            "mb_...: path \"/v1/mb_...\" is not known"
        );
    }

    #[test]
    fn a_detail_has_at_most_200_characters_however_long_the_value() {
        for count in [0, 1, 199, 200] {
            let whole = "é".repeat(count);
            assert_eq!(Problem::invalid(whole.clone()).detail, whole);
        }
        for count in [201, 1_000, 1 << 20] {
            for value in ["x", "é", "👍"] {
                let text = format!("member: {:?} is not it", value.repeat(count));
                let problem = Problem::invalid(text).at("boards[1]");
                let shown = &problem.detail;
                assert_eq!(shown.chars().count(), SHOWN_CHARS_MAX, "{shown}");
                assert!(shown.starts_with("boards[1]: member: \""), "{shown}");
                assert!(shown.ends_with(" is not it"), "{shown}");
                assert!(shown.capacity() <= 4 * 4 * SHOWN_CHARS_MAX);
            }
        }
    }
}
