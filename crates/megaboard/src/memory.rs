//! The server's memory: its limit ([`MemoryLimit`]) and its use ([`watch`]).
//!
//! By default a server may use three quarters of the memory of its control group, or otherwise of its machine. The
//! rest is for temporary needs: recovery, snapshots. [`api::MemoryBudget`] divides the limit.

use std::fs;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use shard_store::Memory;

/// The default limit as a fraction of the available memory: numerator and denominator.
const SHARE: (u64, u64) = (3, 4);

/// How often resident memory is read.
const READ_INTERVAL: Duration = Duration::from_millis(100);

/// How often it is read above three quarters of the limit.
const READ_INTERVAL_NEAR: Duration = Duration::from_millis(10);

/// The maximum memory of the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum MemoryLimit {
    /// A fraction of the available memory.
    #[default]
    Share,
    Bytes(u64),
    Unlimited,
}

/// A text that is not a valid limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a number of bytes (900MB, 2GiB, 1073741824) or none")]
pub(crate) struct UnknownLimit(String);

impl FromStr for MemoryLimit {
    type Err = UnknownLimit;

    fn from_str(text: &str) -> Result<Self, UnknownLimit> {
        let text = text.trim();
        if text == "none" {
            return Ok(Self::Unlimited);
        }
        let end = text.find(|c: char| !c.is_ascii_digit());
        let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
        let unit: Option<u64> = match unit.trim() {
            "" | "B" => Some(1),
            "kB" | "KB" => Some(1_000),
            "MB" => Some(1_000_000),
            "GB" => Some(1_000_000_000),
            "TB" => Some(1_000_000_000_000),
            "KiB" => Some(1 << 10),
            "MiB" => Some(1 << 20),
            "GiB" => Some(1 << 30),
            "TiB" => Some(1 << 40),
            _ => None,
        };
        let count = digits.parse().ok().filter(|count: &u64| *count > 0);
        let bytes = count
            .zip(unit)
            .and_then(|(count, unit)| count.checked_mul(unit));
        bytes
            .map(Self::Bytes)
            .ok_or_else(|| UnknownLimit(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for MemoryLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// A number, or a text with a unit.
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a number of bytes, or a text such as \"2GiB\"")]
        enum Shape {
            Bytes(u64),
            Text(String),
        }
        let text = match Shape::deserialize(deserializer)? {
            Shape::Bytes(bytes) => bytes.to_string(),
            Shape::Text(text) => text,
        };
        // Omits the text: errors of the configuration file do not repeat values.
        text.parse::<Self>().map_err(|_| {
            serde::de::Error::custom(
                "it is not a number of bytes (900MB, 2GiB, 1073741824) or none",
            )
        })
    }
}

impl MemoryLimit {
    /// Returns the limit in bytes on this machine.
    pub(crate) fn memory(self) -> Memory {
        let bytes = match self {
            Self::Unlimited => None,
            Self::Bytes(bytes) => Some(bytes),
            Self::Share => {
                let available = available(Path::new("/"));
                if available.is_none() {
                    tracing::warn!(
                        "memory has no limit: the available memory could not be determined"
                    );
                }
                available.map(|bytes| bytes / SHARE.1 * SHARE.0)
            }
        };
        bytes.map_or_else(Memory::default, Memory::with_limit)
    }
}

/// Returns the available memory: the limit of the control group if it has one, otherwise the machine's memory.
fn available(root: &Path) -> Option<u64> {
    let machine = fs::read_to_string(root.join("proc/meminfo")).ok();
    let machine = machine.as_deref().and_then(total_of);
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let group = groups
        .lines()
        .filter_map(|line| limit_of_group(root, line))
        .min();
    // Version 1 reports the absence of a limit as a number larger than any machine's memory.
    machine.into_iter().chain(group).min()
}

/// Parses the first line of `/proc/meminfo`: `MemTotal:  16384 kB`.
fn total_of(meminfo: &str) -> Option<u64> {
    let total = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1 << 10)
}

