//! Adopting every encoding preserves order, values and times, and a second run changes nothing.

use serde_json::json;
use testkit::redis::Reply;

use super::{Fixture, standing};

#[test]
fn a_fraction_of_the_time_until_a_base() {
    let fixture = Fixture::new();
    fixture.redis(
        "ZADD leaderboard:339 2500.994707057989 player:1 500.99470705798905 player:2 \
         500.9947097814618 player:3 1987770.994707055 player:4",
    );
    let fraction = "fraction(base=317242022400)";
    let run = fixture.adopt("leaderboard:339", fraction, "power/339");
    let expected = [
        standing("player:4", 1_987_770, "2023-03-18T13:03:20.000000Z"),
        standing("player:1", 2_500, "2023-03-18T12:47:08.000000Z"),
        standing("player:3", 500, "2023-03-08T12:47:08.000000Z"),
        standing("player:2", 500, "2023-03-18T12:47:08.000000Z"),
    ];
    assert_eq!(fixture.standings("power/339"), expected);
    assert!(
        run.stdout.starts_with("set 4, left out 0, rejected 0;"),
        "{run:?}"
    );
    // Player 4 has too many points for the fraction to hold its second.
    assert!(
        run.stderr
            .contains("1 scores do not hold their time exactly"),
        "{run:?}"
    );
    assert!(run.stderr.contains("36.9"), "{run:?}");
    fixture.adopt("leaderboard:339", fraction, "power/339");
    assert_eq!(
        fixture.standings("power/339"),
        expected,
        "the second run changes nothing"
    );
}

#[test]
fn the_time_left_of_an_activity_of_ten_days() {
    let fixture = Fixture::new();
    // The activity ended at 2023-03-28T00:00:00Z; its first second is 864000 s earlier.
    fixture.redis("ZADD pk 1200.863999 a 1200.000100 b 7.400000 c 1200.863998 d");
    let encoding = "time-left(ends=2023-03-28T00:00:00Z, digits=6)";
    fixture.adopt("pk", encoding, "power/pk");
    let expected = [
        standing("a", 1_200, "2023-03-18T00:00:01.000000Z"),
        standing("d", 1_200, "2023-03-18T00:00:02.000000Z"),
        standing("b", 1_200, "2023-03-27T23:58:20.000000Z"),
        standing("c", 7, "2023-03-23T08:53:20.000000Z"),
    ];
    assert_eq!(fixture.standings("power/pk"), expected);
}

#[test]
fn decimal_and_binary_splits() {
    let fixture = Fixture::new();
    let early = 1_679_100_000_i64;
    for (member, score, second) in [("x", 90, early), ("y", 90, early + 1), ("z", 91, early + 2)] {
        let decimal = score * 10_000_000_000 + (9_999_999_999 - second);
        fixture.redis(&format!("ZADD decimal {decimal} {member}"));
        let binary = (score << 32) | (4_294_967_295 - second);
        fixture.redis(&format!("ZADD binary {binary} {member}"));
    }
    let expected = [
        standing("z", 91, "2023-03-18T00:40:02.000000Z"),
        standing("x", 90, "2023-03-18T00:40:00.000000Z"),
        standing("y", 90, "2023-03-18T00:40:01.000000Z"),
    ];
    for encoding in ["decimal", "binary"] {
        let board = format!("power/{encoding}");
        fixture.adopt(encoding, encoding, &board);
        assert_eq!(fixture.standings(&board), expected, "{encoding}");
    }
}

#[test]
fn three_fields_of_22_22_and_20_bits() {
    let fixture = Fixture::new();
    let pack = |gold: u64, silver: u64, bronze: u64| (gold << 42) | (silver << 20) | bronze;
    for (member, packed) in [
        ("nor", pack(16, 8, 13)),
        ("ger", pack(12, 10, 5)),
        ("chn", pack(9, 4, 2)),
        ("swe", pack(8, 5, 5)),
        ("ned", pack(8, 5, 4)),
    ] {
        fixture.redis(&format!("ZADD medals {packed} {member}"));
    }
    let run = fixture.adopt("medals", "bits(22/22/20)", "medals/2022");
    assert!(run.stderr.contains("has no times"), "{run:?}");
    let entries = fixture.entries("medals/2022");
    let order: Vec<_> = entries
        .iter()
        .map(|entry| entry["member"].as_str().unwrap())
        .collect();
    assert_eq!(order, ["nor", "ger", "chn", "swe", "ned"]);
    assert_eq!(
        entries[0]["values"],
        json!({"gold": 16, "silver": 8, "bronze": 13})
    );
    // A 64-bit integer that a double cannot represent.
    fixture.redis(&format!("ZADD medals {} big", pack(500_000, 7, 1_000)));
    let run = fixture.adopt("medals", "bits(22/22/20)", "medals/2022");
    assert!(
        run.stderr
            .contains("1 scores are beyond 2^53: up to 8 of their low bits"),
        "{run:?}"
    );
    assert_eq!(fixture.entries("medals/2022")[0]["values"]["gold"], 500_000);
}

