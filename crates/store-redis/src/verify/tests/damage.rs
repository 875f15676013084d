use board::Standing;

use super::order_of;
use crate::boards::fixtures::random_standings::{
    any_packed_rules, any_rules, any_standing, points,
};
use crate::boards::fixtures::redis_standings::{member, ranked};
use crate::boards::fixtures::written_window::{ShardReaders, WrittenWindow};
use shard_store::{Groups, IndexMismatch, Query};
use testkit::dice::{Dice, Seed, runs};

/// Writes this many members, `u0` first.
fn filled(readers: &ShardReaders, dice: &mut Dice, number: u64, members: usize) -> WrittenWindow {
    let mut laid = readers.board(any_rules(dice), number);
    lay(&mut laid, dice, members);
    laid
}

fn lay(laid: &mut WrittenWindow, dice: &mut Dice, members: usize) {
    let standings = (0..members).map(|number| {
        let standing = any_standing(dice, laid.kind.rules());
        (member(&format!("u{number}")), standing)
    });
    let standings = standings.collect();
    laid.write(standings);
}

impl WrittenWindow {
    fn held(&self, name: &str) -> (i64, Vec<u8>) {
        ranked(self.rules(), &self.standings[&member(name)], &member(name))
    }

    fn rank_key(&self) -> Vec<u8> {
        self.keys.rank(self.window).to_vec()
    }

    fn scores_key(&self) -> Vec<u8> {
        self.keys.scores(self.window).to_vec()
    }

    fn do_command(&mut self, words: &[&[u8]]) {
        self.wire.command(words).integer();
    }

    fn unrank(&mut self, name: &str) {
        let (key, (_, entry)) = (self.rank_key(), self.held(name));
        self.do_command(&[b"ZREM", &key, &entry]);
    }

    fn rank_at(&mut self, name: &str, standing: &Standing) {
        let (key, (score, entry)) = (
            self.rank_key(),
            ranked(self.rules(), standing, &member(name)),
        );
        self.do_command(&[b"ZADD", &key, score.to_string().as_bytes(), &entry]);
    }

    fn take_score(&mut self, name: &str) {
        let key = self.scores_key();
        self.do_command(&[b"HDEL", &key, name.as_bytes()]);
        self.standings.remove(&member(name));
    }
}

/// A standing with another position.
fn other_standing(dice: &mut Dice, laid: &WrittenWindow, name: &str) -> Standing {
    loop {
        let standing = any_standing(dice, laid.kind.rules());
        if ranked(laid.rules(), &standing, &member(name)) != laid.held(name) {
            return standing;
        }
    }
}

async fn verify(readers: &ShardReaders, laid: &WrittenWindow, repair: bool) -> Vec<IndexMismatch> {
    let verified = readers
        .verifier
        .verify(&laid.record, laid.shard, repair)
        .await;
    verified.unwrap()
}

/// Returns the reports by name, or `-`.
fn reports(wrong: &[IndexMismatch]) -> Vec<(String, String)> {
    let reports = wrong.iter().map(|wrong| {
        let name = wrong.member.as_ref().map_or("-", |member| member.as_str());
        (name.to_owned(), wrong.detail.clone())
    });
    let mut reports: Vec<_> = reports.collect();
    reports.sort();
    reports
}

#[tokio::test]
async fn each_fault_is_reported_once_and_repaired() {
    faults_are_reported_and_repaired(&ShardReaders::plain().await).await;
    faults_are_reported_and_repaired(&ShardReaders::without_scripts().await).await;
}

