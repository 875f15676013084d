//! The Dockerfile: what the image starts with.

use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::{PORT, reads, takes, text, texts};

/// What follows an instruction of the image that is kept, lines that go on put together.
fn told(instruction: &str) -> Vec<String> {
    let text = text("Dockerfile").replace("\\\n", " ");
    let kept = text.rfind("\nFROM ").unwrap();
    let lines = text[kept..].lines();
    lines
        .filter_map(|line| Some(line.strip_prefix(instruction)?.trim().to_owned()))
        .collect()
}

/// The one list that an instruction is followed by.
fn list(instruction: &str) -> Value {
    let [told] = &told(instruction)[..] else {
        panic!("{instruction} is there once")
    };
    let begin = told.find('[').unwrap();
    serde_json::from_str(&told[begin..]).unwrap()
}

#[test]
fn the_binary_is_stripped_by_a_command_that_strip_takes() {
    let text = text("Dockerfile");
    let strip = text.lines().find_map(|line| {
        let command = line.trim().strip_prefix("&& strip ")?;
        Some(command.trim_end_matches(['\\', ' ']))
    });
    let folder = TempDir::new().unwrap();
    let [built, stripped] = ["built", "stripped"].map(|name| folder.path().join(name));
    std::fs::copy("/bin/true", &built).unwrap();
    let options = strip
        .unwrap()
        .strip_suffix(" /usr/local/bin/megaboard target/dist/megaboard");
    let mut command = Command::new("strip");
    command.args(options.unwrap().split(' '));
    let told = command.arg(&stripped).arg(&built).output().unwrap();
    assert!(told.status.success(), "{command:?}: {told:?}");
    assert!(Command::new(&stripped).status().unwrap().success());
}

#[test]
fn the_program_takes_what_the_image_calls_it_with() {
    assert_eq!(texts(&list("ENTRYPOINT")), ["megaboard"]);
    takes(&texts(&list("CMD ")));
    let check = list("HEALTHCHECK");
    // Not `ready`: Swarm would restart every server whose store is away.
    assert_eq!(texts(&check), ["megaboard", "alive"]);
    takes(&texts(&check)[1..]);
}

#[test]
fn it_listens_where_it_says_and_keeps_boards_in_the_volume() {
    let set = told("ENV").join(" ");
    let set: Vec<(&str, &str)> = set
        .split_whitespace()
        .map(|set| set.split_once('=').unwrap())
        .collect();
    reads(set.iter().map(|(name, _)| *name));
    let of = |name| set.iter().find(|set| set.0 == name).unwrap().1;
    assert_eq!(of("MEGABOARD_LISTEN"), format!("0.0.0.0:{PORT}"));
    assert_eq!(told("EXPOSE"), [PORT.to_string()]);
    let volume = texts(&list("VOLUME"))[0].to_owned();
    assert!(of("MEGABOARD_STORE").starts_with(&format!("embedded:{volume}/")));
}

#[test]
fn it_runs_as_nobody() {
    let user = told("USER");
    let number = user[0].split(':').next().unwrap();
    // A number, so that Kubernetes sees that it is not root.
    assert!(number.parse::<u32>().is_ok_and(|number| number > 0));
}
