//! The Dockerfile of the image.

use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::{PORT, assert_accepts, assert_reads, text, texts};

/// Returns the arguments of an instruction in the final stage, with continued lines joined.
fn arguments_of(instruction: &str) -> Vec<String> {
    let text = text("Dockerfile").replace("\\\n", " ");
    let kept = text.rfind("\nFROM ").unwrap();
    let lines = text[kept..].lines();
    lines
        .filter_map(|line| Some(line.strip_prefix(instruction)?.trim().to_owned()))
        .collect()
}

/// Returns the JSON array of an instruction that occurs once.
fn list(instruction: &str) -> Value {
    let [arguments] = &arguments_of(instruction)[..] else {
        panic!("{instruction} must occur once")
    };
    let begin = arguments.find('[').unwrap();
    serde_json::from_str(&arguments[begin..]).unwrap()
}

#[test]
fn strip_accepts_the_command_line() {
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
    let output = command.arg(&stripped).arg(&built).output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    assert!(Command::new(&stripped).status().unwrap().success());
}

#[test]
fn the_program_accepts_the_command_lines() {
    assert_eq!(texts(&list("ENTRYPOINT")), ["megaboard"]);
    assert_accepts(&texts(&list("CMD ")));
    let check = list("HEALTHCHECK");
    // Not `ready`: Swarm would restart every server whose store is unavailable.
    assert_eq!(texts(&check), ["megaboard", "alive"]);
    assert_accepts(&texts(&check)[1..]);
}

#[test]
fn the_image_exposes_its_port_and_stores_boards_in_the_volume() {
    let set = arguments_of("ENV").join(" ");
    let set: Vec<(&str, &str)> = set
        .split_whitespace()
        .map(|set| set.split_once('=').unwrap())
        .collect();
    assert_reads(set.iter().map(|(name, _)| *name));
    let of = |name| set.iter().find(|set| set.0 == name).unwrap().1;
    assert_eq!(of("MEGABOARD_LISTEN"), format!("0.0.0.0:{PORT}"));
    assert_eq!(arguments_of("EXPOSE"), [PORT.to_string()]);
    let volume = texts(&list("VOLUME"))[0].to_owned();
    assert!(of("MEGABOARD_STORE").starts_with(&format!("embedded:{volume}/")));
}

#[test]
fn the_image_does_not_run_as_root() {
    let user = arguments_of("USER");
    let number = user[0].split(':').next().unwrap();
    // A number, so that Kubernetes can check that it is not root.
    assert!(number.parse::<u32>().is_ok_and(|number| number > 0));
}