async fn faults_are_reported_and_repaired(readers: &ShardReaders) {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    for number in 0..runs(20, 200) {
        let members = *dice.pick(&[10, 100, 1500]);
        let mut laid = filled(readers, &mut dice, number, members);
        assert_eq!(verify(readers, &laid, false).await, []);

        laid.unrank("u1");
        laid.take_score("u2");
        let elsewhere = other_standing(&mut dice, &laid, "u3");
        laid.unrank("u3");
        laid.rank_at("u3", &elsewhere);
        let expected = [
            ("u1", "has a score and is not ranked by it"),
            ("u2", "is ranked without a score"),
            ("u3", "is ranked by another score than it has"),
        ];
        let mut expected = expected
            .map(|(name, what)| (name.to_owned(), what.to_owned()))
            .to_vec();
        let once_more = other_standing(&mut dice, &laid, "u4");
        let own = laid.held("u4").1;
        // With the same entry it is not twice there, but misplaced.
        if ranked(laid.rules(), &once_more, &member("u4")).1 != own {
            laid.rank_at("u4", &once_more);
            let what = "is ranked by its score, and once more by another";
            expected.push(("u4".to_owned(), what.to_owned()));
        }
        if laid.rules().rank_words_len() > 1 {
            let key = laid.rank_key();
            laid.do_command(&[b"ZADD", &key, b"5", b"short"]);
            let what = "an entry of the order names no member: \"short\"";
            expected.insert(0, ("-".to_owned(), what.to_owned()));
        }

        let wrong = verify(readers, &laid, false).await;
        assert_eq!(reports(&wrong), expected);
        assert!(wrong.iter().all(|wrong| !wrong.repaired));
        let mended = verify(readers, &laid, true).await;
        assert_eq!(reports(&mended), expected);
        assert!(mended.iter().all(|wrong| wrong.repaired));
        assert_eq!(verify(readers, &laid, false).await, []);
        assert_eq!(order_of(readers, &laid).await, laid.sorted());
    }
}

#[tokio::test]
async fn a_lost_order_is_reported_as_one_and_rebuilt_with_its_expiry() {
    let readers = ShardReaders::plain().await;
    let mut dice = Dice::new(5);
    let mut laid = filled(&readers, &mut dice, 1, 1500);
    let (scores, rank) = (laid.scores_key(), laid.rank_key());
    laid.do_command(&[b"DEL", &rank]);
    laid.do_command(&[b"PEXPIRE", &scores, b"1000000"]);
    let what = "1500 members have scores, none is ranked";
    let expected = [("-".to_owned(), what.to_owned())];
    assert_eq!(reports(&verify(&readers, &laid, false).await), expected);
    let mended = verify(&readers, &laid, true).await;
    assert_eq!(reports(&mended), expected);
    assert!(mended[0].repaired);
    assert_eq!(verify(&readers, &laid, false).await, []);
    assert_eq!(order_of(&readers, &laid).await, laid.sorted());
    let left = laid.wire.command(&[b"PTTL".as_slice(), &rank]).integer();
    assert!((1..=1_000_000).contains(&left), "{left}");
}

#[tokio::test]
async fn an_order_without_scores_is_reported_as_one_and_dropped() {
    let readers = ShardReaders::plain().await;
    let mut dice = Dice::new(6);
    let mut laid = filled(&readers, &mut dice, 1, 700);
    let scores = laid.scores_key();
    laid.do_command(&[b"DEL", &scores]);
    let what = "700 entries are ranked, none has a score";
    let expected = [("-".to_owned(), what.to_owned())];
    assert_eq!(reports(&verify(&readers, &laid, false).await), expected);
    assert_eq!(reports(&verify(&readers, &laid, true).await), expected);
    assert_eq!(verify(&readers, &laid, false).await, []);
    assert_eq!(
        readers.reader.windows(&laid.record, laid.shard).await,
        Ok(vec![])
    );
}

#[tokio::test]
async fn an_invalid_score_is_reported_and_left() {
    let readers = ShardReaders::plain().await;
    let mut laid = readers.board(points(), 1);
    lay(&mut laid, &mut Dice::new(8), 10);
    let scores = laid.scores_key();
    laid.do_command(&[b"HSET", &scores, b"u4", b"?"]);
    let expected = (
        "u4".to_owned(),
        "has a score that its kind cannot have".to_owned(),
    );
    for repair in [false, true, false] {
        let wrong = verify(&readers, &laid, repair).await;
        assert_eq!(reports(&wrong), std::slice::from_ref(&expected));
        assert!(!wrong[0].repaired);
    }
}

