//! A child process: [`Process`] sends it signals, and ends it when it is dropped.

use std::process::{Child, Command, ExitStatus};

use crate::eventually::eventually;

/// A child process; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    pub(crate) const fn of(child: Child) -> Self {
        Self(child)
    }

    /// The system's number of it.
    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    /// Sends a signal: `TERM`, `INT`, `KILL`, `STOP`, `CONT`.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.id().to_string();
        // The shell's own: small systems have no other.
        let kill = ["-c", "kill -s \"$0\" \"$1\"", name, &id];
        let status = Command::new("sh").args(kill).status();
        assert!(status.unwrap().success());
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn ended(&mut self) -> ExitStatus {
        eventually("the server's end", || self.0.try_wait().unwrap())
    }

    /// Whether it has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    /// Bytes of memory that it holds.
    pub(crate) fn resident_bytes(&self) -> u64 {
        self.status_bytes("VmRSS:")
    }

    /// The most bytes of memory that it held at any time.
    pub(crate) fn peak_resident_bytes(&self) -> u64 {
        self.status_bytes("VmHWM:")
    }

    fn status_bytes(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap();
        let kib: u64 = line.trim().strip_suffix(" kB").unwrap().parse().unwrap();
        kib << 10
    }
}
