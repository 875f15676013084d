//! Which pages of other origins may ask, by setting.

use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, Method, Uri, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::trace::REQUEST_ID;

/// How long a browser may remember that it was let in.
const REMEMBERED: Duration = Duration::from_hours(1);

/// Headers of requests that are not of the few which every page may send.
const ASKED: [HeaderName; 8] = [
    header::AUTHORIZATION,
    header::CONTENT_TYPE,
    header::IF_MATCH,
    header::IF_NONE_MATCH,
    HeaderName::from_static("last-event-id"),
    HeaderName::from_static("traceparent"),
    HeaderName::from_static("tracestate"),
    REQUEST_ID,
];

/// What is put around all answers; nothing where no origin is named. An error is the origin that is
/// none.
pub(super) fn layer(origins: &[String]) -> Result<Option<CorsLayer>, String> {
    if origins.is_empty() {
        return Ok(None);
    }
    let allowed = if origins.iter().any(|origin| origin == "*") {
        if let Some(other) = origins.iter().find(|origin| *origin != "*") {
            return Err(format!("{other}, beside *"));
        }
        AllowOrigin::any()
    } else {
        let values = origins.iter().map(|text| origin(text).ok_or(text.clone()));
        AllowOrigin::list(values.collect::<Result<Vec<_>, _>>()?)
    };
    let layer = CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([
            Method::GET,
            Method::HEAD,
            Method::POST,
            Method::PUT,
            Method::DELETE,
        ])
        .allow_headers(ASKED)
        .expose_headers([header::ETAG, header::RETRY_AFTER, REQUEST_ID])
        .max_age(REMEMBERED);
    Ok(Some(layer))
}

/// An origin as browsers write it: a scheme, a host, and a port where it is not the scheme's own.
fn origin(text: &str) -> Option<HeaderValue> {
    let (_, authority) = text.split_once("://")?;
    let uri: Uri = text.parse().ok()?;
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    let is_bare = authority == uri.authority()?.as_str() && !authority.contains('@');
    let is_lower = !text.contains(|c: char| c.is_ascii_uppercase());
    if is_web && is_bare && is_lower {
        HeaderValue::from_str(text).ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_as_browsers_write_them() {
        for right in [
            "https://a.example",
            "http://localhost:3000",
            "http://[::1]:80",
        ] {
            assert!(origin(right).is_some(), "{right}");
        }
        for wrong in [
            "a.example",
            "https://a.example/",
            "https://a.example/b",
            "https://A.example",
            "ftp://a.example",
            "https://u@a.example",
            "https://",
            "null",
            "",
        ] {
            assert!(origin(wrong).is_none(), "{wrong}");
            assert_eq!(layer(&[wrong.to_owned()]).unwrap_err(), wrong);
        }
    }

    #[test]
    fn all_origins_stand_alone_and_none_is_no_layer() {
        let layer = |origins: &[&str]| {
            let origins: Vec<String> = origins.iter().map(|&text| text.to_owned()).collect();
            layer(&origins)
        };
        assert!(layer(&[]).unwrap().is_none());
        assert!(layer(&["*"]).unwrap().is_some());
        assert!(layer(&["*", "https://a.example"]).is_err());
    }
}
