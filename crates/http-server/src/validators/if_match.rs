//! `If-Match`, and `If-None-Match` of a write: whether the target is still what the client saw.

use axum::http::{HeaderMap, HeaderName, header};
use wire::problem::{Problem, ProblemType};

/// Returns 412 if the headers require another entity tag than the current one (RFC 9110, 13.1).
pub fn check_conditions(headers: &HeaderMap, etag: Option<&str>) -> Result<(), Problem> {
    if headers.contains_key(header::IF_MATCH) && !names(headers, header::IF_MATCH, etag) {
        let now = etag.map_or("there is none now".to_owned(), |etag| {
            format!("it is {etag} now")
        });
        return Err(failed(&format!("if-match: {now}")));
    }
    if names(headers, header::IF_NONE_MATCH, etag) {
        let etag = etag.unwrap_or_default();
        return Err(failed(&format!("if-none-match: it is {etag} now")));
    }
    Ok(())
}

/// Whether a header names the tag, by strong comparison, or `*`.
fn names(headers: &HeaderMap, header: HeaderName, etag: Option<&str>) -> bool {
    let Some(etag) = etag else { return false };
    headers.get_all(header).iter().any(|value| {
        let tags = value.to_str().unwrap_or_default();
        tags.split(',')
            .map(str::trim)
            .any(|tag| tag == "*" || tag == etag)
    })
}

fn failed(detail: &str) -> Problem {
    Problem::new(ProblemType::PreconditionFailed, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_requires_the_tag_that_was_seen() {
        const NOW: Option<&str> = Some("\"b\"");
        for (name, value, etag, passes) in [
            ("if-match", "\"b\"", NOW, true),
            ("if-match", "\"a\", \"b\"", NOW, true),
            ("if-match", "*", NOW, true),
            ("if-match", "\"a\"", NOW, false),
            ("if-match", "W/\"b\"", NOW, false),
            ("if-match", "b", NOW, false),
            ("if-match", "*", None, false),
            ("if-match", "\"b\"", None, false),
            ("if-none-match", "*", NOW, false),
            ("if-none-match", "\"b\"", NOW, false),
            ("if-none-match", "\"a\"", NOW, true),
            ("if-none-match", "*", None, true),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            let checked = check_conditions(&headers, etag);
            assert_eq!(checked.is_ok(), passes, "{name}: {value} of {etag:?}");
        }
        assert!(check_conditions(&HeaderMap::new(), None).is_ok());
    }
}
