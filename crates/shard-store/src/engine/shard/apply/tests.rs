//! What a batch costs, counted.

use std::time::Duration;

use board::{
    Calendar, FieldName, FieldRule, Keep, Kind, KindName, KindSpec, Member, Mode, Period,
    RankStyle, Rules, Ties, Timestamp, Value, Values, WindowRule,
};

use super::*;
use crate::engine::ranking::FINISHED;

const NOW: Timestamp = Timestamp::from_millis(1_795_186_342_123);

fn points_by_hour() -> Kind {
    let points = FieldRule::sum(FieldName::new("points").unwrap());
    let hours = WindowRule {
        keep: Keep::Forever,
        ..WindowRule::with_defaults(Period::Hour)
    };
    Kind::new(KindSpec {
        name: KindName::new("gifts").unwrap(),
        rules: Rules::new(vec![points], Mode::Accumulate, Ties::Earliest).unwrap(),
        rank: RankStyle::Ordinal,
        windows: vec![hours, WindowRule::with_defaults(Period::All)],
        calendar: Calendar::utc(),
        shards: 1,
        top: 10,
        max_staleness: Duration::ZERO,
        dedupe: Duration::ZERO,
        retain: None,
        publish: None,
    })
    .unwrap()
}

/// A change of a member so many hours before now.
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

/// Applies one batch; how many rankings its end looked at.
fn finished(shard: &mut Shard, kind: &Kind, items: &[Item]) -> usize {
    let terms = Terms {
        rules: kind.rules(),
        now: NOW,
        dedupe: Duration::ZERO,
        report: false,
        again: false,
        memory: None,
    };
    let (outcomes, touched) = shard.apply(items, &terms, |_| 0, &IdBudget::new(0));
    assert!(
        outcomes
            .iter()
            .all(|outcome| matches!(outcome, Outcome::Applied(_)))
    );
    FINISHED.set(0);
    shard.finish(terms.rules, &touched);
    FINISHED.get()
}

#[test]
fn a_batch_looks_at_its_own_windows_however_many_there_are() {
    let kind = points_by_hour();
    let mut shard = Shard::default();
    let point = || Change::Fold(Values::from(Value::new(1).unwrap()));
    for hours_ago in 0..2000 {
        finished(&mut shard, &kind, &[item(&kind, "u", point(), hours_ago)]);
    }
    assert_eq!(shard.windows(None).len(), 2001);
    let now = [item(&kind, "u", point(), 0), item(&kind, "v", point(), 0)];
    assert_eq!(finished(&mut shard, &kind, &now), 2);
    let two_hours: Vec<Item> = (0..400)
        .map(|number| item(&kind, &format!("u{number}"), point(), number % 2))
        .collect();
    assert_eq!(finished(&mut shard, &kind, &two_hours), 3);
    // They have grown large all the same.
    let large = |(_, ranking): &(board::Window, &Ranking)| ranking.is_large();
    assert_eq!(shard.rankings().filter(large).count(), 3);
    // A removal looks at all of them anyway.
    let removal = item(&kind, "u", Change::Remove, 0);
    assert_eq!(finished(&mut shard, &kind, &[removal]), 2001);
    assert!(
        shard
            .rankings()
            .all(|(_, ranking)| ranking.verify(kind.rules()).is_empty())
    );
}
