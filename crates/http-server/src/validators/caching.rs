//! The headers by which clients and proxies cache responses (RFC 9110, 9111): entity tags, `Cache-Control`, `Vary`.
//!
//! Reads of boards have weak tags: the version of the board and whatever else decides the body, but not `as_of`. So one
//! tag identifies all codings of a body. The tags of kinds, lists and files are made of their bytes; those of files are
//! weak, for they have codings, too.

use std::fmt::Write as _;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use board::{Activity, Timestamp};
use twox_hash::XxHash3_128;

/// What determines the body of a read of a board, besides `as_of` and the parameters that the URL names.
pub struct BoardTag<'a> {
    /// Identifies the board's incarnation and the contents of the window.
    pub version: &'a str,
    /// The full name of the window.
    pub window: &'a str,
    /// A board not yet created has no incarnation, and an activity that may change.
    pub activity: &'a Activity,
    /// The number of members that the kind ranks: may change while the board is not yet created.
    pub listed: Option<u64>,
    /// Whether nothing is applied any more.
    pub is_final: bool,
    /// What the route adds.
    pub variant: &'a str,
}

impl BoardTag<'_> {
    /// Returns the weak entity tag, ASCII.
    #[must_use]
    pub fn text(&self) -> String {
        /// The bytes that are neither of the parts, if the time of the board is not limited.
        const REST_BYTES: usize = 40;
        let parts = self.version.len() + self.window.len() + self.variant.len();
        let mut tag = String::with_capacity(parts + REST_BYTES);
        for part in ["W/\"", self.version, ".", self.window, ".", self.variant] {
            tag.push_str(part);
        }
        let us = |at: Option<Timestamp>| at.map_or("-".to_owned(), |at| at.micros().to_string());
        let (starts_at, ends_at) = (self.activity.starts_at(), self.activity.ends_at());
        if starts_at.is_some() || ends_at.is_some() {
            let _ = write!(tag, ".{}_{}", us(starts_at), us(ends_at));
        }
        if let Some(listed) = self.listed {
            let _ = write!(tag, ".of{listed}");
        }
        tag.push_str(if self.is_final { ".final\"" } else { "\"" });
        tag
    }
}

/// Returns the digest of bytes, for a strong tag.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    format!("{:032x}", XxHash3_128::oneshot(bytes))
}

/// Returns whether the client has the response, by weak comparison (RFC 9110, 13.1.2).
#[must_use]
pub fn is_known(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    let mut known = headers.get_all(header::IF_NONE_MATCH).iter();
    known.any(|value| {
        let etag = opaque(etag.to_str().unwrap_or_default());
        let tags = value.to_str().unwrap_or_default();
        tags.trim() == "*" || tags.split(',').any(|tag| opaque(tag) == etag)
    })
}

fn opaque(tag: &str) -> &str {
    let tag = tag.trim();
    tag.strip_prefix("W/").unwrap_or(tag)
}

/// Returns whether `Accept-Encoding` names gzip, other than with `q=0` (RFC 9110, 12.5.3). Other weights are not
/// compared: clients send them for media types, not for codings.
#[must_use]
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter();
    let texts = values.filter_map(|value| value.to_str().ok());
    texts.flat_map(|text| text.split(',')).any(names_gzip)
}

fn names_gzip(element: &str) -> bool {
    let (name, weight) = element.split_once(';').unwrap_or((element, ""));
    let weight = weight.split_once('=').map(|(_, weight)| weight.trim());
    let is_excluded = weight.is_some_and(|weight| weight.parse() == Ok(0.0));
    name.trim().eq_ignore_ascii_case(GZIP) && !is_excluded
}

/// Who may keep a response without asking again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Nobody: it is validated each time.
    Validated,
    /// Everybody, for a minute.
    Public,
    /// The client alone, since others may lack its key.
    Private,
}

/// Removed, erased and hidden members are in caches for at most a minute, and so are expired boards and windows.
const FINAL_CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=60");
const FINAL_PRIVATE: HeaderValue = HeaderValue::from_static("private, max-age=60");
const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");

/// The caching headers of a response, which its 304 has, too.
pub struct Caching {
    /// `ETag`.
    pub etag: HeaderValue,
    /// Who may keep it.
    pub freshness: Freshness,
    /// Whether it may be in gzip.
    pub may_be_gzip: bool,
}

