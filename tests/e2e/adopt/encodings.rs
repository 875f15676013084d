//! Every encoding, as those who use it write it: order, values and times come over, twice the same.

use serde_json::json;
use testkit::redis::Reply;

use super::{Stage, standing};

#[test]
fn a_fraction_of_a_far_base_time() {
    let stage = Stage::new();
    stage.redis(
        "ZADD leaderboard:339 2500.994707057989 player:1 500.99470705798905 player:2 \
         500.9947097814618 player:3 1987770.994707055 player:4",
    );
    let fraction = "fraction(base=317242022400)";
    let run = stage.adopt("leaderboard:339", fraction, "power/339");
    let expected = [
        standing("player:4", 1_987_770, "2023-03-18T13:03:20.000Z"),
        standing("player:1", 2_500, "2023-03-18T12:47:08.000Z"),
        standing("player:3", 500, "2023-03-08T12:47:08.000Z"),
        standing("player:2", 500, "2023-03-18T12:47:08.000Z"),
    ];
    assert_eq!(stage.standings("power/339"), expected);
    assert!(
        run.stdout.starts_with("set 4, left out 0, rejected 0;"),
        "{run:?}"
    );
    // Player 4 has more points than that fraction keeps a second beside.
    assert!(
        run.stderr
            .contains("1 scores do not hold their time exactly"),
        "{run:?}"
    );
    assert!(run.stderr.contains("36.9"), "{run:?}");
    stage.adopt("leaderboard:339", fraction, "power/339");
    assert_eq!(
        stage.standings("power/339"),
        expected,
        "the second run sets the same"
    );
}

#[test]
fn what_is_left_of_an_activity_of_ten_days() {
    let stage = Stage::new();
    // Ended 2023-03-28T00:00:00Z: 864000 s before is its first second.
    stage.redis("ZADD pk 1200.863999 a 1200.000100 b 7.400000 c 1200.863998 d");
    let encoding = "time-left(ends=2023-03-28T00:00:00Z, digits=6)";
    stage.adopt("pk", encoding, "power/pk");
    let expected = [
        standing("a", 1_200, "2023-03-18T00:00:01.000Z"),
        standing("d", 1_200, "2023-03-18T00:00:02.000Z"),
        standing("b", 1_200, "2023-03-27T23:58:20.000Z"),
        standing("c", 7, "2023-03-23T08:53:20.000Z"),
    ];
    assert_eq!(stage.standings("power/pk"), expected);
}

#[test]
fn decimal_and_binary_splits() {
    let stage = Stage::new();
    let early = 1_679_100_000_i64;
    for (member, score, second) in [("x", 90, early), ("y", 90, early + 1), ("z", 91, early + 2)] {
        let decimal = score * 10_000_000_000 + (9_999_999_999 - second);
        stage.redis(&format!("ZADD decimal {decimal} {member}"));
        let binary = (score << 32) | (4_294_967_295 - second);
        stage.redis(&format!("ZADD binary {binary} {member}"));
    }
    let expected = [
        standing("z", 91, "2023-03-18T00:40:02.000Z"),
        standing("x", 90, "2023-03-18T00:40:00.000Z"),
        standing("y", 90, "2023-03-18T00:40:01.000Z"),
    ];
    for encoding in ["decimal", "binary"] {
        let board = format!("power/{encoding}");
        stage.adopt(encoding, encoding, &board);
        assert_eq!(stage.standings(&board), expected, "{encoding}");
    }
}

#[test]
fn three_fields_of_22_22_and_20_bits() {
    let stage = Stage::new();
    let pack = |gold: u64, silver: u64, bronze: u64| (gold << 42) | (silver << 20) | bronze;
    for (member, packed) in [
        ("nor", pack(16, 8, 13)),
        ("ger", pack(12, 10, 5)),
        ("chn", pack(9, 4, 2)),
        ("swe", pack(8, 5, 5)),
        ("ned", pack(8, 5, 4)),
    ] {
        stage.redis(&format!("ZADD medals {packed} {member}"));
    }
    let run = stage.adopt("medals", "bits(22/22/20)", "medals/2022");
    assert!(run.stderr.contains("has no times"), "{run:?}");
    let entries = stage.entries("medals/2022");
    let order: Vec<_> = entries
        .iter()
        .map(|entry| entry["member"].as_str().unwrap())
        .collect();
    assert_eq!(order, ["nor", "ger", "chn", "swe", "ned"]);
    assert_eq!(
        entries[0]["values"],
        json!({"gold": 16, "silver": 8, "bronze": 13})
    );
    // An integer of 64 bits that a double does not hold.
    stage.redis(&format!("ZADD medals {} big", pack(500_000, 7, 1_000)));
    let run = stage.adopt("medals", "bits(22/22/20)", "medals/2022");
    assert!(
        run.stderr
            .contains("1 scores are beyond 2^53: up to 8 of their low bits"),
        "{run:?}"
    );
    assert_eq!(stage.entries("medals/2022")[0]["values"]["gold"], 500_000);
}

