//! Ends a server when the tests end without dropping it: [`Guard`].
//!
//! A server that a whole test binary shares stands in a static, and statics are never dropped; a test
//! run that is killed drops nothing at all. Left alone, each would leave a server behind.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Ends the server once nobody holds the other end of its input, then takes its folder away.
const SCRIPT: &str = "read -r _; kill -s KILL \"$0\"; rm -rf \"$1\"";

/// A shell that waits for the end of this process. Dropped before the server's process is, it does
/// nothing.
#[derive(Debug)]
pub(crate) struct Guard(Child);

impl Guard {
    /// Guards the process of this id, which works in this folder.
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
