//! An error as clients see it ([`Problem`]), and how it becomes a response.

use std::fmt::Display;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use board::{BoardName, Member};
use serde::Serialize;
use serde_json::{Map, Value as Json};
use shard_store::Overload;

use crate::problem_type::ProblemType;
use crate::shortened::shortened;

/// After how long a client may try a store again that was away.
const RETRY_AFTER_MIN: Duration = Duration::from_secs(1);

/// After how long it may try one that has more to do: much can change by then.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(30);

/// An error as clients see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// What kind of error it is.
    pub kind: ProblemType,
    /// What is wrong: names the field and its value, in at most 200 characters.
    pub detail: String,
    /// Of a 503: about how long until it is worth another try.
    pub wait: Duration,
    /// Further members of the body.
    more: Map<String, Json>,
    // Boxed: most have none.
    header: Option<Box<(HeaderName, HeaderValue)>>,
}

impl Problem {
    /// Makes a problem of a type.
    #[must_use]
    pub fn new(kind: ProblemType, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: shortened(detail),
            wait: Duration::ZERO,
            more: Map::new(),
            header: None,
        }
    }

    /// Asks to wait for so long.
    #[must_use]
    pub const fn after(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// The request is not valid: 400.
    #[must_use]
    pub fn invalid(detail: impl Into<String>) -> Self {
        Self::new(ProblemType::Invalid, detail)
    }

    /// There is no kind of this name: 404.
    #[must_use]
    pub fn unknown_kind(name: &str) -> Self {
        Self::new(
            ProblemType::UnknownKind,
            format!("kind {name:?} is not known"),
        )
    }

    /// The member is not ranked in the window: 404.
    #[must_use]
    pub fn not_ranked(member: &Member, window: &str) -> Self {
        let member = member.as_str();
        Self::new(
            ProblemType::NotRanked,
            format!("member {member:?} is not ranked in {window}"),
        )
    }

    /// The member is not among the best that its kind ranks in the window: 404.
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

    /// There are too many requests of something: 429. It is worth another try after `wait`, rounded up to seconds.
    #[must_use]
    pub fn too_many_requests(what: impl Display, wait: Duration) -> Self {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        let seconds = seconds.max(1);
        let detail = format!("{what}; retry after {seconds} s");
        Self::new(ProblemType::TooManyRequests, detail)
            .with_header(header::RETRY_AFTER, seconds.into())
    }

    /// A board that was to be deleted is not there.
    #[must_use]
    pub fn unknown_board(name: &BoardName) -> Self {
        Self::new(
            ProblemType::UnknownBoard,
            format!("there is no board \"{name}\""),
        )
    }

    /// The window is no longer kept: 410.
    #[must_use]
    pub fn window_gone(window: &str) -> Self {
        Self::new(
            ProblemType::WindowGone,
            format!("window: {window} is past its retention"),
        )
    }

    /// Asks to come back when what waits now is done.
    pub(crate) fn overloaded(detail: &impl ToString, overload: &Overload) -> Self {
        Self::new(ProblemType::Overloaded, detail.to_string()).after(overload.wait)
    }

    /// Says which element of the request it is about.
    #[must_use]
    pub fn at(mut self, place: &str) -> Self {
        self.detail = shortened(format!("{place}: {}", self.detail));
        self
    }

    /// The same as the problem of one item of a batch: a line that is not JSON is an item that is not valid.
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
        serde_json::to_vec(&shape).expect("a problem is JSON, and memory is no file")
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
        // A cache may keep a 404 or 410 by itself; what is refused now may be answered in a moment.
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

/// Whole seconds.
fn retry_after_s(wait: Duration) -> u64 {
    let wait = wait.clamp(RETRY_AFTER_MIN, RETRY_AFTER_MAX);
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shortened::SHOWN_CHARS_MAX;

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