#[tokio::test]
async fn boards_merged_of_the_wrong_order_are_known_by_their_version() {
    let readers = ShardReaders::plain().await;
    let mut laid = filled(&readers, &mut Dice::new(9), 1, 50);
    let query = Query {
        window: laid.window,
        unless: None,
        groups: Groups::None,
        ranges: [].into(),
    };
    let version = async |readers: &ShardReaders, laid: &WrittenWindow| {
        let reading = readers
            .reader
            .read_one(&laid.record, laid.shard, &query)
            .await;
        reading.unwrap().version
    };
    let before = version(&readers, &laid).await;
    assert_eq!(verify(&readers, &laid, true).await, []);
    assert_eq!(version(&readers, &laid).await, before);
    laid.unrank("u1");
    assert_eq!(verify(&readers, &laid, true).await.len(), 1);
    let after = version(&readers, &laid).await;
    assert_eq!(after.counter, before.counter + 1);
    assert_ne!(after.digest, before.digest);
}

/// All are repaired, also those beyond the limit of the report.
#[tokio::test]
async fn more_than_can_be_reported_are_counted() {
    let readers = ShardReaders::plain().await;
    let mut laid = readers.board(points(), 1);
    lay(&mut laid, &mut Dice::new(10), 12_000);
    let rank = laid.rank_key();
    laid.do_command(&[b"ZREMRANGEBYRANK", &rank, b"0", b"10999"]);
    for repair in [false, true] {
        let wrong = verify(&readers, &laid, repair).await;
        assert_eq!(wrong.len(), 10_001);
        let last = wrong.last().unwrap();
        assert_eq!(last.detail, "and 1000 more");
        assert_eq!(last.repaired, repair);
    }
    assert_eq!(verify(&readers, &laid, false).await, []);
}

/// Milliseconds by the server's clock.
fn node_ms(laid: &mut WrittenWindow) -> i64 {
    let time = laid.wire.command(&["TIME"]);
    let [seconds, micros] = time.items() else {
        panic!("{time:?}")
    };
    let number = |text: &str| text.parse::<i64>().unwrap();
    number(seconds.text()) * 1000 + number(micros.text()) / 1000
}

#[tokio::test]
async fn a_frozen_shard_is_repaired_afterwards() {
    let readers = ShardReaders::plain().await;
    let mut laid = filled(&readers, &mut Dice::new(12), 1, 50);
    laid.unrank("u1");
    let thaw = node_ms(&mut laid) + 300;
    laid.set_meta("f", &format!("00000000000000bb {thaw}"));
    assert_eq!(verify(&readers, &laid, false).await.len(), 1);
    assert_eq!(verify(&readers, &laid, true).await.len(), 1);
    assert!(node_ms(&mut laid) >= thaw);
    assert_eq!(order_of(&readers, &laid).await, laid.sorted());
}

#[tokio::test]
async fn invalid_packed_scores_are_reported_and_left() {
    let readers = ShardReaders::plain().await;
    let mut dice = Dice::new(6);
    for number in 0..10 {
        let mut laid = readers.board(any_packed_rules(&mut dice), number);
        lay(&mut laid, &mut dice, 200);
        assert_eq!(verify(&readers, &laid, true).await, []);
        let key = laid.rank_key();
        let expected = [("u1", "0.5"), ("u2", "-7"), ("u3", "9007199254740992")];
        for (name, score) in expected {
            laid.do_command(&[b"ZADD", &key, score.as_bytes(), name.as_bytes()]);
        }
        for repair in [false, true] {
            let wrong = verify(&readers, &laid, repair).await;
            let what = "has a score that its kind cannot have";
            let expected = expected.map(|(name, _)| (name.to_owned(), what.to_owned()));
            assert_eq!(reports(&wrong), expected);
            assert!(wrong.iter().all(|wrong| !wrong.repaired));
        }
    }
}
