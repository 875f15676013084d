//! Records are decoded as they were encoded and stay within their maximum sizes, and no bytes cause a panic.

pub(crate) mod any_event;
pub(crate) mod any_kind;
pub(crate) mod golden;
mod items;
mod kinds;
mod logged_event;

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::bytes::Malformed;
use super::{
    BOARD_BYTES_MAX, Record, batch_bytes_max, decode, encode, kind_bytes_max, size, sweep_bytes_max,
};
use any_event::any_event;
use logged_event::LoggedEvent;

fn encoded(logged: &LoggedEvent) -> Vec<u8> {
    let mut out = Vec::new();
    encode(&logged.event(), &mut out);
    out
}

/// The bytes that the journal puts before a record.
const LENGTH_BYTES: usize = 4;

fn bytes_max(logged: &LoggedEvent) -> usize {
    match &logged.record {
        Record::KindWritten { record, .. } => kind_bytes_max(&record.name, record.kind.as_ref()),
        Record::BoardMade { .. }
        | Record::BoardCreated { .. }
        | Record::ActivityChanged { .. }
        | Record::BoardEnded { .. } => BOARD_BYTES_MAX,
        Record::Applied(_) | Record::BoardSplit { .. } => batch_bytes_max(&logged.came),
        Record::WindowsDropped { windows, .. } => {
            sweep_bytes_max(board::ShardCount::new(1).unwrap(), windows.len())
        }
        Record::ProfileChanged { kind, change } => {
            super::profiles_bytes_max(kind, std::slice::from_ref(change))
        }
        Record::BoardEmptied { .. } => sweep_bytes_max(board::ShardCount::new(1).unwrap(), 0),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_event_is_decoded_as_it_was_encoded(logged in any_event()) {
        prop_assert_eq!(decode(&encoded(&logged)), Ok(logged.record));
    }

    #[test]
    fn no_record_is_longer_than_its_bound(logged in any_event()) {
        let bytes = LENGTH_BYTES + encoded(&logged).len();
        prop_assert!(bytes <= bytes_max(&logged), "{bytes} bytes");
    }

    #[test]
    fn a_record_is_appended_to_what_is_there(logged in any_event()) {
        let mut out = vec![7, 8, 9];
        encode(&logged.event(), &mut out);
        prop_assert_eq!(&out[..3], &[7, 8, 9]);
        prop_assert_eq!(decode(&out[3..]), Ok(logged.record));
    }

    #[test]
    fn neighbours_in_the_same_windows_share_them(logged in any_event()) {
        if let Ok(Record::Applied(applied)) = decode(&encoded(&logged)) {
            for pair in applied.items.windows(2) {
                if pair[0].windows == pair[1].windows {
                    prop_assert!(Arc::ptr_eq(&pair[0].windows, &pair[1].windows));
                }
            }
        }
    }

    #[test]
    fn a_record_cut_short_is_refused(logged in any_event()) {
        let bytes = encoded(&logged);
        for len in 0..bytes.len() {
            prop_assert!(decode(&bytes[..len]).is_err(), "{len} of {}", bytes.len());
        }
    }

    #[test]
    fn a_record_with_additional_bytes_is_rejected(logged in any_event(), more in vec(0_u8..8, 1..20)) {
        let mut bytes = encoded(&logged);
        bytes.extend(&more);
        let refused = decode(&bytes);
        if matches!(logged.record, Record::KindWritten { .. }) {
            prop_assert!(matches!(refused, Err(Malformed::Invalid("a kind", _))));
        } else {
            prop_assert_eq!(refused, Err(Malformed::Trailing(more.len())));
        }
    }

    #[test]
    fn changed_bytes_never_panic(
        logged in any_event(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = encoded(&logged);
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        // Accepted or rejected: the test checks that it ends.
        drop(decode(&bytes));
    }

    #[test]
    fn arbitrary_bytes_never_panic(of in 0_u8..12, rest in vec(any::<u8>(), 0..200)) {
        let mut bytes = vec![of];
        bytes.extend(rest);
        drop(decode(&bytes));
    }
}

#[test]
fn counts_beyond_the_bytes_are_rejected_before_memory_is_reserved() {
    let mut windows = vec![5];
    windows.extend([0; 10]);
    windows.extend([0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 4]);
    let refused = decode(&windows);
    let number = u64::from(u32::MAX);
    assert_eq!(
        refused,
        Err(Malformed::OutOfRange("a number of windows", number))
    );

    let mut items = vec![4];
    items.extend([0; 19]);
    items.extend([0xFF, 0xFF, 0xFF, 0xFF, 0, 1]);
    let refused = decode(&items);
    assert_eq!(
        refused,
        Err(Malformed::OutOfRange("a number of items", number))
    );
}

#[test]
fn the_longest_item_is_as_long_as_its_bound() {
    let longest = items::longest_item();
    let member_bytes = longest.member.as_bytes().len();
    let logged = |items| encoded(&LoggedEvent::applied(items)).len();
    let (none, one) = (logged(vec![]), logged(vec![longest.clone()]));
    // Three periods after the 9 bytes of a number of 63 bits, and one without a start.
    let windows_bytes = size::ITEM_WINDOWS_BYTES_MAX - super::super::bytes::VARINT_BYTES_MAX;
    assert_eq!(
        one - none,
        size::ITEM_BYTES_MAX + member_bytes + windows_bytes
    );
    let two = logged(vec![longest.clone(), longest.clone()]);
    assert_eq!(two - one, size::ITEM_BYTES_MAX + member_bytes);
}

#[test]
fn a_usual_item_takes_few_bytes_beside_its_member() {
    let item = items::usual_item("user-123456", None);
    let ten = encoded(&LoggedEvent::applied(vec![item; 10])).len();
    let item = items::usual_item("user-123456", Some(1 << 70));
    let ten_with_ids = encoded(&LoggedEvent::applied(vec![item; 10])).len();
    assert_eq!([ten, ten_with_ids], [236, 346]);
}
