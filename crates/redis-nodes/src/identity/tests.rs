//! The identities of the servers of a list.

use super::*;

fn address(name: &str) -> Address {
    Address::new(name, 6379)
}

fn addresses(names: &[&str]) -> Vec<Address> {
    names.iter().map(|name| address(name)).collect()
}

fn is(id: u64, registry: u64) -> Expected {
    let (id, registry) = (ServerId(id), ServerId(registry));
    Expected { id, registry }
}

fn ids(ids: &[u64]) -> Vec<ServerId> {
    ids.iter().copied().map(ServerId).collect()
}

/// New identities are 101, 102, ...
fn decide(
    servers: &[&str],
    found: &[Option<Expected>],
    members: &[u64],
    accept_empty: &[&str],
) -> Result<Roster, String> {
    let mut drawn = 100;
    let draw = || {
        drawn += 1;
        ServerId(drawn)
    };
    let (servers, accept_empty) = (addresses(servers), addresses(accept_empty));
    roster(&servers, found, &ids(members), &accept_empty, draw)
}

#[test]
fn the_first_start_gives_identities() {
    let first = decide(&["a", "b"], &[None, None], &[], &[]).unwrap();
    let expected = Roster {
        registry: ServerId(101),
        ids: ids(&[101, 102]),
        empty: vec![0, 1],
        stand_ins: vec![],
    };
    assert_eq!(first, expected);
}

#[test]
fn later_each_server_keeps_its_identity() {
    let found = [Some(is(3, 1)), Some(is(1, 1)), Some(is(2, 1))];
    let later = decide(&["c", "a", "b"], &found, &[1, 2, 3], &[]).unwrap();
    assert_eq!(later.ids, ids(&[3, 1, 2]));
    assert_eq!(later.registry, ServerId(1));
    assert!(later.empty.is_empty() && later.stand_ins.is_empty());
    // The list of members may not be up to date.
    assert!(decide(&["c", "a", "b"], &found, &[1], &[]).is_ok());
}

#[test]
fn an_empty_server_is_accepted_only_when_configured() {
    let found = [Some(is(1, 1)), None];
    let refused = decide(&["a", "b"], &found, &[1], &[]).unwrap_err();
    assert!(refused.contains("b:6379 has no identity"), "{refused}");
    let new = decide(&["a", "b"], &found, &[1], &["b"]).unwrap();
    assert_eq!((new.ids, new.stand_ins), (ids(&[1, 101]), vec![]));
    let stand_in = decide(&["a", "b"], &found, &[1, 2], &["b"]).unwrap();
    assert_eq!((stand_in.ids, stand_in.stand_ins), (ids(&[1, 2]), vec![1]));
    let registry = decide(&["a", "b"], &[Some(is(1, 2)), None], &[], &["b"]).unwrap();
    assert_eq!((registry.ids, registry.stand_ins), (ids(&[1, 2]), vec![1]));
    let two = decide(
        &["a", "b", "c"],
        &[Some(is(1, 1)), None, None],
        &[1, 2],
        &["b", "c"],
    )
    .unwrap();
    assert_eq!((two.ids, two.stand_ins), (ids(&[1, 2, 101]), vec![1]));
}

#[test]
fn a_missing_server_is_named() {
    for (found, members) in [(Some(is(1, 1)), vec![1, 7]), (Some(is(1, 7)), vec![])] {
        let refused = decide(&["a"], &[found], &members, &[]).unwrap_err();
        assert!(refused.contains("is server 0000000000000007"), "{refused}");
    }
}

#[test]
fn foreign_and_duplicate_servers_are_rejected() {
    let strangers = decide(&["a", "b"], &[Some(is(1, 1)), Some(is(2, 2))], &[], &[]).unwrap_err();
    assert!(
        strangers.contains("a:6379 and b:6379 belong to different stores"),
        "{strangers}"
    );
    let found = [Some(is(1, 1)), Some(is(2, 1)), Some(is(2, 1))];
    let twins = decide(&["a", "b", "c"], &found, &[1, 2], &[]).unwrap_err();
    assert!(
        twins.contains("b:6379 and c:6379 are both server"),
        "{twins}"
    );
}
