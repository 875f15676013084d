//! The unit of systemd.

use super::{STOP_S, takes, text};

/// What a setting of the unit says, each time that it stands there.
fn told(setting: &str) -> Vec<String> {
    let text = text("systemd/megaboard.service");
    let lines = text.lines().filter_map(|line| line.split_once('='));
    lines
        .filter(|(name, _)| *name == setting)
        .map(|(_, value)| value.to_owned())
        .collect()
}

#[test]
fn the_program_takes_what_the_unit_calls_it_with() {
    let start = told("ExecStart");
    let mut words = start[0].split(' ');
    assert!(words.next().unwrap().ends_with("/megaboard"));
    takes(&words.collect::<Vec<_>>());
    // What crates/megaboard/src/reload.rs reads the keys at.
    assert_eq!(told("ExecReload"), ["/bin/kill -HUP $MAINPID"]);
}

#[test]
fn it_has_time_to_stop_and_few_rights() {
    let stop = told("TimeoutStopSec");
    let seconds: u64 = stop[0].strip_suffix('s').unwrap().parse().unwrap();
    assert!(seconds >= STOP_S);
    for (setting, value) in [
        ("DynamicUser", "yes"),
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"),
        ("CapabilityBoundingSet", ""),
    ] {
        assert_eq!(told(setting), [value], "{setting}");
    }
}

#[test]
fn it_sees_what_it_reports_of_its_process() {
    // Without /proc/stat nobody knows when a process began, and nothing tells of restarts.
    let seen = told("ProcSubset");
    assert!(seen.iter().all(|seen| seen == "all"), "{seen:?}");
}
