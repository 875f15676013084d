//! Metrics of the process, with the names that Prometheus defines for them. Only Linux is supported.

use prometheus_client::registry::Registry;

/// Registers the metrics of the process.
#[cfg(not(target_os = "linux"))]
pub fn register_process(_: &mut Registry) {}

/// Registers the metrics of the process.
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

    /// Collects the metrics of this process.
    #[derive(Debug)]
    pub(super) struct Process {
        /// Computed once: if the machine's clock is adjusted, a new value would look like another start.
        started_at: Option<f64>,
        measure: fn() -> ProcessValues,
    }

    /// The current values. Values that a sandbox hides in /proc are missing; the others are not affected.
    #[derive(Debug, Default)]
    pub(super) struct ProcessValues {
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
                measure,
            }
        }
    }

    /// Fields of `/proc/self/stat`, in clock ticks and pages (`proc_pid_stat(5)`).
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
            // The name of the program may contain any characters, and ends at the last parenthesis. Field 3 is next.
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

    /// Returns the time at which the process started, in seconds since 1970.
    fn started_at() -> Option<f64> {
        let machine = fs::read_to_string("/proc/stat").ok()?;
        let booted_at = machine
            .lines()
            .find_map(|line| line.strip_prefix("btime "))?;
        let booted_at = as_float(booted_at.parse().ok()?);
        Some(booted_at + as_float(Stat::read()?.starttime) / as_float(clock_ticks_per_second()))
    }

    fn measure() -> ProcessValues {
        let stat = Stat::read();
        let stat = stat.as_ref();
        let ticks = as_float(clock_ticks_per_second());
        let page_bytes = page_size() as u64;
        let files = fs::read_dir("/proc/self/fd").ok();
        let files_max = getrlimit(Resource::Nofile).current;
        ProcessValues {
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
            let ProcessValues {
                cpu_seconds,
                resident_bytes,
                virtual_bytes,
                threads,
                files,
                files_max,
            } = (self.measure)();
            let (seconds, bytes) = (Some(Unit::Seconds), Some(Unit::Bytes));
            for (name, help, unit, value) in [
                (
                    "process_cpu",
                    "Processor time, user and system.",
                    &seconds,
                    cpu_seconds,
                ),
                (
                    "process_start_time",
                    "When the process began, since 1970.",
                    &seconds,
                    self.started_at,
                ),
                (
                    "process_resident_memory",
                    "Memory that is in use.",
                    &bytes,
                    resident_bytes,
                ),
                (
                    "process_virtual_memory",
                    "Address space that is in use.",
                    &bytes,
                    virtual_bytes,
                ),
                ("process_threads", "Threads.", &None, threads),
                ("process_open_fds", "Open files.", &None, files),
                (
                    "process_max_fds",
                    "Files that may be open.",
                    &None,
                    files_max,
                ),
            ] {
                let Some(value) = value else { continue };
                let metric = match name {
                    "process_cpu" => ScrapedMetric::counter(move || value),
                    _ => ScrapedMetric::gauge(move || value),
                };
                let kind = metric.metric_type();
                metric.encode(encoder.encode_descriptor(name, help, unit.as_ref(), kind)?)?;
            }
            Ok(())
        }
    }

    #[cfg(test)]
    mod tests {
        use prometheus_client::encoding::text;
        use prometheus_client::registry::Registry;

        use super::*;

        fn scrape(process: Process) -> String {
            let mut registry = Registry::default();
            registry.register_collector(Box::new(process));
            let mut scraped = String::new();
            text::encode(&mut scraped, &registry).unwrap();
            scraped
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
        fn hidden_values_do_not_affect_others() {
            let all = scrape(Process::new());
            assert_eq!(all.matches("# TYPE process_").count(), 7, "{all}");
            // `ProcSubset=pid` of systemd hides when the machine was booted.
            let hidden = Process {
                started_at: None,
                measure,
            };
            let some = scrape(hidden);
            assert_eq!(some.matches("# TYPE process_").count(), 6, "{some}");
            assert!(!some.contains("process_start_time"), "{some}");
            let unseen = Process {
                measure: ProcessValues::default,
                ..Process::new()
            };
            let one = scrape(unseen);
            assert_eq!(one.matches("# TYPE process_").count(), 1, "{one}");
        }
    }
}
