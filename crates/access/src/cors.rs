//! CORS: lets web pages of configured other origins make requests.

use std::net::Ipv6Addr;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, Method, Uri, header};
use http_server::request_trace::REQUEST_ID;
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::hosts::is_name;

/// How long a browser may cache the response to a preflight request.
const MAX_AGE: Duration = Duration::from_hours(1);

/// The headers, besides those that CORS always allows, that requests may have.
const REQUEST_HEADERS: [HeaderName; 9] = [
    header::AUTHORIZATION,
    header::CONTENT_TYPE,
    header::IF_MATCH,
    header::IF_NONE_MATCH,
    HeaderName::from_static("last-event-id"),
    HeaderName::from_static("prefer"),
    HeaderName::from_static("traceparent"),
    HeaderName::from_static("tracestate"),
    REQUEST_ID,
];

/// Returns the layer around all routes; `None` if no origins are configured. An error is the first text that is not an
/// origin.
pub(crate) fn layer(origins: &[String]) -> Result<Option<CorsLayer>, String> {
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
        .allow_headers(REQUEST_HEADERS)
        .expose_headers([header::ETAG, header::RETRY_AFTER, REQUEST_ID])
        .max_age(MAX_AGE);
    Ok(Some(layer))
}

/// Parses an origin as browsers send it: a scheme, a host, and the port unless it is the scheme's default.
pub(crate) fn origin(text: &str) -> Option<HeaderValue> {
    let uri: Uri = text.parse().ok()?;
    let scheme = uri.scheme_str()?;
    let default_port = match scheme {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let authority = uri.authority()?;
    let host = authority.host();
    let written = match authority.port_u16() {
        None => format!("{scheme}://{host}"),
        Some(port) => format!("{scheme}://{host}:{port}"),
    };
    let is_lower = !host.contains(|c: char| c.is_ascii_uppercase());
    let is_host = is_lower && (is_name(host) || is_short_v6(host));
    if is_host && written == text && authority.port_u16() != Some(default_port) {
        HeaderValue::from_str(text).ok()
    } else {
        None
    }
}

/// Returns whether the host is an IPv6 address in its shortest form.
fn is_short_v6(host: &str) -> bool {
    let address = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    address.is_some_and(|text| {
        let address = text.parse::<Ipv6Addr>();
        // Browsers and Rust write IPv4-mapped addresses in different forms.
        address
            .is_ok_and(|address| address.to_ipv4_mapped().is_some() || address.to_string() == text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_as_browsers_write_them() {
        for right in [
            "https://a.example",
            "http://localhost:3000",
            "http://[::1]:8080",
            "http://10.0.0.1:443",
            "https://xn--bcher-kva.example",
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
            "https://a.example:443",
            "http://a.example:80",
            "https://a.example:",
            "https://a.example:08443",
            "https://*.example",
            "https://b\u{fc}cher.example",
            "http://[0:0::1]",
            "https://a.example?b",
            "HTTPS://a.example",
            "null",
            "",
        ] {
            assert!(origin(wrong).is_none(), "{wrong}");
            assert_eq!(layer(&[wrong.to_owned()]).unwrap_err(), wrong);
        }
    }

    #[test]
    fn a_star_must_be_the_only_origin_and_no_origins_need_no_layer() {
        let layer = |origins: &[&str]| {
            let origins: Vec<String> = origins.iter().map(|&text| text.to_owned()).collect();
            layer(&origins)
        };
        assert!(layer(&[]).unwrap().is_none());
        assert!(layer(&["*"]).unwrap().is_some());
        assert!(layer(&["*", "https://a.example"]).is_err());
    }
}
