//! Random contents of snapshots.

use std::collections::HashSet;
use std::sync::Arc;

use board::{Incarnation, Kind, KindName, Member, Period, Profile, ShardCount, Subject, Window};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any};
use proptest::sample::select;

use super::super::{PartHead, WindowHead};
use super::contents::{Contents, Part, Rows};
use crate::files::record::tests::any_event::{activity, name, profile_change, time};
use crate::files::record::tests::any_kind::{kind, kind_name, kind_record};
use shard_store::ProfileChange;

pub(super) fn any_contents() -> impl Strategy<Value = Contents> {
    let definitions = vec(kind().prop_map(Arc::new), 1..4);
    let with_parts = definitions.prop_flat_map(|definitions| {
        let parts = vec(part(definitions.clone()), 0..6);
        (Just(definitions), parts)
    });
    (
        any::<u64>(),
        with_parts,
        vec(kind_record(), 0..4),
        profiles(),
    )
        .prop_map(
            |(sequence, (definitions, parts), kinds, profiles)| Contents {
                sequence,
                definitions,
                parts,
                profiles,
                kinds,
            },
        )
}

fn profiles() -> impl Strategy<Value = Vec<(KindName, Vec<(Member, Profile)>)>> {
    let of_kind = vec(profile_change(), 1..9).prop_map(|changes| {
        let profile = |change: ProfileChange| Some((change.member, change.profile?));
        changes.into_iter().filter_map(profile).collect::<Vec<_>>()
    });
    vec((kind_name(), of_kind), 0..4).prop_map(|mut all| {
        all.retain(|(_, profiles)| !profiles.is_empty());
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        all.dedup_by(|(a, _), (b, _)| a == b);
        all
    })
}

fn part(definitions: Vec<Arc<Kind>>) -> impl Strategy<Value = Part> {
    (0..definitions.len()).prop_flat_map(move |place| {
        let kind = definitions[place].clone();
        let ids = vec((time(), vec(any::<[u32; 4]>(), 0..5)), 0..=2);
        let windows = vec(window(kind.rules().standing_len()), 0..4);
        let dropped = option::of(vec((select(&Period::ALL_PERIODS), time()), 0..4));
        (head(place), dropped, ids, windows).prop_map(|(head, dropped, ids, mut windows)| {
            windows.sort_by_key(|(head, _)| head.window);
            windows.dedup_by_key(|(head, _)| head.window);
            Part {
                head,
                dropped,
                ids,
                windows,
            }
        })
    })
}

fn head(place: usize) -> impl Strategy<Value = PartHead> {
    let numbers = (
        any::<u64>(),
        any::<u64>(),
        0..=12_u32,
        any::<u16>(),
        any::<bool>(),
    );
    (name(), numbers, activity(), any::<bool>(), time()).prop_map(
        move |(
            subject,
            (incarnation, sequence, shards, part, split),
            activity,
            created,
            last_write,
        )| {
            let shards = ShardCount::new(1 << shards).unwrap();
            let parts = if split { shards.get() } else { 1 };
            PartHead {
                subject: Subject::new(&subject).unwrap(),
                incarnation: Incarnation(incarnation),
                shards,
                activity,
                created,
                last_write,
                kind: u32::try_from(place).unwrap(),
                parts,
                part: part % parts,
                sequence,
            }
        },
    )
}

fn window(words: usize) -> impl Strategy<Value = (WindowHead, Rows)> {
    let rows = vec((name(), vec(any::<u64>(), words)), 0..8);
    let numbers = (any::<u64>(), any::<u64>());
    (select(&Period::ALL_PERIODS), time(), numbers, rows).prop_map(
        |(period, start, (counter, digest), mut rows)| {
            let mut seen = HashSet::new();
            rows.retain(|(member, _)| seen.insert(member.clone()));
            let head = WindowHead {
                window: Window::starting_at(period, start),
                counter,
                digest,
                rows: rows.len() as u64,
            };
            (head, rows)
        },
    )
}
