//! The systemd unit.

use super::{STOP_S, assert_accepts, text};

/// Returns the values of a setting of the unit.
fn values_of(setting: &str) -> Vec<String> {
    let text = text("systemd/megaboard.service");
    let lines = text.lines().filter_map(|line| line.split_once('='));
    lines
        .filter(|(name, _)| *name == setting)
        .map(|(_, value)| value.to_owned())
        .collect()
}

#[test]
fn the_program_accepts_the_command_line() {
    let start = values_of("ExecStart");
    let mut words = start[0].split(' ');
    assert!(words.next().unwrap().ends_with("/megaboard"));
    assert_accepts(&words.collect::<Vec<_>>());
    // `crates/megaboard/src/reload.rs` reloads the keys at SIGHUP.
    assert_eq!(values_of("ExecReload"), ["/bin/kill -HUP $MAINPID"]);
}

#[test]
fn the_unit_has_few_rights_and_enough_time_to_stop() {
    let stop = values_of("TimeoutStopSec");
    let seconds: u64 = stop[0].strip_suffix('s').unwrap().parse().unwrap();
    assert!(seconds >= STOP_S);
    for (setting, value) in [
        ("DynamicUser", "yes"),
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"),
        ("CapabilityBoundingSet", ""),
    ] {
        assert_eq!(values_of(setting), [value], "{setting}");
    }
}

#[test]
fn the_unit_can_read_the_metrics_of_its_process() {
    // The start time of a process, and so the metric of restarts, requires /proc/stat.
    let subset = values_of("ProcSubset");
    assert!(subset.iter().all(|value| value == "all"), "{subset:?}");
}
