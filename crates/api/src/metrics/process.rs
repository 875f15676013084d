//! The process, under the names that Prometheus has for it. Elsewhere than on Linux there is nothing to
//! tell.

use metering::Registry;

#[cfg(not(target_os = "linux"))]
pub(super) fn register(_: &mut Registry) {}

#[cfg(target_os = "linux")]
pub(super) fn register(registry: &mut Registry) {
    registry.register_collector(Box::new(linux::Process::new()));
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fmt;

    use metering::{Collector, DescriptorEncoder, EncodeMetric, Pulled, Unit};
    use procfs::process::{LimitValue, Process as Proc, Stat};

    /// This process.
    #[derive(Debug)]
    pub(super) struct Process {
        /// Reckoned once: the machine's clock is set now and then, and a time of start that moves
        /// would be taken for another start.
        started_at: Option<f64>,
        look: fn() -> Seen,
    }

    /// What it is seen to have. What a sandbox hides of /proc is missing, and nothing else.
    #[derive(Debug, Default)]
    pub(super) struct Seen {
        cpu_seconds: Option<f64>,
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

    impl Process {
        pub(super) fn new() -> Self {
            Self {
                started_at: started_at(),
                look,
            }
        }
    }

    /// In seconds since 1970.
    fn started_at() -> Option<f64> {
        let stat = Proc::myself().and_then(|process| process.stat()).ok()?;
        let booted_at = procfs::boot_time_secs().ok()?;
        let ticks = as_float(procfs::ticks_per_second());
        Some(as_float(booted_at) + as_float(stat.starttime) / ticks)
    }

    fn look() -> Seen {
        let Ok(process) = Proc::myself() else {
            return Seen::default();
        };
        let stat: Option<Stat> = process.stat().ok();
        let stat = stat.as_ref();
        let ticks = as_float(procfs::ticks_per_second());
        let threads = |stat: &Stat| f64::from(i32::try_from(stat.num_threads).unwrap_or(i32::MAX));
        let limits = process.limits().ok();
        let files_max = limits.map(|limits| match limits.max_open_files.soft_limit {
            LimitValue::Value(max) => as_float(max),
            LimitValue::Unlimited => as_float(u64::MAX),
        });
        Seen {
            cpu_seconds: stat.map(|stat| as_float(stat.utime + stat.stime) / ticks),
            resident_bytes: stat.map(|stat| as_float(stat.rss * procfs::page_size())),
            virtual_bytes: stat.map(|stat| as_float(stat.vsize)),
            threads: stat.map(threads),
            files: process.fd_count().ok().map(|count| as_float(count as u64)),
            files_max,
        }
    }

    impl Collector for Process {
        fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
            let seen = (self.look)();
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
                gauge(self.started_at),
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

        fn told(process: Process) -> String {
            let mut registry = Registry::default();
            registry.register_collector(Box::new(process));
            let mut told = String::new();
            text::encode(&mut told, &registry).unwrap();
            told
        }

        #[test]
        fn what_is_hidden_takes_nothing_else_with_it() {
            let all = told(Process::new());
            assert_eq!(all.matches("# TYPE process_").count(), 7, "{all}");
            // What `ProcSubset=pid` of systemd hides: when the machine was started.
            let hidden = Process {
                started_at: None,
                look,
            };
            let some = told(hidden);
            assert_eq!(some.matches("# TYPE process_").count(), 6, "{some}");
            assert!(!some.contains("process_start_time"), "{some}");
            let unseen = Process {
                look: Seen::default,
                ..Process::new()
            };
            let one = told(unseen);
            assert_eq!(one.matches("# TYPE process_").count(), 1, "{one}");
        }
    }
}
