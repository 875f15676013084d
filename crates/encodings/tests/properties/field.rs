//! Entries of other writers, including those of which a double has lost a part.

use board::{Ties, Timestamp};
use encodings::{DecodeError, Decoded, EncodeError, Encoding, ReadDirection, Uncertainty};

fn encoding(text: &str) -> Encoding {
    text.parse().unwrap()
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

fn value(decoded: &Decoded<'_>, field: usize) -> i64 {
    decoded.values.get(field).unwrap().get()
}

#[test]
fn the_four_players_of_leaderboard_339() {
    let encoding = encoding("fraction(base=317242022400)");
    // Redis prints these scores for values that were written as 2500.994707057989 and so on.
    for (text, member, score, time, within_ms) in [
        (
            "2500.9947070579892",
            "player:1",
            2_500,
            "2023-03-18T12:47:08Z",
            None,
        ),
        (
            "500.99470705798905",
            "player:2",
            500,
            "2023-03-18T12:47:08Z",
            None,
        ),
        (
            "500.99470978146178",
            "player:3",
            500,
            "2023-03-08T12:47:08Z",
            None,
        ),
        (
            "1987770.9947070549",
            "player:4",
            1_987_770,
            "2023-03-18T13:03:20Z",
            Some(36_932),
        ),
    ] {
        let decoded = encoding
            .decode_text(text.as_bytes(), member.as_bytes())
            .unwrap();
        assert_eq!(value(&decoded, 0), score, "{member}");
        assert_eq!(decoded.member, member.as_bytes());
        assert_eq!(decoded.at, Some(at(time)), "{member}");
        let uncertainty = within_ms.map(|within_ms| Uncertainty::Time { within_ms });
        assert_eq!(decoded.uncertainty, uncertainty, "{member}");
    }
}

#[test]
fn ten_days_are_six_digits() {
    let encoding = encoding("time-left(ends=2026-11-30T00:00:00Z, digits=6)");
    let decoded = encoding.decode_text(b"1200.863999", b"7").unwrap();
    assert_eq!(value(&decoded, 0), 1_200);
    assert_eq!(decoded.at, Some(at("2026-11-20T00:00:01Z")));
    assert_eq!(decoded.uncertainty, None);
    // Padded: one second before the end is .000001.
    let last = encoding
        .encode(&[5], at("2026-11-29T23:59:59Z"), "7")
        .unwrap();
    assert!((last.score - 5.000_001).abs() < f64::EPSILON);
    // If a script adds points to a score, as zranking does, the result may be an adjacent double.
    let summed = 0.863_999_f64 + 1_000_000_007.0;
    let decoded = encoding.decode(summed, b"7").unwrap();
    assert_eq!(decoded.at, Some(at("2026-11-20T00:00:01Z")));
    assert_eq!(
        (value(&decoded, 0), decoded.uncertainty),
        (1_000_000_007, None)
    );
}

#[test]
fn digits_of_another_width_are_detected() {
    let encoding = encoding("time-left(ends=2026-11-30T00:00:00Z, digits=4)");
    let decoded = encoding.decode(12.863_949, b"7").unwrap();
    assert_eq!(
        decoded.uncertainty,
        Some(Uncertainty::Time { within_ms: 490 })
    );
}

#[test]
fn packed_integers_have_the_documented_layout() {
    let time = at("2026-11-20T14:52:22Z");
    let seconds = time.millis() / 1000;
    let decimal = encoding("decimal").encode(&[77], time, "u").unwrap();
    let packed = 77 * 10_000_000_000 + (9_999_999_999 - seconds);
    assert_eq!(decimal.score.to_string(), packed.to_string());
    let binary = encoding("binary").encode(&[77], time, "u").unwrap();
    let packed = (77_i64 << 32) | (i64::from(u32::MAX) - seconds);
    assert_eq!(binary.score.to_string(), packed.to_string());
    let medals = encoding("bits(22/22/20)")
        .encode(&[3, 2, 1], time, "u")
        .unwrap();
    let packed = (3_i64 << 42) | (2 << 20) | 1;
    assert_eq!(medals.score.to_string(), packed.to_string());
    let snowflake = encoding("bits(12/41, until=2199023255551, unit=ms)");
    let stored = snowflake.encode(&[4_000], time, "u").unwrap();
    let decoded = snowflake.decode(stored.score, b"u").unwrap();
    assert_eq!((value(&decoded, 0), decoded.at), (4_000, Some(time)));
}

#[test]
#[expect(
    clippy::cast_precision_loss,
    reason = "the test is about the loss of precision"
)]
fn integers_of_64_bits_lose_their_low_bits() {
    let encoding = encoding("bits(22/22/20)");
    let any = Timestamp::EARLIEST;
    // The greatest values that fit 53 bits, and the next ones.
    assert!(
        encoding
            .encode(&[2_047, 4_194_303, 1_048_575], any, "u")
            .is_ok()
    );
    let rejected = encoding.encode(&[2_048, 0, 0], any, "u");
    let outside = EncodeError::Value {
        field: 1,
        value: 2_048,
        min: 0,
        max: 2_047,
    };
    assert_eq!(rejected, Err(outside));
    // An entry of a client that packs a 64-bit integer.
    let packed = (500_000_u64 << 42) | (7 << 20) | 0x3e8;
    let text = format!("{:e}", packed as f64);
    let decoded = encoding.decode_text(text.as_bytes(), b"u").unwrap();
    assert_eq!((value(&decoded, 0), value(&decoded, 1)), (500_000, 7));
    assert_ne!(value(&decoded, 2), 1_000, "its low bits are gone");
    assert_eq!(decoded.uncertainty, Some(Uncertainty::LowBits { bits: 8 }));
    // If all low bits are set, rounding carries into the next field. The uncertainty includes that.
    let carried = ((2_049_u64 << 42) | (7 << 20) | 0xf_ffff) as f64;
    let decoded = encoding.decode(carried, b"u").unwrap();
    assert_eq!((value(&decoded, 1), value(&decoded, 2)), (8, 0));
    assert_eq!(decoded.uncertainty, Some(Uncertainty::LowBits { bits: 1 }));
}

