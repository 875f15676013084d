//! Which pages of other origins may ask, by setting.

use std::net::Ipv6Addr;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, Method, Uri, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::hosts::is_name;
use request_trace::REQUEST_ID;

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
        .allow_headers(ASKED)
        .expose_headers([header::ETAG, header::RETRY_AFTER, REQUEST_ID])
        .max_age(REMEMBERED);
    Ok(Some(layer))
}

/// An origin as browsers write it: a scheme, a host, and a port where it is not the scheme's own.
fn origin(text: &str) -> Option<HeaderValue> {
    let uri: Uri = text.parse().ok()?;
    let scheme = uri.scheme_str()?;
    let own_port = match scheme {
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
    if is_host && written == text && authority.port_u16() != Some(own_port) {
        HeaderValue::from_str(text).ok()
    } else {
        None
    }
}

/// Whether it is an IPv6 address in its one short form.
fn is_short_v6(host: &str) -> bool {
    let address = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    address.is_some_and(|text| {
        let address = text.parse::<Ipv6Addr>();
        // Of IPv4 as IPv6 browsers and Rust write different forms.
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