impl Caching {
    /// Validated each time, never in gzip.
    #[must_use]
    pub const fn validated(etag: HeaderValue) -> Self {
        Self {
            etag,
            freshness: Freshness::Validated,
            may_be_gzip: false,
        }
    }

    /// Returns the 304.
    #[must_use]
    pub fn not_modified(self) -> Response {
        self.with(StatusCode::NOT_MODIFIED.into_response())
    }

    /// Returns a body in JSON.
    pub fn json(self, body: impl Into<Body>) -> Response {
        let mut response = Response::new(body.into());
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        self.with(response)
    }

    /// Adds the headers to a response.
    #[must_use]
    pub fn with(self, mut response: Response) -> Response {
        let headers = response.headers_mut();
        headers.insert(header::ETAG, self.etag);
        let control = match self.freshness {
            Freshness::Validated => NO_CACHE,
            Freshness::Public => FINAL_CACHE_CONTROL,
            Freshness::Private => FINAL_PRIVATE,
        };
        headers.insert(header::CACHE_CONTROL, control);
        let vary = match (self.may_be_gzip, self.freshness) {
            (true, Freshness::Private) => Some("accept-encoding, authorization"),
            (true, _) => Some("accept-encoding"),
            (false, Freshness::Private) => Some("authorization"),
            (false, _) => None,
        };
        if let Some(vary) = vary {
            headers.insert(header::VARY, HeaderValue::from_static(vary));
        }
        response
    }
}

/// The header of a body in gzip.
pub const CONTENT_GZIP: [(HeaderName, HeaderValue); 1] =
    [(header::CONTENT_ENCODING, HeaderValue::from_static(GZIP))];

const GZIP: &str = "gzip";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn gzip_is_accepted_if_it_is_named_and_not_excluded() {
        for (value, expected) in [
            ("", false),
            ("identity", false),
            ("gzip", true),
            ("GZIP", true),
            ("gzip, deflate, br, zstd", true),
            ("br,gzip", true),
            ("deflate, zstd", false),
            ("gzip ; Q=0.3", true),
            ("gzip;q=0.000", false),
            ("gzip;q=0.001", true),
            // Every other coding may be left out.
            ("*", false),
            ("identity;q=0", false),
            (",, ;q=1, gzip", true),
        ] {
            let mut headers = HeaderMap::new();
            assert!(!accepts_gzip(&headers));
            headers.append(header::ACCEPT_ENCODING, HeaderValue::from_static("br"));
            headers.append(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
            assert_eq!(accepts_gzip(&headers), expected, "{value:?}");
        }
    }

    #[test]
    fn everything_that_a_body_depends_on_changes_the_tag() {
        let tag = |version, window, ends_at: Option<u64>, listed, is_final, variant: &str| {
            let end = ends_at.map(|ms| Timestamp::EARLIEST.plus(Duration::from_millis(ms)));
            let activity = Activity::new(None, end, None).unwrap();
            BoardTag {
                version,
                window,
                activity: &activity,
                listed,
                is_final,
                variant,
            }
            .text()
        };
        let tags = [
            tag("1.2", "all", None, None, false, "n5"),
            tag("1.3", "all", None, None, false, "n5"),
            tag("1.2", "day:2026-11-20", None, None, false, "n5"),
            tag("1.2", "all", Some(5), None, false, "n5"),
            tag("1.2", "all", Some(6), None, false, "n5"),
            tag("1.2", "all", None, Some(5), false, "n5"),
            tag("1.2", "all", None, None, true, "n5"),
            tag("1.2", "all", None, None, false, "n6"),
        ];
        for (index, tag) in tags.iter().enumerate() {
            assert!(tag.starts_with("W/\"") && tag.ends_with('"'), "{tag}");
            assert!(HeaderValue::from_str(tag).is_ok());
            assert!(!tags[..index].contains(tag), "{tag}");
        }
    }

    #[test]
    fn tags_are_compared_weakly() {
        for (sent, is_known) in [
            ("W/\"a.b\"", true),
            ("\"a.b\"", true),
            ("\"x\",W/\"a.b\" ", true),
            ("*", true),
            ("\"a\"", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_NONE_MATCH, sent.parse().unwrap());
            for etag in ["W/\"a.b\"", "\"a.b\""] {
                let etag = HeaderValue::from_static(etag);
                assert_eq!(super::is_known(&headers, &etag), is_known, "{sent}");
            }
        }
    }
}
