//! The process, under the names that Prometheus has for it. Elsewhere than on Linux there is nothing to
//! tell.

use metering::Registry;

#[cfg(not(target_os = "linux"))]
pub(super) fn register(_: &mut Registry) {}

#[cfg(target_os = "linux")]
pub(super) fn register(registry: &mut Registry) {
    registry.register_collector(Box::new(linux::Process));
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fmt;

    use metering::{Collector, DescriptorEncoder, EncodeMetric, Pulled, Unit};
    use procfs::ProcResult;
    use procfs::process::{LimitValue, Stat};

    /// This process.
    #[derive(Debug)]
    pub(super) struct Process;

    /// What it is seen to have.
    struct Seen {
        cpu_seconds: f64,
        started_at: f64,
        resident_bytes: u64,
        virtual_bytes: u64,
        threads: i64,
        files: usize,
        files_max: u64,
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "figures that are looked at by people"
    )]
    const fn as_float(count: u64) -> f64 {
        count as f64
    }

    fn look() -> ProcResult<Seen> {
        let process = procfs::process::Process::myself()?;
        let stat: Stat = process.stat()?;
        let ticks = as_float(procfs::ticks_per_second());
        let files_max = match process.limits()?.max_open_files.soft_limit {
            LimitValue::Value(max) => max,
            LimitValue::Unlimited => u64::MAX,
        };
        Ok(Seen {
            cpu_seconds: as_float(stat.utime + stat.stime) / ticks,
            started_at: as_float(procfs::boot_time_secs()?) + as_float(stat.starttime) / ticks,
            resident_bytes: stat.rss * procfs::page_size(),
            virtual_bytes: stat.vsize,
            threads: stat.num_threads,
            files: process.fd_count()?,
            files_max,
        })
    }

    impl Collector for Process {
        fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
            // Where /proc is not to be read there is nothing to tell.
            let Ok(seen) = look() else { return Ok(()) };
            let mut tell = |name, help, unit: Option<Unit>, value: Pulled| {
                let kind = value.metric_type();
                let metric = encoder.encode_descriptor(name, help, unit.as_ref(), kind)?;
                value.encode(metric)
            };
            let (seconds, bytes) = (|| Some(Unit::Seconds), || Some(Unit::Bytes));
            let gauge = |value: f64| Pulled::gauge(move || value);
            let cpu = Pulled::counter(move || seen.cpu_seconds);
            tell(
                "process_cpu",
                "Processor time, user and system.",
                seconds(),
                cpu,
            )?;
            tell(
                "process_start_time",
                "When the process began, since 1970.",
                seconds(),
                gauge(seen.started_at),
            )?;
            tell(
                "process_resident_memory",
                "Memory that is in use.",
                bytes(),
                gauge(as_float(seen.resident_bytes)),
            )?;
            tell(
                "process_virtual_memory",
                "Address space that is in use.",
                bytes(),
                gauge(as_float(seen.virtual_bytes)),
            )?;
            tell(
                "process_threads",
                "Threads.",
                None,
                gauge(f64::from(i32::try_from(seen.threads).unwrap_or(i32::MAX))),
            )?;
            tell(
                "process_open_fds",
                "Open files.",
                None,
                gauge(as_float(seen.files as u64)),
            )?;
            tell(
                "process_max_fds",
                "Files that may be open.",
                None,
                gauge(as_float(seen.files_max)),
            )
        }
    }
}
