//! Kills a server when the test process ends without dropping it: [`Guard`].
//!
//! A server shared by a whole test binary is in a static, and statics are never dropped. A killed
//! test run drops nothing at all. Without a guard these servers would keep running.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Waits for the end of its input, kills the server, then removes its folder.
const SCRIPT: &str = "read -r _; kill -s KILL \"$0\"; rm -rf \"$1\"";

/// A shell that waits for the end of this process. It must be dropped before the server's process;
/// it then does nothing.
#[derive(Debug)]
pub(crate) struct Guard(Child);

impl Guard {
    /// Guards the process with this id, which works in this folder.
    #[track_caller]
    pub(crate) fn over(id: u32, folder: &Path) -> Self {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, &id.to_string()]).arg(folder);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Self(command.spawn().unwrap())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
