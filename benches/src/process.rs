//! CPU time and memory of processes.

use std::io;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Returns the CPU time of this process so far, user and system.
#[must_use]
pub fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanos = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(seconds, nanos)
}

/// Returns the CPU time of another process so far, of all its current threads.
pub fn cpu_of(pid: u32) -> io::Result<Duration> {
    let mut nanos = 0;
    for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let text = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        let on_cpu = text.split(' ').next().and_then(|first| first.parse().ok());
        nanos += on_cpu.unwrap_or(0);
    }
    Ok(Duration::from_nanos(nanos))
}

/// CPU time of a process, including threads that have ended.
#[derive(Debug, Clone, Copy)]
pub struct CpuTime {
    /// The process itself, user and system.
    pub own: Duration,
    /// Child processes that have ended.
    pub children: Duration,
}

/// Returns the CPU time of a process so far, with the precision of clock ticks: for measurements of seconds.
pub fn cpu_time(pid: u32) -> io::Result<CpuTime> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name is in parentheses and may contain any characters; the first field after it is field 3.
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let seconds = |first: usize| {
        let ticks = fields.get(first - 3..first - 1)?.iter();
        let ticks = ticks.map(|field| field.parse::<u32>().ok());
        let ticks: u32 = ticks.sum::<Option<u32>>()?;
        let per_second = u32::try_from(rustix::param::clock_ticks_per_second()).ok()?;
        Some(Duration::from_secs(1) * ticks / per_second)
    };
    let (own, children) = (seconds(14), seconds(16));
    let times = own.zip(children);
    let (own, children) = times.ok_or_else(|| io::Error::other("stat has no CPU time"))?;
    Ok(CpuTime { own, children })
}

/// Returns the resident memory of this process, in bytes.
pub fn own_resident_bytes() -> io::Result<u64> {
    resident_bytes("self")
}

/// Returns the resident memory of another process, in bytes.
pub fn resident_bytes_of(pid: u32) -> io::Result<u64> {
    resident_bytes(&pid.to_string())
}

fn resident_bytes(pid: &str) -> io::Result<u64> {
    let pages = std::fs::read_to_string(format!("/proc/{pid}/statm"))?;
    let resident = pages.split(' ').nth(1).and_then(|text| text.parse().ok());
    let resident: u64 = resident.ok_or_else(|| io::Error::other("statm has no resident pages"))?;
    Ok(resident * rustix::param::page_size() as u64)
}

/// Describes the machine, for the report.
#[must_use]
pub fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find(|line| line.starts_with("model name"));
    let model = model.and_then(|line| line.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?");
    format!(
        "{}, {cores} cores, load average {load}",
        model.unwrap_or("unknown CPU")
    )
}
