//! A child process: [`Process`] tells it things by signals, and ends it when it is dropped.

use std::process::{Child, Command, ExitStatus};

use crate::patience::eventually;

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

    /// Sends a signal: `TERM`, `INT`, `KILL`.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.0.id().to_string();
        let status = Command::new("kill").args(["-s", name, &id]).status();
        assert!(status.unwrap().success());
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn ended(&mut self) -> ExitStatus {
        eventually("the server's end", || self.0.try_wait().unwrap())
    }

    /// Bytes of memory that it holds.
    pub(crate) fn resident_bytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .unwrap();
        let kib: u64 = line.trim().strip_suffix(" kB").unwrap().parse().unwrap();
        kib << 10
    }
}
