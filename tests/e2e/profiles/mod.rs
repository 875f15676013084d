//! Profiles of members: written once for each kind, and shown by the reads of its boards.

mod shared;
mod written;

testkit::calls!(erased, shown, written);

use serde_json::{Value, json};
use testkit::{Response, Server};

/// A cached top is as old as an hour.
const KINDS: &str = "[kinds.gifts]\nwindows = [\"all\", \"day\"]\nmax_staleness = \"1h\"\nshards = 4\n\
    [kinds.races]\nwindows = [\"all\"]\nmax_staleness = \"0s\"\n";

fn path_of(kind: &str, member: &str) -> String {
    format!("/v1/kinds/{kind}/members/{member}/profile")
}

fn put(server: &Server, kind: &str, member: &str, name: &str) {
    let profile = json!({"name": name});
    assert_eq!(server.put(path_of(kind, member), &profile).ok(), profile);
}

/// The names in the entries of a response, by member.
fn names(response: &Response) -> Vec<(String, Value)> {
    let entries = response.entries().into_iter();
    let name = |entry: Value| {
        let member = entry["member"].as_str().unwrap().to_owned();
        (member, entry["profile"]["name"].clone())
    };
    entries.map(name).collect()
}

/// The same as what is expected.
fn named(expected: &[(&str, Option<&str>)]) -> Vec<(String, Value)> {
    let named = expected.iter();
    named
        .map(|(member, name)| ((*member).to_owned(), json!(name)))
        .collect()
}
