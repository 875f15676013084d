//! `docs/commands.md` has a section for each command of the binary.

use testkit::cli;

use super::page;

#[test]
fn every_command_has_a_section() {
    let help = cli::run(&["--help"], b"").stdout;
    let (_, listed) = help.split_once("\nCommands:\n").unwrap();
    let (listed, _) = listed.split_once("\n\n").unwrap();
    let commands = listed.lines().map(|line| line.split_whitespace().next());
    let mut commands: Vec<&str> = commands.flatten().filter(|name| *name != "help").collect();
    let page = page("docs/commands.md");
    let headings = page.lines().filter_map(|line| line.strip_prefix("### `"));
    let mut described: Vec<&str> = headings.filter_map(|name| name.strip_suffix('`')).collect();
    commands.sort_unstable();
    described.sort_unstable();
    assert_eq!(described, commands);
}
