//! [`take_token`]: removes the token from the query of a stream.

use axum::http::uri::PathAndQuery;
use axum::http::{Request, Uri};
use http_server::query_params::percent;

/// The query parameter of the token.
const PARAMETER: &str = "token";

/// Removes the token from a request's query, so that no handler gets or logs it. Returns it.
pub fn take_token<B>(request: &mut Request<B>) -> Option<String> {
    let query = request.uri().query()?;
    // By its decoded name, as handlers would read it.
    let is_token = |pair: &&str| {
        let name = pair.split('=').next().and_then(percent::decoded);
        name.is_some_and(|name| name == PARAMETER)
    };
    let token = query.split('&').find(is_token)?;
    let token = token.split_once('=').map_or("", |(_, value)| value);
    // A repeated token is invalid, and is removed nevertheless.
    let single = query.split('&').filter(is_token).count() == 1;
    let token = if single {
        token.to_owned()
    } else {
        String::new()
    };
    let others: Vec<&str> = query.split('&').filter(|pair| !is_token(pair)).collect();
    let mut target = request.uri().path().to_owned();
    if !others.is_empty() {
        target.push('?');
        target.push_str(&others.join("&"));
    }
    let mut parts = request.uri().clone().into_parts();
    // Valid, since it is a part of a valid URI.
    parts.path_and_query = PathAndQuery::try_from(target).ok();
    if let Ok(uri) = Uri::from_parts(parts) {
        *request.uri_mut() = uri;
    }
    Some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_is_removed_from_the_query() {
        for (uri, taken, left) in [
            ("/a/stream", None, "/a/stream"),
            ("/a/stream?n=3", None, "/a/stream?n=3"),
            ("/a/stream?token=x", Some("x"), "/a/stream"),
            (
                "/a/stream?n=3&token=x&window=day",
                Some("x"),
                "/a/stream?n=3&window=day",
            ),
            (
                "/a/stream?tokens=x&token=y",
                Some("y"),
                "/a/stream?tokens=x",
            ),
            ("/a/stream?token=x&token=y&n=1", Some(""), "/a/stream?n=1"),
            ("/a/stream?token", Some(""), "/a/stream"),
            (
                "/a/stream?%74oken=x&%74okens=y",
                Some("x"),
                "/a/stream?%74okens=y",
            ),
            ("/a/stream?%74%6fke%6E=x&token=y", Some(""), "/a/stream"),
            ("/a/stream?%token=x", None, "/a/stream?%token=x"),
            (
                "http://b:1/a/stream?token=x",
                Some("x"),
                "http://b:1/a/stream",
            ),
        ] {
            let mut request = Request::builder().uri(uri).body(()).unwrap();
            assert_eq!(take_token(&mut request).as_deref(), taken, "{uri}");
            assert_eq!(request.uri().to_string(), left, "{uri}");
        }
    }
}