/// Returns the lowest limit of a group and its ancestors. A line of version 2 is `0::/PATH`, one of version 1
/// `4:memory:/PATH`.
fn limit_of_group(root: &Path, line: &str) -> Option<u64> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?);
    let (base, file) = match controllers {
        "" => ("sys/fs/cgroup", "memory.max"),
        names if names.split(',').any(|name| name == "memory") => {
            ("sys/fs/cgroup/memory", "memory.limit_in_bytes")
        }
        _ => return None,
    };
    let base = root.join(base);
    let path = base.join(path.trim_start_matches('/'));
    // In a container the path may be the host's: then the nearest ancestor that exists is used.
    let groups = path
        .ancestors()
        .take_while(|group| group.starts_with(&base));
    let limits = groups.filter_map(|group| {
        let text = fs::read_to_string(group.join(file)).ok()?;
        text.trim().parse().ok()
    });
    limits.min()
}

/// Reads resident memory repeatedly, until nothing else refers to `memory`.
pub(crate) fn watch(memory: &Arc<Memory>) -> std::io::Result<()> {
    let Some(limit) = memory.limit_bytes() else {
        return Ok(());
    };
    tracing::info!(limit_bytes = limit, "memory is limited");
    memory.report_resident(resident_bytes()?);
    let memory = Arc::downgrade(memory);
    let read = move || {
        while let Some(memory) = memory.upgrade() {
            let Ok(resident) = resident_bytes() else {
                return;
            };
            memory.report_resident(resident);
            drop(memory);
            thread::sleep(if resident > limit / 4 * 3 {
                READ_INTERVAL_NEAR
            } else {
                READ_INTERVAL
            });
        }
    };
    thread::Builder::new()
        .name("memory".to_owned())
        .spawn(read)?;
    Ok(())
}

/// Returns the resident memory of this process, in bytes.
fn resident_bytes() -> std::io::Result<u64> {
    let text = fs::read_to_string("/proc/self/statm")?;
    let pages = text
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<u64>().ok());
    let bytes = pages.and_then(|pages| pages.checked_mul(rustix::param::page_size() as u64));
    bytes.ok_or_else(|| std::io::Error::other("/proc/self/statm could not be parsed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    const MEMINFO: (&str, &str) = ("proc/meminfo", "MemTotal:       16384 kB\nMemFree: 1 kB\n");
    const MACHINE: u64 = 16 << 20;

    #[test]
    fn limits_are_bytes_with_units_or_none() {
        for (text, bytes) in [
            ("1", 1),
            ("900MB", 900_000_000),
            ("2GiB", 2 << 30),
            ("64 MiB", 64 << 20),
            ("5kB", 5_000),
        ] {
            assert_eq!(text.parse(), Ok(MemoryLimit::Bytes(bytes)), "{text}");
        }
        assert_eq!("none".parse(), Ok(MemoryLimit::Unlimited));
        for text in [
            "",
            "0",
            "-1",
            "MB",
            "1 XB",
            "1.5GB",
            "99999999999999999999",
            "20000000TiB",
        ] {
            assert!(text.parse::<MemoryLimit>().is_err(), "{text}");
        }
    }

    #[test]
    fn without_control_groups_the_machines_memory_is_available() {
        let root = system(&[MEMINFO]);
        assert_eq!(available(root.path()), Some(MACHINE));
        assert_eq!(available(system(&[]).path()), None);
    }

    #[test]
    fn the_lowest_limit_of_a_group_and_its_ancestors_applies() {
        let root = system(&[
            MEMINFO,
            ("proc/self/cgroup", "0::/a.slice/b.service\n"),
            ("sys/fs/cgroup/a.slice/memory.max", "5000\n"),
            ("sys/fs/cgroup/a.slice/b.service/memory.max", "max\n"),
        ]);
        assert_eq!(available(root.path()), Some(5_000));
        // In a container: its group is the root, whatever its name is on the host.
        let root = system(&[
            MEMINFO,
            ("proc/self/cgroup", "0::/docker/0f3a\n"),
            ("sys/fs/cgroup/memory.max", "6000\n"),
        ]);
        assert_eq!(available(root.path()), Some(6_000));
    }

    #[test]
    fn control_groups_of_version_1_are_read() {
        let files = |limit| {
            system(&[
                MEMINFO,
                ("proc/self/cgroup", "5:cpu:/x\n4:memory,hugetlb:/x\n0::/\n"),
                ("sys/fs/cgroup/memory/x/memory.limit_in_bytes", limit),
            ])
        };
        assert_eq!(available(files("7000\n").path()), Some(7_000));
        let none = files("9223372036854771712\n");
        assert_eq!(available(none.path()), Some(MACHINE));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn resident_memory_can_be_read() {
        assert!((1 << 20..1 << 40).contains(&resident_bytes().unwrap()));
    }
}
