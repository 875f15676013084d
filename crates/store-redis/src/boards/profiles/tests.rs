//! Profiles in Redis: which keys they take, and what is left of those of deleted kinds.

use board::{Member, Profile};
use redis_nodes::registry_key;
use testkit::redis::Reply;

use super::*;
use crate::boards::fixtures::gifts::{day, gifts};
use crate::boards::fixtures::parts::OpenedParts;

fn changes(json: Option<&str>) -> Vec<ProfileChange> {
    let change = |number: u32| ProfileChange {
        member: Member::new(&format!("u{number}")).unwrap(),
        profile: json.map(|json| Profile::new(json).unwrap()),
    };
    (0..200).map(change).collect()
}

async fn kind(opened: &OpenedParts, revision: u64) -> KindRecord {
    let kind = Arc::new(gifts(vec![day()]));
    let put = opened.registry.put_kind(kind, Revision(revision), false);
    put.await.unwrap()
}

/// The keys of profiles.
fn keys_of(opened: &OpenedParts) -> Vec<String> {
    let keys = opened
        .redis
        .command(&[b"KEYS".as_slice(), b"megaboard:{*}:gifts:profiles:*"]);
    let keys = keys.items().iter().map(|key| key.text().to_owned());
    keys.collect()
}

#[tokio::test]
async fn profiles_of_a_deleted_kind_are_removed_and_their_place_forgotten_later() {
    let opened = OpenedParts::plain().await;
    let profiles = Profiles::new(&opened);
    let first = kind(&opened, 0).await;
    let put = changes(Some("{}"));
    profiles.put(&first, &put).await.unwrap();
    let place = opened.registry.profiles_place(&first.name).await;
    let place = place.unwrap().unwrap();
    let keys = keys_of(&opened);
    assert!((60..=64).contains(&keys.len()), "200 members in 64 shards");
    opened
        .registry
        .delete_kind(&first.name, first.revision)
        .await
        .unwrap();
    let second = kind(&opened, 2).await;
    profiles.put(&second, &put[..1]).await.unwrap();
    assert_eq!(keys_of(&opened).len(), keys.len() + 1);
    profiles.drop_ended().await.unwrap();
    assert_eq!(keys_of(&opened).len(), 1);
    // A write that had begun before the end.
    opened
        .redis
        .command(&[b"HSET".as_slice(), keys[0].as_bytes(), b"u1", b"{}"]);
    profiles.drop_ended().await.unwrap();
    assert_eq!(keys_of(&opened).len(), 1);
    let ended = opened.registry.ended_profiles().await.unwrap();
    assert_eq!(ended, [place]);
    // An hour later.
    let key = registry_key("ended_profiles");
    let Reply::Array(lines) = opened
        .redis
        .command(&[b"ZRANGE".as_slice(), &key, b"0", b"-1"])
    else {
        panic!("no list")
    };
    opened.redis.command(&[
        b"ZINCRBY".as_slice(),
        &key,
        b"-3600001",
        lines[0].text().as_bytes(),
    ]);
    profiles.drop_ended().await.unwrap();
    assert_eq!(opened.registry.ended_profiles().await.unwrap(), []);
    let members: Vec<Member> = put.iter().map(|change| change.member.clone()).collect();
    let found = profiles.get(&second, &members).await.unwrap();
    assert_eq!(found.iter().flatten().count(), 1);
}

#[tokio::test]
async fn a_write_by_an_earlier_revision_goes_to_the_kind_that_is_there() {
    let opened = OpenedParts::plain().await;
    let profiles = Profiles::new(&opened);
    let first = kind(&opened, 0).await;
    let put = changes(Some("{}"));
    profiles.put(&first, &put).await.unwrap();
    let members: Vec<Member> = put.iter().map(|change| change.member.clone()).collect();
    let found = profiles.get(&first, &members).await.unwrap();
    assert_eq!(found.iter().flatten().count(), 200);
    let deleted = opened.registry.delete_kind(&first.name, first.revision);
    deleted.await.unwrap();
    assert_eq!(
        profiles.put(&first, &put[..1]).await,
        Err(StoreError::StaleKind)
    );
    let second = kind(&opened, 2).await;
    profiles.put(&first, &put[..1]).await.unwrap();
    let found = profiles.get(&second, &members).await.unwrap();
    assert_eq!(found.iter().flatten().count(), 1);
    profiles.put(&first, &changes(None)).await.unwrap();
    let found = profiles.get(&second, &members).await.unwrap();
    assert_eq!(found.iter().flatten().count(), 0);
}
