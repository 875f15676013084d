//! The process, under the names that Prometheus has for it. Elsewhere than on Linux there is nothing to
//! tell.

use metering::Registry;

#[cfg(not(target_os = "linux"))]
pub(super) fn register(_: &mut Registry) {}

#[cfg(target_os = "linux")]
pub(super) fn register(registry: &mut Registry) {
    registry.register_collector(Box::new(linux::Process(linux::look)));
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fmt;

    use metering::{Collector, DescriptorEncoder, EncodeMetric, Pulled, Unit};
    use procfs::process::{LimitValue, Process as Proc, Stat};

    /// This process, and how it is looked at.
    #[derive(Debug)]
    pub(super) struct Process(pub(super) fn() -> Seen);

    /// What it is seen to have. What a sandbox hides of /proc is missing, and nothing else.
    #[derive(Debug, Default)]
    pub(super) struct Seen {
        cpu_seconds: Option<f64>,
        started_at: Option<f64>,
        resident_bytes: Option<f64>,
        virtual_bytes: Option<f64>,
        threads: Option<f64>,
        files: Option<f64>,
        files_max: Option<f64>,
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "figures that are looked at by people"
    )]
    const fn as_float(count: u64) -> f64 {
        count as f64
    }

    pub(super) fn look() -> Seen {
        let Ok(process) = Proc::myself() else {
            return Seen::default();
        };
        let stat: Option<Stat> = process.stat().ok();
        let stat = stat.as_ref();
        let ticks = as_float(procfs::ticks_per_second());
        let started_at = |stat: &Stat| {
            let booted_at = procfs::boot_time_secs().ok()?;
            Some(as_float(booted_at) + as_float(stat.starttime) / ticks)
        };
        let threads = |stat: &Stat| f64::from(i32::try_from(stat.num_threads).unwrap_or(i32::MAX));
        let limits = process.limits().ok();
        let files_max = limits.map(|limits| match limits.max_open_files.soft_limit {
            LimitValue::Value(max) => as_float(max),
            LimitValue::Unlimited => as_float(u64::MAX),
        });
        Seen {
            cpu_seconds: stat.map(|stat| as_float(stat.utime + stat.stime) / ticks),
            started_at: stat.and_then(started_at),
            resident_bytes: stat.map(|stat| as_float(stat.rss * procfs::page_size())),
            virtual_bytes: stat.map(|stat| as_float(stat.vsize)),
            threads: stat.map(threads),
            files: process.fd_count().ok().map(|count| as_float(count as u64)),
            files_max,
        }
    }

    impl Collector for Process {
        fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
            let seen = (self.0)();
            let mut tell = |name, help, unit: Option<Unit>, value: Option<Pulled>| {
                let Some(value) = value else { return Ok(()) };
                let kind = value.metric_type();
                let metric = encoder.encode_descriptor(name, help, unit.as_ref(), kind)?;
                value.encode(metric)
            };
            let (seconds, bytes) = (|| Some(Unit::Seconds), || Some(Unit::Bytes));
            let gauge = |value: Option<f64>| value.map(|value| Pulled::gauge(move || value));
            let cpu = seen.cpu_seconds;
            tell(
                "process_cpu",
                "Processor time, user and system.",
                seconds(),
                cpu.map(|value| Pulled::counter(move || value)),
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
                gauge(seen.resident_bytes),
            )?;
            tell(
                "process_virtual_memory",
                "Address space that is in use.",
                bytes(),
                gauge(seen.virtual_bytes),
            )?;
            tell("process_threads", "Threads.", None, gauge(seen.threads))?;
            tell("process_open_fds", "Open files.", None, gauge(seen.files))?;
            tell(
                "process_max_fds",
                "Files that may be open.",
                None,
                gauge(seen.files_max),
            )
        }
    }

    #[cfg(test)]
    mod tests {
        use metering::{Registry, text};

        use super::*;

        fn told(look: fn() -> Seen) -> String {
            let mut registry = Registry::default();
            registry.register_collector(Box::new(Process(look)));
            let mut told = String::new();
            text::encode(&mut told, &registry).unwrap();
            told
        }

        #[test]
        fn what_is_hidden_takes_nothing_else_with_it() {
            let all = told(look);
            assert_eq!(all.matches("# TYPE process_").count(), 7, "{all}");
            // What `ProcSubset=pid` of systemd hides: when the machine was started.
            let told = told(|| Seen {
                started_at: None,
                ..look()
            });
            assert_eq!(told.matches("# TYPE process_").count(), 6, "{told}");
            assert!(!told.contains("process_start_time"), "{told}");
        }
    }
}
