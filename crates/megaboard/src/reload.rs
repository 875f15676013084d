//! SIGHUP: the keys are read again, out of the file that the server was started with.
//!
//! Nothing else of the file is: what else it says holds from the next start on.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use api::App;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::config::Config;

/// What the keys are read again from, and held against.
pub(crate) struct Reload {
    hangups: Signal,
    config: Option<PathBuf>,
    /// Whether a server without keys may listen beyond its own machine, by the command line.
    open: bool,
}

impl Reload {
    /// From now on the signal no longer ends the process.
    pub(crate) fn catch(config: Option<PathBuf>, open: bool) -> std::io::Result<Self> {
        let hangups = signal(SignalKind::hangup())?;
        Ok(Self {
            hangups,
            config,
            open,
        })
    }

    /// Reads the keys at each signal; a server listens at this address.
    pub(crate) async fn run(mut self, app: Arc<App>, address: IpAddr) {
        while self.hangups.recv().await.is_some() {
            match self.read(&app, address) {
                Ok(count) => tracing::info!(keys = count, "the keys were read again"),
                Err(error) => tracing::error!(error, "the keys stay as they were"),
            }
        }
    }

    fn read(&self, app: &App, address: IpAddr) -> Result<usize, String> {
        let config = Config::read(self.config.as_deref()).map_err(|error| error.to_string())?;
        let server = &config.server;
        // The last key gone would open the server to everybody.
        let checked = server.check_open(address, self.open);
        checked.map_err(|error| error.to_string())?;
        let keys = server.keys();
        let set = app.access().set_keys(keys);
        set.map_err(|error| format!("server.keys: {error}"))?;
        Ok(keys.len())
    }
}
