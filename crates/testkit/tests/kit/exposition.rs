//! Valid `/metrics` responses are parsed, invalid ones are rejected.

use std::panic::catch_unwind;

use testkit::Exposition;

const GOOD: &str = "\
# HELP a_calls Calls.
# TYPE a_calls counter
a_calls_total{to=\"x\",why=\"a \\\"b\\\" \\\\ {c}\"} 3
a_calls_total{to=\"y\",why=\"\"} 1
# HELP a_wait_seconds Waits.
# TYPE a_wait_seconds histogram
# UNIT a_wait_seconds seconds
a_wait_seconds_sum 0.5
a_wait_seconds_count 2
a_wait_seconds_bucket{le=\"0.1\"} 1
a_wait_seconds_bucket{le=\"+Inf\"} 2
# EOF
";

#[test]
fn a_valid_text_is_parsed() {
    let exposition = Exposition::read(GOOD);
    let names: Vec<_> = exposition
        .families
        .iter()
        .map(|f| (f.called(), f.kind.as_str()))
        .collect();
    assert_eq!(
        names,
        [
            ("a_calls_total".to_owned(), "counter"),
            ("a_wait_seconds".to_owned(), "histogram")
        ]
    );
    let first = exposition.samples().next().unwrap();
    assert_eq!(first.labels["why"], "a \"b\" \\ {c}");
    assert!((exposition.sum("a_calls_total", &[]) - 4.0).abs() < f64::EPSILON);
    assert!((exposition.sum("a_calls_total", &[("to", "y")]) - 1.0).abs() < f64::EPSILON);
}

#[test]
fn violations_of_the_format_panic() {
    let wrong = [
        ("# EOF\n", ""),
        ("# TYPE a_calls counter\n", ""),
        ("# HELP a_calls Calls.\n", ""),
        ("a_calls_total{to=\"y\"", "a_calls{to=\"y\""),
        ("a_calls_total{to=\"y\"", "b_calls_total{to=\"y\""),
        ("to=\"y\",why=\"\"", "to=\"y\",to=\"\""),
        ("to=\"y\",why=\"\"", "to=\"x\",why=\"a \\\"b\\\" \\\\ {c}\""),
        ("\"} 1\n# HELP", "\"} one\n# HELP"),
        ("seconds seconds", "seconds bytes"),
        ("_count 2", "_count 3"),
        ("{le=\"0.1\"} 1", "{le=\"0.1\"} 3"),
        ("a_wait_seconds", "a_calls"),
        ("counter", "unheard-of"),
    ];
    for (part, other) in wrong {
        let text = GOOD.replace(part, other);
        assert_ne!(text, GOOD, "{part}");
        assert!(catch_unwind(|| Exposition::read(&text)).is_err(), "{text}");
    }
}
