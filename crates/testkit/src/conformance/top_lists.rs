//! Top lists: the best `keep` entries of every shard are exact, and so are the standings of all
//! members, after any contributions, sets and removals.

use std::collections::BTreeMap;

use board::{
    Direction, FieldName, FieldRule, Kind, Member, Mode, Op, Period, Retain, Rules, Standing, Ties,
    Timestamp, Value, Values, Window, WindowRule,
};
use shard_store::{Anchor, Change, Item, ItemRejected, Outcome, Query, RangeAsk, ShardEntry};

use crate::conformance::fixtures::{Board, MINUTE, NOW, OpenStore, gifts, member, whole, window};
use crate::dice::{Dice, Seed};

const ALL: Window = Window::ALL_TIME;

/// The standing of each member.
type Standings = BTreeMap<Member, Standing>;

/// Contributions only, which only raise standings.
pub async fn lists_are_exact_while_standings_rise(store: OpenStore) {
    agree(store, 0).await;
}

/// Also with removals, and with sets to better and worse values.
pub async fn lists_are_exact_after_standings_fall(store: OpenStore) {
    agree(store, 6).await;
}

/// All listed members are removed, batch by batch, until none is left.
pub async fn lists_are_refilled_when_their_best_are_removed(store: OpenStore) {
    let board = store.fresh(list(10, points(), 1), "b").await;
    let mut twin = Standings::new();
    let all: Vec<Item> = (0..200)
        .map(|n| board.points(&member(&format!("u{n}")), n + 1, NOW))
        .collect();
    write(&board, &mut twin, &all).await;
    while !twin.is_empty() {
        let best = sorted(&board, &twin, 0).into_iter().take(7);
        let items = best.map(|entry| board.item(&entry.key.member, Change::Remove, NOW, NOW));
        write(&board, &mut twin, &items.collect::<Vec<_>>()).await;
        compare(&board, &twin).await;
    }
    board.verify().await;
}

/// One item in `falling` removes or sets; none if it is 0.
async fn agree(store: OpenStore, falling: u64) {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    for number in 0..store.runs(20, 400) {
        let keep = 1 + u64::try_from(dice.below(20)).unwrap();
        let kind = list(keep, any_rules(&mut dice), *dice.pick(&[1, 4]));
        let kind = store
            .put_kind(kind.into(), shard_store::Revision(number), true)
            .await;
        let board = store.created(&kind.unwrap(), "b", NOW).await;
        let mut twin = Standings::new();
        for _ in 0..15 {
            let count = 1 + dice.below(60);
            let items = (0..count).map(|_| any_item(&mut dice, &board, falling));
            let items: Vec<Item> = items.collect();
            write(&board, &mut twin, &items).await;
            compare(&board, &twin).await;
        }
        board.verify().await;
        store.delete_board(&board.record.name, NOW).await.unwrap();
    }
}

/// Two lists, of a day and of all time, which the items of a test change alike.
fn list(keep: u64, rules: Rules, shards: u64) -> Kind {
    gifts(|spec| {
        spec.windows = [Period::Day, Period::All]
            .map(WindowRule::with_defaults)
            .into();
        spec.rules = rules;
        spec.shards = shards;
        spec.top = 1;
        spec.retain = Some(Retain {
            approximate: true,
            ..Retain::best(keep)
        });
    })
}

fn points() -> Rules {
    rules(
        &[(Direction::Desc, Op::Sum)],
        Mode::Accumulate,
        Ties::Earliest,
    )
}

fn rules(fields: &[(Direction, Op)], mode: Mode, ties: Ties) -> Rules {
    let names = ["points", "laps"];
    let field = |((order, op), name): (&(Direction, Op), &str)| FieldRule {
        name: FieldName::new(name).unwrap(),
        order: *order,
        op: *op,
    };
    Rules::new(fields.iter().zip(names).map(field).collect(), mode, ties).unwrap()
}

/// Rules under which contributions of [`any_item`] only raise standings.
fn any_rules(dice: &mut Dice) -> Rules {
    let ties = *dice.pick(&[Ties::Earliest, Ties::Member]);
    let (desc, asc) = (Direction::Desc, Direction::Asc);
    if dice.one_in(3) {
        let orders = [*dice.pick(&[desc, asc]), *dice.pick(&[desc, asc])];
        let fields = orders.map(|order| (order, Op::Sum));
        return rules(&fields[..=dice.below(2)], Mode::Best, ties);
    }
    let rising = [(desc, Op::Sum), (desc, Op::Max), (asc, Op::Min)];
    let fields = [*dice.pick(&rising), *dice.pick(&rising)];
    rules(&fields[..=dice.below(2)], Mode::Accumulate, ties)
}