#[test]
fn a_time_before_the_member() {
    let plain = encoding("time-member");
    let decoded = plain
        .decode_text(b"42", b"2022-12-15 13:30:30_user_1")
        .unwrap();
    assert_eq!(decoded.member, b"user_1");
    assert_eq!(decoded.at, Some(at("2022-12-15T13:30:30Z")));
    assert_eq!(
        (plain.ties(), plain.read_direction()),
        (Ties::Latest, ReadDirection::Reverse)
    );
    let shanghai = encoding("time-member(offset=+08:00, score=negated)");
    let stored = shanghai
        .encode(&[42], at("2022-12-15T05:30:30.999000Z"), "user1")
        .unwrap();
    assert_eq!(stored.member, "2022-12-15 13:30:30_user1");
    assert!((stored.score + 42.0).abs() < f64::EPSILON);
    let decoded = shanghai
        .decode(stored.score, stored.member.as_bytes())
        .unwrap();
    assert_eq!(decoded.at, Some(at("2022-12-15T05:30:30Z")));
    assert_eq!(value(&decoded, 0), 42);
    let zero = shanghai
        .encode(&[0], at("2022-12-15T05:30:30Z"), "u")
        .unwrap();
    assert!(
        zero.score.is_sign_positive(),
        "-0 and 0 are different texts"
    );
    for wrong in [
        "user1",
        "2022-12-15T13:30:30_user1",
        "2022-13-15 13:30:30_u",
        "2022-12-15 13:30:30_",
    ] {
        assert_eq!(
            plain.decode(1.0, wrong.as_bytes()),
            Err(DecodeError::Prefix),
            "{wrong}"
        );
    }
}

#[test]
fn the_time_is_in_the_second_set() {
    let encoding = encoding("two-sets(time-key=board:time, unit=ms)");
    let time = at("2026-11-20T14:52:22.123000Z");
    let stored = encoding.encode(&[9], time, "u").unwrap();
    let time_score = stored.time_score.unwrap().to_string();
    assert_eq!(encoding.decode_time(time_score.as_bytes()), Ok(Some(time)));
    assert_eq!(encoding.decode(stored.score, b"u").unwrap().at, None);
    assert!(encoding.decode_time(b"12.5").is_err());
    assert!(encoding.decode_time(b"12").is_err(), "a time before 1973");
}

#[test]
fn scores_that_no_writer_produces_are_rejected() {
    let ends = "time-left(ends=2026-11-30T00:00:00Z, digits=6)";
    for (text, score) in [
        ("plain", "12.5"),
        ("plain", "1e17"),
        ("plain", "inf"),
        ("decimal", "12.5"),
        ("decimal", "1e40"),
        ("bits(22/22/20)", "-1"),
        ("bits(10/10)", "1048576"),
        ("fraction(base=317242022400)", "1e300"),
        (ends, "-1.5"),
    ] {
        assert!(
            encoding(text).decode_text(score.as_bytes(), b"u").is_err(),
            "{text} {score}"
        );
    }
    // Outside the years of a board: all seconds of the decimal split are left.
    assert_eq!(
        encoding("decimal").decode(9_999_999_999.0, b"u"),
        Err(DecodeError::Time(0))
    );
}

#[test]
fn a_fraction_that_was_rounded_away_makes_the_score_uncertain() {
    let encoding = encoding("fraction(base=317242022400)");
    let decoded = encoding.decode(500.0, b"u").unwrap();
    assert_eq!(
        (decoded.at, decoded.uncertainty),
        (None, None),
        "written without a time"
    );
    let huge = 200_000_000_000_000.0 + 0.994_7;
    let decoded = encoding.decode(huge, b"u").unwrap();
    assert_eq!(decoded.uncertainty, Some(Uncertainty::Score));
}

#[test]
fn the_number_of_values_must_be_that_of_the_encoding() {
    let any = Timestamp::EARLIEST;
    for (text, values) in [("plain", &[][..]), ("plain", &[1, 2]), ("bits(8/8)", &[1])] {
        let encoded = encoding(text).encode(values, any, "u");
        assert!(matches!(encoded, Err(EncodeError::Fields { .. })), "{text}");
    }
}