#[test]
fn a_time_before_the_member() {
    let stage = Stage::new();
    for member in ["2022-12-15 13:30:30_user1", "2022-12-15 13:30:31_user2"] {
        let words = ["ZADD", "later", "10", member];
        assert_eq!(stage.redis.command(&words).integer(), 1);
        let words = ["ZADD", "earlier", "-10", member];
        assert_eq!(stage.redis.command(&words).integer(), 1);
    }
    stage.adopt("later", "time-member(offset=+08:00)", "recent/later");
    let first = standing("user1", 10, "2022-12-15T05:30:30.000Z");
    let second = standing("user2", 10, "2022-12-15T05:30:31.000Z");
    assert_eq!(
        stage.standings("recent/later"),
        [second.clone(), first.clone()]
    );
    let negated = "time-member(offset=+08:00, score=negated)";
    stage.adopt("earlier", negated, "power/earlier");
    assert_eq!(stage.standings("power/earlier"), [first, second]);
}

#[test]
fn two_sets_for_score_and_time() {
    let stage = Stage::new();
    stage.redis("ZADD scores 50 a 50 b 50 c 60 d");
    stage.redis("ZADD times 1679100002 a 1679100000 b 1679100001 c 1679100009 d");
    stage.adopt("scores", "two-sets(time-key=times)", "power/two");
    assert_eq!(stage.order("power/two"), ["d", "b", "c", "a"]);
    let entries = stage.standings("power/two");
    assert_eq!(entries[1], standing("b", 50, "2023-03-18T00:40:00.000Z"));
}

#[test]
fn plain_scores_fall_by_member_in_ties() {
    let stage = Stage::new();
    stage.redis("ZADD plain 5 a 5 b 9007199254740991 c -3 d 0 e");
    let board = ["--key", "plain", "--board", "power/plain"];
    let at = ["--at", "2023-03-18T00:00:00Z"];
    let run = stage.run(&[board.as_slice(), &at].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stderr.contains("2023-03-18T00:00:00.000Z"), "{run:?}");
    assert_eq!(stage.order("power/plain"), ["c", "b", "a", "e", "d"]);
}

#[test]
fn ascending_sets_keep_their_ties() {
    let stage = Stage::new();
    stage.redis("ZADD seconds 61 b 61 a 61 ab 58 z 90 c 90 d");
    stage.adopt("seconds", "plain", "rising/all");
    let source = stage.redis("ZRANGE seconds 0 -1");
    let source: Vec<&str> = source.items().iter().map(Reply::text).collect();
    assert_eq!(stage.order("rising/all"), source);
    assert_eq!(source, ["z", "a", "ab", "b", "c", "d"]);
    // Where ties go by time, members of one time stand as in any kind: the higher first.
    stage.adopt("seconds", "plain", "golf/all");
    assert_eq!(stage.order("golf/all"), ["z", "b", "ab", "a", "d", "c"]);
}

#[test]
fn one_window_alone() {
    let stage = Stage::new();
    stage.redis("ZADD plain 5 a 6 b");
    let members = |window: &str, board: &str| {
        let range = format!("/v1/boards/{board}/range?from=1&to=9&window={window}");
        stage.server.get(range).ok()["members"].clone()
    };
    let run = stage.run(&["--key", "plain", "--board", "both/one", "--window", "all"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(
        (members("all", "both/one"), members("day", "both/one")),
        (json!(2), json!(0))
    );
    stage.adopt("plain", "plain", "both/two");
    assert_eq!(
        (members("all", "both/two"), members("day", "both/two")),
        (json!(2), json!(2))
    );
}
