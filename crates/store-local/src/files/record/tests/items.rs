//! Items of a batch: [`usual_item`], and the [`longest_item`].

use std::sync::Arc;
use std::time::Duration;

use board::limits::VALUE_MAX;
use board::{Calendar, IdDigest, Member, Period, Timestamp, Value, Values, Window, Windows};
use shard_store::{Change, Item};

/// A moment of an ordinary day.
pub(super) const NOW: Timestamp = Timestamp::from_millis(1_795_186_342_123);

fn item(member: &str, change: Change, at: Timestamp, id: Option<u128>, windows: Windows) -> Item {
    let member = Member::new(member).unwrap();
    Item {
        hash: member.placement_hash(),
        member,
        change,
        at,
        id: id.map(IdDigest),
        windows,
    }
}

/// An item of which every part has its maximum length.
pub(super) fn longest_item() -> Item {
    let far = NOW.millis().wrapping_add(i64::MIN);
    let windows =
        Period::ALL_PERIODS.map(|period| Window::starting_at(period, Timestamp::from_millis(far)));
    let value = Value::new(-VALUE_MAX);
    item(
        &"m".repeat(128),
        Change::Fold(Values::from([value; 4])),
        Timestamp::from_millis(far),
        Some(u128::MAX),
        Arc::from(windows),
    )
}

/// Points dated now in five windows.
pub(super) fn usual_item(member: &str, id: Option<u128>) -> Item {
    let calendar = Calendar::utc();
    let windows = Period::DEFAULTS.map(|period| calendar.span_at(period, NOW).window);
    let at = NOW.minus(Duration::from_millis(350));
    let values = Values::from(Value::new(250).unwrap());
    item(member, Change::Fold(values), at, id, Arc::from(windows))
}
