//! A million boards of ten members fit into two gigabytes of the memory store.
//!
//! Measured by what the system says the process takes, in a binary of its own. By default a
//! twentieth of the boards is made, `MEGABOARD_TEST_LONG=1` makes all of them.

#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use board::{
    BoardName, Calendar, FieldName, FieldRule, Kind, KindName, KindSpec, Member, Mode, Period,
    RankStyle, Rules, Subject, Ties, Timestamp, Value, Values, WindowRule,
};
use shard_store::{Batch, Change, Item, KindRecord, Outcome, Revision, ShardStore};
use store_local::LocalStore;

const NOW: Timestamp = Timestamp::from_millis(1_795_186_342_123);
const MEMBERS: usize = 10;
const MILLION_BYTES_MAX: usize = 2 << 30;

fn resident_bytes() -> usize {
    const PAGE_BYTES: usize = 4096;
    let pages = fs::read_to_string("/proc/self/statm").unwrap();
    let resident = pages.split(' ').nth(1).unwrap();
    resident.parse::<usize>().unwrap() * PAGE_BYTES
}

fn gifts() -> Kind {
    let points = FieldRule::sum(FieldName::new("points").unwrap());
    let spec = KindSpec {
        name: KindName::new("gifts").unwrap(),
        rules: Rules::new(vec![points], Mode::Accumulate, Ties::Earliest).unwrap(),
        rank: RankStyle::Ordinal,
        windows: vec![WindowRule::with_defaults(Period::All)],
        calendar: Calendar::utc(),
        shards: 16,
        top: 1000,
        max_staleness: Duration::from_millis(200),
        dedupe: Duration::from_hours(1),
        retain: None,
        publish: None,
    };
    Kind::new(spec).unwrap()
}

/// A board of ten members with ten characters each, whose contributions come one by one.
async fn fill(store: &LocalStore, kind: &KindRecord, number: usize) {
    let name = Subject::new(&format!("room-{number}")).unwrap();
    let name = BoardName::new(kind.name.clone(), name);
    let board = store.create_board(&name, kind, None, NOW).await.unwrap();
    let kind = kind.kind.as_ref().unwrap();
    let windows = kind.admit(NOW, NOW).unwrap();
    for place in 0..MEMBERS {
        let member = Member::new(&format!("u{:09}", number * MEMBERS + place)).unwrap();
        let points = Value::new(i64::try_from(1 + place * 7 % 10).unwrap()).unwrap();
        let hash = member.placement_hash();
        let item = Item {
            member,
            hash,
            change: Change::Fold(Values::from(points)),
            at: NOW,
            id: None,
            windows: windows.clone(),
        };
        let batch = Batch {
            kind,
            now: NOW,
            until: None,
            report: false,
            items: &[item],
        };
        let applied = store
            .apply(&board, board.shards.shard_of(hash), batch)
            .await;
        assert_eq!(applied.unwrap(), [Outcome::Applied(Vec::new())]);
    }
}

#[tokio::test]
async fn a_million_boards_of_ten_members_fit_into_two_gigabytes() {
    let whole = std::env::var_os("MEGABOARD_TEST_LONG").is_some();
    let boards = if whole { 1_000_000 } else { 50_000 };
    let store = LocalStore::in_memory().unwrap();
    let kind = store.put_kind(Arc::new(gifts()), Revision::default(), true);
    let kind = kind.await.unwrap();
    let before = resident_bytes();
    for number in 0..boards {
        fill(&store, &kind, number).await;
    }
    let per_board = (resident_bytes() - before) / boards;
    println!("{per_board} bytes a board of {MEMBERS} members, {boards} boards");
    assert!(
        per_board * 1_000_000 <= MILLION_BYTES_MAX,
        "{per_board} bytes a board, at most {} wanted",
        MILLION_BYTES_MAX / 1_000_000
    );
    let listed = store.boards(&kind.name, None, boards).await.unwrap();
    assert_eq!(listed.len(), boards, "all of it was there to be measured");
}
