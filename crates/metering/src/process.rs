//! The process, under the names that Prometheus has for it. Elsewhere than on Linux nothing is reported.

use prometheus_client::registry::Registry;

/// Registers what is known of the process.
#[cfg(not(target_os = "linux"))]
pub fn register_process(_: &mut Registry) {}

/// Registers what is known of the process.
#[cfg(target_os = "linux")]
pub fn register_process(registry: &mut Registry) {
    registry.register_collector(Box::new(linux::Process::new()));
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{fmt, fs};

    use prometheus_client::collector::Collector;
    use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
    use prometheus_client::registry::Unit;
    use rustix::param::{clock_ticks_per_second, page_size};
    use rustix::process::{Resource, getrlimit};

    use crate::scraped_metric::{ScrapedMetric, as_float};

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

    impl Process {
        pub(super) fn new() -> Self {
            Self {
                started_at: started_at(),
                look,
            }
        }
    }

    /// What `/proc/self/stat` says, in clock ticks and pages (`proc_pid_stat(5)`).
    #[derive(Debug, PartialEq, Eq)]
    struct Stat {
        utime: u64,
        stime: u64,
        threads: u64,
        starttime: u64,
        vsize: u64,
        rss: u64,
    }

    impl Stat {
        fn read() -> Option<Self> {
            Self::parse(&fs::read_to_string("/proc/self/stat").ok()?)
        }

        fn parse(text: &str) -> Option<Self> {
            // The name of the program may contain anything but ends at the last parenthesis; field 3 is next.
            let (_, fields) = text.rsplit_once(')')?;
            let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
            let field = |number: usize| fields.get(number - 3)?.parse().ok();
            Some(Self {
                utime: field(14)?,
                stime: field(15)?,
                threads: field(20)?,
                starttime: field(22)?,
                vsize: field(23)?,
                rss: field(24)?,
            })
        }
    }

    /// In seconds since 1970.
    fn started_at() -> Option<f64> {
        let machine = fs::read_to_string("/proc/stat").ok()?;
        let booted_at = machine
            .lines()
            .find_map(|line| line.strip_prefix("btime "))?;
        let booted_at = as_float(booted_at.parse().ok()?);
        Some(booted_at + as_float(Stat::read()?.starttime) / as_float(clock_ticks_per_second()))
    }

    fn look() -> Seen {
        let stat = Stat::read();
        let stat = stat.as_ref();
        let ticks = as_float(clock_ticks_per_second());
        let page_bytes = page_size() as u64;
        let files = fs::read_dir("/proc/self/fd").ok();
        let files_max = getrlimit(Resource::Nofile).current;
        Seen {
            cpu_seconds: stat.map(|stat| as_float(stat.utime + stat.stime) / ticks),
            resident_bytes: stat.map(|stat| as_float(stat.rss * page_bytes)),
            virtual_bytes: stat.map(|stat| as_float(stat.vsize)),
            threads: stat.map(|stat| as_float(stat.threads)),
            files: files.map(|files| as_float(files.count() as u64)),
            files_max: Some(as_float(files_max.unwrap_or(u64::MAX))),
        }
    }

    impl Collector for Process {
        fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
            let seen = (self.look)();
            let mut tell = |name, help, unit: Option<Unit>, value: Option<ScrapedMetric>| {
                let Some(value) = value else { return Ok(()) };
                let kind = value.metric_type();
                let metric = encoder.encode_descriptor(name, help, unit.as_ref(), kind)?;
                value.encode(metric)
            };
            let (seconds, bytes) = (|| Some(Unit::Seconds), || Some(Unit::Bytes));
            let gauge = |value: Option<f64>| value.map(|value| ScrapedMetric::gauge(move || value));
            let cpu = seen.cpu_seconds;
            tell(
                "process_cpu",
                "Processor time, user and system.",
                seconds(),
                cpu.map(|value| ScrapedMetric::counter(move || value)),
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
        use prometheus_client::encoding::text;
        use prometheus_client::registry::Registry;

        use super::*;

        fn told(process: Process) -> String {
            let mut registry = Registry::default();
            registry.register_collector(Box::new(process));
            let mut told = String::new();
            text::encode(&mut told, &registry).unwrap();
            told
        }

        #[test]
        fn the_name_of_the_program_may_look_like_fields() {
            let fields = "S 1 2 3 4 5 6 7 8 9 10 11 120 130 16 17 18 19 8 21 220 230 240";
            let stat = Stat {
                utime: 11,
                stime: 120,
                threads: 19,
                starttime: 21,
                vsize: 220,
                rss: 230,
            };
            assert_eq!(Stat::parse(&format!("7 (a) S 1 (b) {fields}")), Some(stat));
            assert_eq!(Stat::parse("7 (a) S 1 2"), None);
            let own = Stat::read().unwrap();
            assert!(own.rss > 0 && own.threads > 0 && own.vsize > own.rss);
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