#[test]
fn a_time_before_the_member() {
    let fixture = Fixture::new();
    for member in ["2022-12-15 13:30:30_user1", "2022-12-15 13:30:31_user2"] {
        let words = ["ZADD", "later", "10", member];
        assert_eq!(fixture.redis.command(&words).integer(), 1);
        let words = ["ZADD", "earlier", "-10", member];
        assert_eq!(fixture.redis.command(&words).integer(), 1);
    }
    fixture.adopt("later", "time-member(offset=+08:00)", "recent/later");
    let first = standing("user1", 10, "2022-12-15T05:30:30.000000Z");
    let second = standing("user2", 10, "2022-12-15T05:30:31.000000Z");
    assert_eq!(
        fixture.standings("recent/later"),
        [second.clone(), first.clone()]
    );
    let negated = "time-member(offset=+08:00, score=negated)";
    fixture.adopt("earlier", negated, "power/earlier");
    assert_eq!(fixture.standings("power/earlier"), [first, second]);
}

#[test]
fn separate_sets_for_score_and_time() {
    let fixture = Fixture::new();
    fixture.redis("ZADD scores 50 a 50 b 50 c 60 d");
    fixture.redis("ZADD times 1679100002 a 1679100000 b 1679100001 c 1679100009 d");
    fixture.adopt("scores", "two-sets(time-key=times)", "power/two");
    assert_eq!(fixture.order("power/two"), ["d", "b", "c", "a"]);
    let entries = fixture.standings("power/two");
    assert_eq!(entries[1], standing("b", 50, "2023-03-18T00:40:00.000000Z"));
}

#[test]
fn ties_of_plain_scores_are_ordered_by_member() {
    let fixture = Fixture::new();
    fixture.redis("ZADD plain 5 a 5 b 9007199254740991 c -3 d 0 e");
    let board = ["--sorted-set", "plain", "--board", "power/plain"];
    let at = ["--at", "2023-03-18T00:00:00Z"];
    let run = fixture.run(&[board.as_slice(), &at].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(
        run.stderr.contains("2023-03-18T00:00:00.000000Z"),
        "{run:?}"
    );
    assert_eq!(fixture.order("power/plain"), ["c", "b", "a", "e", "d"]);
}

#[test]
fn ascending_sets_keep_their_ties() {
    let fixture = Fixture::new();
    fixture.redis("ZADD seconds 61 b 61 a 61 ab 58 z 90 c 90 d");
    fixture.adopt("seconds", "plain", "rising/all");
    let source = fixture.redis("ZRANGE seconds 0 -1");
    let source: Vec<&str> = source.items().iter().map(Reply::text).collect();
    assert_eq!(fixture.order("rising/all"), source);
    assert_eq!(source, ["z", "a", "ab", "b", "c", "d"]);
    // If ties are ordered by time, members with the same time are ordered as in any kind, the
    // higher first.
    fixture.adopt("seconds", "plain", "golf/all");
    assert_eq!(fixture.order("golf/all"), ["z", "b", "ab", "a", "d", "c"]);
}

#[test]
fn a_single_window() {
    let fixture = Fixture::new();
    fixture.redis("ZADD plain 5 a 6 b");
    let members = |window: &str, board: &str| {
        let range = format!("/v1/boards/{board}/range?from=1&to=9&window={window}");
        fixture.server.get(range).ok()["members"].clone()
    };
    let run = fixture.run(&[
        "--sorted-set",
        "plain",
        "--board",
        "both/one",
        "--window",
        "all",
    ]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(
        (members("all", "both/one"), members("day", "both/one")),
        (json!(2), json!(0))
    );
    let says_so =
        |run: &testkit::cli::Run| run.stderr.contains("every window of kind both (day, all)");
    assert!(!says_so(&run), "{run:?}");
    assert!(says_so(&fixture.adopt("plain", "plain", "both/two")));
    assert_eq!(
        (members("all", "both/two"), members("day", "both/two")),
        (json!(2), json!(2))
    );
}
