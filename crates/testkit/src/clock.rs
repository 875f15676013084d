//! Timestamps in the form that requests use, formatted without the service's calendar, and a
//! wrong clock for one server: [`WrongClock`].

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use tempfile::TempDir;

use crate::launch::Launch;

/// Milliseconds in a minute.
pub const MINUTE_MS: i64 = 60_000;
/// Milliseconds in an hour.
pub const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Milliseconds in a day.
pub const DAY_MS: i64 = 24 * HOUR_MS;

/// Returns the epoch milliseconds of this machine's clock, which the server uses too.
pub fn now_ms() -> i64 {
    now_us() / 1_000
}

/// Returns the same in microseconds.
pub fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_micros()).unwrap()
}

/// Returns a time zone whose current hour started at least 10 minutes ago and lasts at least 20
/// minutes more. For tests that use the window of the current hour.
pub fn zone_in_mid_hour() -> &'static str {
    match now_ms().rem_euclid(HOUR_MS) / MINUTE_MS {
        10..40 => "UTC",
        // Half an hour off UTC.
        _ => "Asia/Kolkata",
    }
}

/// Formats a date in UTC: `2026-11-20`.
pub fn date(ms: i64) -> String {
    rfc3339(ms)[..10].to_owned()
}

/// Formats a timestamp in UTC: `2026-11-20T14:52:22.123000Z`.
pub fn rfc3339(ms: i64) -> String {
    rfc3339_us(1_000 * ms)
}

/// Formats microseconds in the same form.
pub fn rfc3339_us(us: i64) -> String {
    format!("{:.6}", Timestamp::from_microsecond(us).unwrap())
}

/// A clock for one server that a test can change while the server runs. Uses libfaketime with a
/// timestamp file.
#[derive(Debug)]
pub struct WrongClock {
    folder: TempDir,
    library: PathBuf,
}

impl WrongClock {
    /// Creates a clock with this offset: `+3d`, `-90s`, `+0`.
    pub fn off_by(offset: &str) -> Self {
        let clock = Self {
            folder: TempDir::new().unwrap(),
            library: faketime(),
        };
        clock.set(offset);
        clock
    }

    /// Changes the offset. It applies to all reads from now on.
    pub fn set(&self, offset: &str) {
        let new = self.folder.path().join("new");
        std::fs::write(&new, offset).unwrap();
        std::fs::rename(new, self.file()).unwrap();
    }

    /// Makes a server use this clock. Its monotonic clock stays the machine's.
    pub fn apply_to(&self, launch: Launch) -> Launch {
        let variables = self.variables().into_iter();
        variables.fold(launch, |launch, (name, value)| launch.env(name, &value))
    }

    fn variables(&self) -> [(&'static str, String); 4] {
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        [
            ("LD_PRELOAD", text(&self.library)),
            ("FAKETIME_TIMESTAMP_FILE", text(&self.file())),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
            ("FAKETIME_NO_CACHE", "1".to_owned()),
        ]
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("clock")
    }
}

/// Returns the path of libfaketime.
fn faketime() -> PathBuf {
    let folders = ["/usr/lib", "/usr/lib64", "/usr/local/lib"].map(PathBuf::from);
    let multiarch = std::fs::read_dir("/usr/lib").into_iter().flatten();
    let multiarch = multiarch.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths = folders
        .into_iter()
        .chain(multiarch)
        .map(|folder| folder.join("faketime/libfaketime.so.1"));
    paths
        .find(|path| path.exists())
        .expect("libfaketime is missing (Debian, Ubuntu: apt-get install libfaketime)")
}
