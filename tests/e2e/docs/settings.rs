//! Every setting of a kind has a section with an example in `docs/kinds.md`, which a server accepts
//! in its configuration file and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;
use testkit::Server;

use super::generated::Contract;
use super::page;

/// The target of the example of `publish`, which needs not be reachable.
const TARGET: &str = "[publish.targets.readers]\nurl = \"redis://127.0.0.1:1\"\n";

/// Returns the first indented block of each section `### NAME`, without its indentation.
fn examples(page: &str) -> BTreeMap<&str, String> {
    let sections = page.split("\n### ").skip(1);
    let named = sections.filter_map(|section| {
        let (heading, text) = section.split_once('\n')?;
        let name = heading.strip_prefix('`')?.strip_suffix('`')?;
        let mut lines = text.lines().skip_while(|line| !line.starts_with("    "));
        let block: Vec<&str> = std::iter::from_fn(|| lines.next()?.strip_prefix("    ")).collect();
        Some((name, block.join("\n")))
    });
    named.collect()
}

#[test]
fn every_setting_has_an_example_that_works() {
    let (contract, page) = (Contract::read(), page("docs/kinds.md"));
    let examples = examples(&page);
    let names: Vec<&str> = contract.settings().iter().map(|(name, _)| *name).collect();
    let mut config = TARGET.to_owned();
    for (n, name) in names.iter().enumerate() {
        let example = examples.get(name).filter(|example| !example.is_empty());
        let example = example.unwrap_or_else(|| {
            panic!("docs/kinds.md has no section ### `{name}` with an example of the setting")
        });
        writeln!(config, "[kinds.example-{n}]\n{example}").unwrap();
    }
    config += "[kinds.defaults]\n";
    let server = Server::with(&config);
    let settings = |kind: &str| {
        let mut settings = server.get(format!("/v1/kinds/{kind}")).ok();
        settings.as_object_mut().unwrap().remove("kind");
        settings
    };
    let defaults = settings("defaults");
    for (n, name) in names.iter().enumerate() {
        let set: Value = settings(&format!("example-{n}"));
        assert_ne!(set.get(name), None, "{name}: {set}");
        assert_ne!(
            set.get(name),
            defaults.get(name),
            "the example of {name} has the default"
        );
        let put = server.put(format!("/v1/kinds/put-{n}"), &set).is(201);
        assert_eq!(put.get(name), set.get(name), "{name}");
    }
    let unknown: Vec<&&str> = examples
        .keys()
        .filter(|name| !names.contains(name))
        .collect();
    assert!(unknown.is_empty(), "there are no settings {unknown:?}");
}
