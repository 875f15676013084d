//! Records are decoded as they were encoded and stay within their maximum sizes, and no bytes cause a panic.

pub(crate) mod any_event;
pub(crate) mod any_kind;
pub(crate) mod golden;
mod items;
mod kinds;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use board::Incarnation;
use engine::{Applied, Event};
use proptest::collection::vec;
use proptest::prelude::*;
use shard_store::Item;

use super::{
    BOARD_BYTES_MAX, Record, batch_bytes_max, decode, encode, encoded, kind_bytes_max,
    profiles_bytes_max, sweep_bytes_max,
};
use any_event::any_event;

/// The bytes that the journal puts before a record.
const LENGTH_BYTES: usize = 4;

fn bytes_max(event: &Event<'_>) -> usize {
    let one = board::ShardCount::new(1).unwrap();
    match event {
        Event::KindWritten { record, .. } => kind_bytes_max(&record.name, record.kind.as_ref()),
        Event::BoardMade { .. }
        | Event::BoardCreated { .. }
        | Event::ActivityChanged { .. }
        | Event::BoardEnded { .. } => BOARD_BYTES_MAX,
        Event::Applied(applied) => batch_bytes_max(&applied.items),
        Event::BoardSplit { .. } => batch_bytes_max(&[]),
        Event::WindowsDropped { windows, .. } => sweep_bytes_max(one, windows.len()),
        Event::ProfileChanged { kind, change } => {
            profiles_bytes_max(kind, std::slice::from_ref(change))
        }
        Event::BoardEmptied { .. } => sweep_bytes_max(one, 0),
    }
}

/// A batch of which everything was applied.
fn batch(items: Vec<Item>) -> Record<'static> {
    Record::Event(Event::Applied(Applied {
        incarnation: Incarnation(1),
        shard: 2,
        now: items::NOW,
        dedupe: Duration::from_hours(1),
        items: Cow::Owned(items),
        outcomes: &[],
    }))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_event_is_decoded_as_it_was_encoded_within_its_bound(event in any_event()) {
        let bytes_max = bytes_max(&event);
        let record = Record::Event(event);
        let mut bytes = vec![7, 8, 9];
        encode(&record, &mut bytes);
        prop_assert_eq!(&bytes[..3], &[7, 8, 9]);
        prop_assert!(LENGTH_BYTES + bytes.len() - 3 <= bytes_max, "{} bytes", bytes.len());
        let decoded = decode(&bytes[3..]);
        prop_assert_eq!(decoded.as_ref(), Ok(&record));
        if let Ok(Record::Event(Event::Applied(applied))) = decoded {
            for pair in applied.items.windows(2) {
                if pair[0].windows == pair[1].windows {
                    prop_assert!(Arc::ptr_eq(&pair[0].windows, &pair[1].windows));
                }
            }
        }
    }

    #[test]
    fn a_record_that_is_cut_or_longer_is_rejected(event in any_event(), more in vec(any::<u8>(), 1..20)) {
        let mut bytes = encoded(&Record::Event(event));
        for len in 0..bytes.len() {
            prop_assert!(decode(&bytes[..len]).is_err(), "{len} of {}", bytes.len());
        }
        bytes.extend(&more);
        prop_assert!(decode(&bytes).is_err());
    }

    #[test]
    fn changed_bytes_never_panic(
        event in any_event(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        rest in vec(any::<u8>(), 0..200),
    ) {
        let mut bytes = encoded(&Record::Event(event));
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        // Accepted or rejected: the test checks that it ends.
        drop(decode(&bytes));
        drop(decode(&rest));
    }
}

#[test]
fn starts_and_stops_are_decoded_as_they_were_encoded() {
    for record in [
        Record::Started,
        Record::Stopped {
            epoch: u64::MAX - 1,
        },
    ] {
        assert_eq!(decode(&encoded(&record)), Ok(record));
    }
}

#[test]
fn counts_beyond_the_bytes_are_rejected_before_memory_is_reserved() {
    let mut bytes = encoded(&batch(Vec::new()));
    assert_eq!(bytes.pop(), Some(0));
    bytes.extend([0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0]);
    assert!(decode(&bytes).is_err());
}

#[test]
fn the_longest_items_are_within_their_bound() {
    let longest = items::longest_item();
    for count in 0..3 {
        let items = vec![longest.clone(); count];
        let bytes_max = batch_bytes_max(&items);
        assert!(LENGTH_BYTES + encoded(&batch(items)).len() <= bytes_max);
    }
}

#[test]
fn a_usual_item_takes_few_bytes_beside_its_member() {
    let bytes_of_ten = |id| {
        let item = items::usual_item("user-123456", id);
        encoded(&batch(vec![item; 10])).len()
    };
    assert_eq!([None, Some(1 << 70)].map(bytes_of_ten), [296, 406]);
}
