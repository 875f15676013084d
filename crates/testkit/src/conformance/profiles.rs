//! A kind has a profile of each member for all its boards, until the member's is deleted, or the kind.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::dice::{Dice, Seed};
use board::limits::PROFILE_BYTES_MAX;
use board::{Member, Profile};
use shard_store::{KindRecord, PROFILE_CHANGES_MAX, ProfileChange, Revision, StoreError};

use crate::conformance::fixtures::{OpenStore, gifts, member};

fn profile(json: &str) -> Profile {
    Profile::new(json).unwrap()
}

fn change(name: &str, profile: Option<Profile>) -> ProfileChange {
    ProfileChange {
        member: member(name),
        profile,
    }
}

async fn profiles(store: &OpenStore, kind: &KindRecord, members: &[&str]) -> Vec<Option<Profile>> {
    let members: Vec<Member> = members.iter().map(|name| member(name)).collect();
    store.profiles(kind, &members).await.unwrap()
}

pub async fn the_last_profile_of_a_member_is_returned(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    assert_eq!(profiles(&store, &kind, &["ann", "ben"]).await, [None, None]);
    let nothing = store.put_profiles(&kind, &[change("ann", None)]).await;
    assert_eq!(nothing, Ok(()), "there is none to delete");
    let ann = Some(profile(r#"{"name":"Ann"}"#));
    let ben = Some(profile(r#"{"name":"Ben"}"#));
    let both = [change("ann", ann.clone()), change("ben", ben.clone())];
    // Again, as after a lost reply.
    for _ in 0..2 {
        store.put_profiles(&kind, &both).await.unwrap();
        let found = profiles(&store, &kind, &["ben", "nobody", "ann", "ben"]).await;
        assert_eq!(found, [ben.clone(), None, ann.clone(), ben.clone()]);
    }
    // Of one call, in its order.
    let first = Some(profile("{\"data\":[1]}"));
    let last = Some(profile("{\"data\":\"\u{fc}\"}"));
    let changes = [
        change("ann", first),
        change("ben", None),
        change("ann", last.clone()),
    ];
    store.put_profiles(&kind, &changes).await.unwrap();
    let found = profiles(&store, &kind, &["ann", "ben"]).await;
    assert_eq!(found, [last.clone(), None]);
    let deletions = [change("ben", None), change("ann", None)];
    store.put_profiles(&kind, &deletions).await.unwrap();
    assert_eq!(profiles(&store, &kind, &["ann", "ben"]).await, [None, None]);
    assert_eq!(profiles(&store, &kind, &[]).await, []);
    store.put_profiles(&kind, &[]).await.unwrap();
}

pub async fn the_longest_profiles_fit_into_one_call(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let longest = format!("{{\"data\":\"{}\"}}", "x".repeat(PROFILE_BYTES_MAX - 11));
    let changes = (0..PROFILE_CHANGES_MAX).map(|number| ProfileChange {
        member: member(&format!("{number:0>128}")),
        profile: Some(profile(&longest)),
    });
    let changes: Vec<ProfileChange> = changes.collect();
    store.put_profiles(&kind, &changes).await.unwrap();
    let members: Vec<Member> = changes.into_iter().map(|change| change.member).collect();
    let found = store.profiles(&kind, &members).await.unwrap();
    assert!(found.iter().all(|found| *found == Some(profile(&longest))));
}

pub async fn profiles_belong_to_one_kind(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let other = gifts(|spec| spec.name = "likes".parse().unwrap());
    let other = store.kind(other).await;
    let ann = [Some(profile(r#"{"name":"Ann"}"#))];
    let put = [change("ann", ann[0].clone())];
    store.put_profiles(&kind, &put).await.unwrap();
    assert_eq!(profiles(&store, &other, &["ann"]).await, [None]);
    // A change of the kind does not matter.
    let changed = Arc::new(gifts(|spec| spec.top = 7));
    let changed = store.put_kind(changed, Revision(1), false).await.unwrap();
    for kind in [&kind, &changed] {
        assert_eq!(profiles(&store, kind, &["ann"]).await, ann);
    }
}

pub async fn profiles_are_deleted_with_their_kind(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let put = [change("ann", Some(profile(r#"{"name":"Ann"}"#)))];
    let unknown = KindRecord {
        name: "likes".parse().unwrap(),
        ..kind.clone()
    };
    let refused = store.put_profiles(&unknown, &put).await;
    assert_eq!(refused, Err(StoreError::StaleKind));
    store.put_profiles(&kind, &put).await.unwrap();
    assert_eq!(
        profiles(&store, &kind, &["ann"]).await,
        [put[0].profile.clone()]
    );
    store.delete_kind(&kind.name, Revision(1)).await.unwrap();
    let refused = store.put_profiles(&kind, &put).await;
    assert_eq!(refused, Err(StoreError::StaleKind));
    let deleted = store.kinds().await.unwrap().remove(0);
    assert_eq!(profiles(&store, &deleted, &["ann"]).await, [None]);
    let afresh = Arc::new(gifts(|_| ()));
    let afresh = store.put_kind(afresh, Revision(2), false).await.unwrap();
    assert_eq!(profiles(&store, &afresh, &["ann"]).await, [None]);
    let put = [change("ben", Some(profile(r#"{"name":"Ben"}"#)))];
    store.put_profiles(&afresh, &put).await.unwrap();
    let found = profiles(&store, &afresh, &["ann", "ben"]).await;
    assert_eq!(found, [None, put[0].profile.clone()]);
    // A sweep removes what is left of the earlier one only.
    store
        .drop_expired(crate::conformance::fixtures::NOW)
        .await
        .unwrap();
    let found = profiles(&store, &afresh, &["ann", "ben"]).await;
    assert_eq!(found, [None, put[0].profile.clone()]);
}

pub async fn many_profiles_agree_with_a_map(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let mut dice = Dice::new(Seed::of_this_run().0);
    let mut twin: BTreeMap<Member, Profile> = BTreeMap::new();
    let longest = format!("{{\"data\":\"{}\"}}", "x".repeat(PROFILE_BYTES_MAX - 11));
    let any_member = |dice: &mut Dice| member(&format!("u{}", dice.below(3_000)));
    for round in 0..store.runs(64, 640) {
        let count = *dice.pick(&[1, 10, PROFILE_CHANGES_MAX]);
        let changes = (0..count).map(|_| ProfileChange {
            member: any_member(&mut dice),
            profile: match dice.below(4) {
                0 => None,
                1 if count <= 10 => Some(profile(&longest)),
                _ => Some(profile(&format!(
                    "{{\"data\":[{round},{}]}}",
                    dice.below(100)
                ))),
            },
        });
        let changes: Vec<ProfileChange> = changes.collect();
        store.put_profiles(&kind, &changes).await.unwrap();
        for ProfileChange { member, profile } in changes {
            match profile {
                Some(profile) => twin.insert(member, profile),
                None => twin.remove(&member),
            };
        }
        let some: Vec<Member> = (0..100).map(|_| any_member(&mut dice)).collect();
        let expected: Vec<_> = some.iter().map(|name| twin.get(name).cloned()).collect();
        assert_eq!(store.profiles(&kind, &some).await.unwrap(), expected);
    }
    let all: Vec<Member> = (0..3_000).map(|n| member(&format!("u{n}"))).collect();
    let expected: Vec<_> = all.iter().map(|name| twin.get(name).cloned()).collect();
    assert_eq!(store.profiles(&kind, &all).await.unwrap(), expected);
}
