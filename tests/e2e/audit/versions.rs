//! The content shown under each version: [`Versions`]. A version identifies one content, and
//! versions of a past epoch are not shown again.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::thread;

use testkit::Server;

use super::item::{BOARDS, DAY_WINDOWS};
use super::load::READ_PAUSE;
use super::tally::Tally;

/// A top: its path, its version, and a digest of its other content.
pub(crate) struct ShownTop {
    path: String,
    version: String,
    digest: u64,
}

/// The server does not answer any more.
#[derive(Debug)]
pub(crate) struct ServerGone;

/// The versions of all servers of a store.
#[derive(Default)]
pub(crate) struct Versions {
    digests: HashMap<(String, String), Known>,
    epoch: usize,
}

/// The content of a version, and the epoch in which it was shown.
struct Known {
    digest: u64,
    epoch: usize,
}

impl Versions {
    /// Adds what one server showed.
    pub(crate) fn add(&mut self, shown: Vec<ShownTop>) {
        for ShownTop {
            path,
            version,
            digest,
        } in shown
        {
            let now = self.epoch;
            let known = self.digests.entry((path.clone(), version.clone()));
            let known = known.or_insert(Known { digest, epoch: now });
            assert_eq!(
                known.digest, digest,
                "{path} {version} identifies two boards"
            );
            assert_eq!(
                known.epoch, now,
                "{path} {version} was shown again in a later epoch"
            );
        }
    }

    /// Ends the epoch: versions so far must not be shown any more.
    pub(crate) fn end_epoch(&mut self) {
        self.epoch += 1;
    }
}

/// Reads all tops until the run ends or the server is gone.
pub(super) fn watch(server: &Server, tally: &Tally) -> Vec<ShownTop> {
    let mut shown = Vec::new();
    while !tally.has_ended() && read_tops(server, tally, &mut shown).is_ok() {
        thread::sleep(READ_PAUSE);
    }
    shown
}

/// Reads all tops once.
pub(crate) fn read_tops(
    server: &Server,
    tally: &Tally,
    shown: &mut Vec<ShownTop>,
) -> Result<(), ServerGone> {
    for board in BOARDS {
        for window in DAY_WINDOWS.into_iter().chain(["all"]) {
            let path = format!("/v1/boards/{board}/top?n=1000&fresh=true&window={window}");
            let response = server.try_get(&path).map_err(|_| ServerGone)?;
            if response.status == 503 {
                tally.record_refused_read();
                continue;
            }
            let top = response.ok();
            let mut digest = DefaultHasher::new();
            (top["entries"].to_string(), top["members"].to_string()).hash(&mut digest);
            shown.push(ShownTop {
                path,
                version: top["version"].as_str().unwrap().to_owned(),
                digest: digest.finish(),
            });
        }
    }
    Ok(())
}
