//! What processes take: CPU time, to a scheduler tick or better, and memory.

use std::io;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// CPU time of this process so far, user and system.
#[must_use]
pub fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanos = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(seconds, nanos)
}

/// CPU time of another process so far: what the scheduler has given to its threads.
pub fn cpu_of(pid: u32) -> io::Result<Duration> {
    let mut nanos = 0;
    for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let text = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        let on_cpu = text.split(' ').next().and_then(|first| first.parse().ok());
        nanos += on_cpu.unwrap_or(0);
    }
    Ok(Duration::from_nanos(nanos))
}

/// Bytes of memory that this process has resident.
pub fn own_resident_bytes() -> io::Result<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm")?;
    let resident = pages.split(' ').nth(1).and_then(|text| text.parse().ok());
    let resident: u64 =
        resident.ok_or_else(|| io::Error::other("statm names no resident pages"))?;
    Ok(resident * rustix::param::page_size() as u64)
}

/// What was measured on, for whoever reads the figures.
#[must_use]
pub fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find(|line| line.starts_with("model name"));
    let model = model.and_then(|line| line.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?");
    format!(
        "{}, {cores} cores, load {load} as this run began",
        model.unwrap_or("unknown CPU")
    )
}
