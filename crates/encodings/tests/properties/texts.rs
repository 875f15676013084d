//! Encodings as text: displayed text is parsed as the same encoding, and errors name what is wrong.

use encodings::Encoding;

#[test]
fn displayed_text_is_parsed_as_the_same_encoding() {
    for (text, shown) in [
        ("plain", "plain"),
        (" plain ", "plain"),
        ("decimal", "decimal(digits=10, until=9999999999)"),
        (
            "decimal(digits=13,unit=ms)",
            "decimal(digits=13, until=9999999999999, unit=ms)",
        ),
        ("binary", "binary"),
        ("bits(21/32, until=4294967295)", "binary"),
        ("bits(22/22/20)", "bits(22/22/20)"),
        ("bits(widths = 22 / 22 / 20)", "bits(22/22/20)"),
        ("fraction(base=317242022400)", "fraction(base=317242022400)"),
        (
            "fraction(base=2099-12-31T15:59:59Z)",
            "fraction(base=4102415999)",
        ),
        (
            "time-left(digits=6, ends=2026-11-30T00:00:00Z)",
            "time-left(ends=1795996800, digits=6)",
        ),
        ("time-member", "time-member(offset=+00:00, score=plain)"),
        (
            "time-member(offset=-03:30)",
            "time-member(offset=-03:30, score=plain)",
        ),
        (
            "two-sets(time-key=b:339:time)",
            "two-sets(time-key=b:339:time)",
        ),
    ] {
        let read: Encoding = text.parse().unwrap();
        assert_eq!(read.to_string(), shown);
        assert_eq!(shown.parse(), Ok(read), "{shown}");
    }
}

#[test]
fn errors_name_what_is_wrong() {
    for (text, part) in [
        ("", "\"\" is not one of plain"),
        ("packed", "packed"),
        ("fraction", "requires the parameter base"),
        (
            "fraction(317242022400)",
            "requires the parameter base=MOMENT",
        ),
        ("fraction(base=317242022400", "does not have the form"),
        ("fraction(base=)", "does not have the form"),
        ("fraction(base=1, base=2)", "base is given twice"),
        ("fraction(base=soon)", "base: \"soon\" is neither RFC 3339"),
        (
            "fraction(base=99999999999999999999)",
            "is not a count from 1",
        ),
        (
            "fraction(base=317242022400, unit=h)",
            "unit: \"h\" is neither s nor ms",
        ),
        (
            "fraction(base=94694400)",
            "base: \"94694400\" seconds since 1970: it cannot represent any time",
        ),
        (
            "fraction(base=317242022400, time=1)",
            "no parameter \"time\"",
        ),
        (
            "plain(base=1)",
            "plain has no parameter \"base\"; it has none",
        ),
        (
            "decimal(digits=16)",
            "digits: \"16\" is not a number from 1 to 15",
        ),
        ("bits", "requires the parameter widths"),
        ("bits(0/3)", "widths: \"0\" is not a number from 1 to 53"),
        ("bits(22/22/21)", "has 65 bits, more than the 64"),
        ("bits(1/1/1/1/1)", "has 5 values, not 1 to 4"),
        ("bits(32, until=4294967295)", "has 0 values"),
        (
            "time-left(ends=2026-11-30T00:00:00Z)",
            "requires the parameter digits",
        ),
        ("time-left(digits=6)", "requires the parameter ends"),
        // Milliseconds instead of seconds.
        (
            "time-left(ends=1795996800000, digits=6)",
            "any time of the years 1973 to 9999",
        ),
        ("time-member(offset=8)", "offset: \"8\" is not an offset"),
        (
            "time-member(score=up)",
            "score: \"up\" is neither plain nor negated",
        ),
        ("two-sets", "requires the parameter time-key"),
    ] {
        let error = text.parse::<Encoding>().unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {part:?} is not in: {error}");
    }
}

#[test]
fn ranges_are_displayed() {
    let range = |text: &str| text.parse::<Encoding>().unwrap().range().to_string();
    assert_eq!(
        range("decimal"),
        "scores -900719 to 900718; \
         times 1973-01-01T00:00:00.000000Z to 2286-11-20T17:46:39.999999Z, by the s"
    );
    assert_eq!(
        range("binary"),
        "scores 0 to 2097151; \
         times 1973-01-01T00:00:00.000000Z to 2106-02-07T06:28:15.999999Z, by the s"
    );
    assert_eq!(
        range("bits(22/22/20)"),
        "scores 0 to 2047, 0 to 4194303, 0 to 1048575; no times"
    );
}
