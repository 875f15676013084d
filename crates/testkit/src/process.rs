//! A child process: [`Process`] signals it and kills it on drop.

use std::process::{Child, Command, ExitStatus};

use crate::eventually::eventually;

/// A child process, killed on drop.
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

    /// Returns the process id.
    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    /// Sends a signal: `TERM`, `INT`, `KILL`, `STOP`, `CONT`.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.id().to_string();
        // The shell's builtin, since some systems have no `kill` program.
        let kill = ["-c", "kill -s \"$0\" \"$1\"", name, &id];
        let status = Command::new("sh").args(kill).status();
        assert!(status.unwrap().success());
    }

    /// Waits for the process to exit.
    #[track_caller]
    pub(crate) fn ended(&mut self) -> ExitStatus {
        eventually("the server exits", || self.0.try_wait().unwrap())
    }

    /// Returns whether the process has exited.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    /// Returns the resident memory in bytes.
    pub(crate) fn resident_bytes(&self) -> u64 {
        self.status_bytes("VmRSS:")
    }

    /// Returns the peak resident memory in bytes.
    pub(crate) fn peak_resident_bytes(&self) -> u64 {
        self.status_bytes("VmHWM:")
    }

    /// Returns the nice value of a thread.
    pub(crate) fn nice_of(&self, thread: &str) -> i32 {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.id())).unwrap();
        let mut stats =
            tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("stat")).unwrap());
        let stat = stats.find(|stat| stat.contains(&format!("({thread})")));
        let stat = stat.unwrap_or_else(|| panic!("{thread} is not a thread of the server"));
        // The nineteenth value; the second one is the name.
        let mut values = stat.rsplit(')').next().unwrap().split_whitespace();
        values.nth(16).unwrap().parse().unwrap()
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