fn any_item(dice: &mut Dice, board: &Board, falling: u64) -> Item {
    let member = member(&format!("u{}", dice.below(150)));
    let mut values = Values::default();
    for field in 0..board.kind.rules().fields().len() {
        values.set(field, Value::new(dice.between(0, 9)).unwrap());
    }
    let falls = falling > 0 && dice.one_in(falling);
    let change = match (falls, dice.one_in(2)) {
        (false, _) => Change::Fold(values),
        (true, false) => Change::Set(values),
        (true, true) if dice.one_in(2) => Change::Remove,
        (true, true) => Change::RemoveFrom,
    };
    let at = NOW.minus(MINUTE * u32::try_from(dice.below(5)).unwrap());
    board.item(&member, change, at, NOW)
}

/// Applies items to the board and to the twin.
async fn write(board: &Board, twin: &mut Standings, items: &[Item]) {
    let outcomes = board.apply(items, NOW).await;
    let rules = board.kind.rules();
    for (item, outcome) in items.iter().zip(outcomes) {
        let held = twin.get(&item.member);
        let applied = Outcome::Applied(Vec::new());
        let expected = match (&item.change, held) {
            (Change::Remove | Change::RemoveFrom, None) => {
                Outcome::Rejected(ItemRejected::NotRanked(item.member.clone()))
            }
            _ => applied,
        };
        assert_eq!(outcome, expected, "{item:?}");
        match &item.change {
            Change::Remove | Change::RemoveFrom | Change::Expire => {
                twin.remove(&item.member);
            }
            Change::Set(values) => {
                twin.insert(item.member.clone(), rules.standing_of(values, item.at));
            }
            Change::Fold(values) => {
                let standing = rules.fold(held, values, item.at).unwrap();
                twin.insert(item.member.clone(), standing);
            }
        }
    }
}

fn entry(rules: &Rules, member: &Member, standing: &Standing) -> ShardEntry {
    ShardEntry {
        key: rules.rank_key(rules.rank_words_of(standing), member.clone()),
        reached_at: rules.reached_at(standing),
    }
}

/// Returns all entries of a shard, best first.
fn sorted(board: &Board, twin: &Standings, shard: u16) -> Vec<ShardEntry> {
    let here = twin
        .iter()
        .filter(|(member, _)| board.shard_of(member) == shard);
    let mut entries: Vec<ShardEntry> = here
        .map(|(member, standing)| entry(board.kind.rules(), member, standing))
        .collect();
    entries.sort_by(|a, b| b.key.cmp(&a.key));
    entries
}

async fn compare(board: &Board, twin: &Standings) {
    for window in [window(Period::Day, NOW), ALL] {
        compare_in(window, board, twin).await;
    }
}

async fn compare_in(window: Window, board: &Board, twin: &Standings) {
    let keep = usize::try_from(board.kind.retain().unwrap().keep).unwrap();
    for shard in board.shards() {
        let sorted = sorted(board, twin, shard);
        let reading = board.read(shard, &whole(window)).await;
        let listed = reading.parts.unwrap().remove(0).entries;
        assert!(reading.members >= sorted.len().min(keep) as u64);
        let best = |entries: &[ShardEntry]| entries[..entries.len().min(keep)].to_vec();
        assert_eq!(best(&listed), best(&sorted), "shard {shard}");
        let ranges = sorted.iter().map(|entry| RangeAsk {
            anchor: Anchor::Member(entry.key.member.clone()),
            before: 0,
            after: 1,
        });
        let query = Query {
            ranges: ranges.collect(),
            ..whole(window)
        };
        let parts = board.read(shard, &query).await.parts.unwrap();
        for (index, (part, expected)) in parts.into_iter().zip(&sorted).enumerate() {
            let found = part
                .unlisted
                .clone()
                .or_else(|| part.entries.first().cloned());
            assert_eq!(found.as_ref(), Some(expected));
            if index < keep {
                assert_eq!(part.anchor, Some(index as u64), "{expected:?}");
            }
            assert!(part.anchor.is_none() || part.unlisted.is_none());
        }
    }
}

/// A member that never contributed is neither ranked nor unlisted.
pub async fn a_member_without_a_standing_is_not_unlisted(store: OpenStore) {
    let board = store.fresh(list(2, points(), 1), "b").await;
    let all: Vec<Item> = (0..9)
        .map(|n| board.points(&member(&format!("u{n}")), n + 1, NOW))
        .collect();
    write(&board, &mut Standings::new(), &all).await;
    let query = Query {
        ranges: [RangeAsk::rank_of(Anchor::Member(member("nobody")))].into(),
        ..whole(ALL)
    };
    let part = board.read(0, &query).await.parts.unwrap().remove(0);
    assert_eq!((part.anchor, part.unlisted), (None, None));
    let gone = Timestamp::from_millis(NOW.millis() + 1);
    let removal = board.item(&member("u0"), Change::Remove, gone, gone);
    assert_eq!(
        board.apply(&[removal], gone).await,
        [Outcome::Applied(Vec::new())]
    );
}
