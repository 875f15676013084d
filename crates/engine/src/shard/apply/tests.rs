//! The number of rankings that a batch visits, and what windows share.

use std::time::Duration;

use board::limits::VALUE_MAX;
use board::{Keep, Kind, Member, Period, Timestamp, Value, Values, WindowRule};

use testkit::conformance::fixtures::gifts;
use testkit::dice::Dice;

use super::*;
use crate::ranking::LOOKED_AT;

const NOW: Timestamp = Timestamp::from_millis(1_795_186_342_123);

/// Returns a kind with these of the windows `hour` and `all`.
fn kind_of(periods: &[Period]) -> Kind {
    let hours = WindowRule {
        keep: Keep::Forever,
        ..WindowRule::with_defaults(Period::Hour)
    };
    gifts(|spec| {
        spec.windows = vec![hours, WindowRule::with_defaults(Period::All)];
        spec.windows.retain(|rule| periods.contains(&rule.period));
        spec.shards = 1;
        spec.dedupe = Duration::ZERO;
    })
}

/// Returns a change of a member, dated `hours_ago` before now.
fn item(kind: &Kind, name: &str, change: Change, hours_ago: u32) -> Item {
    let member = Member::new(name).unwrap();
    let at = NOW.minus(Duration::from_hours(1) * hours_ago);
    Item {
        hash: member.placement_hash(),
        member,
        change,
        at,
        id: None,
        windows: kind.admit(at, NOW).unwrap(),
    }
}

/// Applies one batch, checks how many items are applied, and returns how many rankings its end
/// visited.
fn looked_at(shard: &mut Shard, kind: &Kind, items: &[Item], applied: usize) -> usize {
    let context = ApplyContext {
        rules: kind.rules(),
        now: NOW,
        dedupe: Duration::ZERO,
        report: false,
        again: false,
        memory: None,
        values: None,
    };
    LOOKED_AT.set(0);
    let (outcomes, touched) = shard.apply(items, &context, |_| 0, &IdBudget::new(0));
    let is_applied = |outcome: &&Outcome| matches!(outcome, Outcome::Applied(_));
    assert_eq!(outcomes.iter().filter(is_applied).count(), applied);
    shard.finish(context.rules, &touched);
    LOOKED_AT.get()
}

#[test]
fn a_batch_visits_only_its_own_windows_however_many_there_are() {
    let kind = kind_of(&[Period::Hour, Period::All]);
    let mut shard = Shard::default();
    let point = || Change::Fold(Values::from(Value::new(1).unwrap()));
    for hours_ago in 0..2000 {
        looked_at(
            &mut shard,
            &kind,
            &[item(&kind, "u", point(), hours_ago)],
            1,
        );
    }
    assert_eq!(shard.windows(None).len(), 2001);
    let now = [item(&kind, "u", point(), 0), item(&kind, "v", point(), 0)];
    assert_eq!(looked_at(&mut shard, &kind, &now, 2), 2);
    let two_hours: Vec<Item> = (0..400)
        .map(|number| item(&kind, &format!("u{number}"), point(), number % 2))
        .collect();
    assert_eq!(looked_at(&mut shard, &kind, &two_hours, 400), 3);
    // A rejected item does not make it visit others: each of its own is visited twice.
    let most = Change::Fold(Values::from(Value::new(VALUE_MAX).unwrap()));
    let refused = item(&kind, "u", most, 0);
    assert_eq!(looked_at(&mut shard, &kind, &[refused], 0), 4);
    // They have become large nevertheless.
    let large = |(_, ranking): &(board::Window, &Ranking)| ranking.is_large();
    assert_eq!(shard.rankings().filter(large).count(), 3);
    // Nor does an item in a new window, except for removing that window again.
    let too_much = item(&kind, "u", most, 3000);
    looked_at(&mut shard, &kind, &[too_much], 0);
    assert_eq!(shard.windows(None).len(), 2001);
    // A removal visits all windows anyway.
    let removal = item(&kind, "u", Change::Remove, 0);
    assert_eq!(looked_at(&mut shard, &kind, &[removal], 1), 2001);
    assert!(
        shard
            .rankings()
            .all(|(_, ranking)| ranking.verify(kind.rules()).is_empty())
    );
}

#[test]
fn windows_that_share_a_fold_have_what_each_has_alone() {
    let mut dice = Dice::new(7);
    let both = kind_of(&[Period::Hour, Period::All]);
    // The slow twin: a shard for each window.
    let each = [Period::Hour, Period::All].map(|period| kind_of(&[period]));
    let (mut shard, mut alone) = (Shard::default(), [Shard::default(), Shard::default()]);
    let names: Vec<String> = (0..300).map(|number| format!("u{number}")).collect();
    for _ in 0..60 {
        let (mut items, mut items_alone) = (Vec::new(), [Vec::new(), Vec::new()]);
        for _ in 0..=dice.below(40) {
            let name = dice.pick(&names).clone();
            let hours_ago = u32::try_from(dice.below(2)).unwrap();
            let value = Values::from(Value::new(dice.between(0, 3)).unwrap());
            // A window that is set alone differs from the others afterwards.
            let set = dice.one_in(8).then(|| dice.below(2));
            let change = set.map_or(Change::Fold(value), |_| Change::Set(value));
            let kind = set.map_or(&both, |only| &each[only]);
            items.push(item(kind, &name, change, hours_ago));
            for (index, kind) in each.iter().enumerate() {
                if set.is_none_or(|only| only == index) {
                    items_alone[index].push(item(kind, &name, change, hours_ago));
                }
            }
        }
        looked_at(&mut shard, &both, &items, items.len());
        for ((shard, kind), items) in alone.iter_mut().zip(&each).zip(&items_alone) {
            looked_at(shard, kind, items, items.len());
        }
    }
    let mut compared = 0;
    for (window, ranking) in alone.iter().flat_map(Shard::rankings) {
        let together = shard.ranking(window).unwrap();
        assert!(together.is_large() && together.verify(both.rules()).is_empty());
        assert_eq!(together.version(0), ranking.version(0));
        for name in &names {
            let member = Member::new(name).unwrap();
            let held = [together, ranking].map(|ranking| {
                let row = ranking.find(member.placement_hash(), &member)?;
                Some(ranking.standing(both.rules(), row))
            });
            assert_eq!(held[0], held[1], "{name} in {window:?}");
            compared += usize::from(held[0].is_some());
        }
    }
    assert!(compared > 500, "{compared}");
}
