//! The header `traceparent` of W3C Trace Context: [`TraceParent`].

use axum::http::{HeaderMap, HeaderName};

use crate::request_trace::trace_id::TraceId;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The length of the part that all versions of the header begin with: `00-TRACE-SPAN-FLAGS`.
const BYTES: usize = 55;

/// The trace of a request's caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    /// The trace.
    pub trace: TraceId,
    /// The caller's span.
    pub span: [u8; 8],
    /// Whether the caller records the trace.
    pub is_sampled: bool,
}

/// Returns the caller's trace; `None` if the header is missing or does not follow the standard.
#[must_use]
pub fn trace_parent(headers: &HeaderMap) -> Option<TraceParent> {
    let mut values = headers.get_all(TRACEPARENT).iter();
    let first = values.next()?;
    if values.next().is_some() {
        return None;
    }
    parse(first.as_bytes())
}

fn parse(text: &[u8]) -> Option<TraceParent> {
    let (text, more) = text.split_at_checked(BYTES)?;
    let parts = [&text[..2], &text[3..35], &text[36..52], &text[53..]];
    let [version, trace, span, flags] = parts;
    let version = bytes::<1>(version)?[0];
    // Later versions may append more, and must give this part the same meaning.
    let is_known = match version {
        0 => more.is_empty(),
        0xff => false,
        _ => more.is_empty() || more[0] == b'-',
    };
    let (trace, span, flags) = (bytes(trace)?, bytes(span)?, bytes::<1>(flags)?[0]);
    let has_dashes = [2, 35, 52].iter().all(|&index| text[index] == b'-');
    let has_ids = trace != [0; 16] && span != [0; 8];
    (is_known && has_dashes && has_ids).then_some(TraceParent {
        trace: TraceId(trace),
        span,
        is_sampled: flags & 1 == 1,
    })
}

/// Parses hexadecimal digits; upper-case ones are rejected.
fn bytes<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let digit = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    /// The example in the standard.
    const RIGHT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn the_standards_example_is_read() {
        let parent = parse(RIGHT.as_bytes()).unwrap();
        assert_eq!(parent.trace.to_string(), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(parent.span, 0x00f0_67aa_0ba9_02b7_u64.to_be_bytes());
        assert!(parent.is_sampled);
        let unsampled = parse(RIGHT.replace("-01", "-02").as_bytes()).unwrap();
        assert!(!unsampled.is_sampled);
        let later = format!("{}-more", RIGHT.replacen("00", "cc", 1));
        assert_eq!(parse(later.as_bytes()), Some(parent));
    }

    #[test]
    fn a_malformed_header_is_ignored() {
        for wrong in [
            String::new(),
            RIGHT[..54].to_owned(),
            format!("{RIGHT}-more"),
            RIGHT.replacen("00", "ff", 1),
            RIGHT.replacen("00", "cc", 1) + "more",
            RIGHT.replace('-', "_"),
            RIGHT.to_uppercase(),
            RIGHT.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)),
            RIGHT.replace("00f067aa0ba902b7", &"0".repeat(16)),
            RIGHT.replace("01", "0g"),
            "é".repeat(40),
        ] {
            assert_eq!(parse(wrong.as_bytes()), None, "{wrong}");
        }
        let mut headers = HeaderMap::new();
        headers.append(TRACEPARENT, HeaderValue::from_static(RIGHT));
        assert!(trace_parent(&headers).is_some());
        headers.append(TRACEPARENT, HeaderValue::from_static(RIGHT));
        assert_eq!(trace_parent(&headers), None, "which of two?");
    }
}
