//! What was shown under which version: [`Versions`]. The same version is the same board, and none of
//! an epoch that is past is shown again.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::thread;

use testkit::Server;

use super::BETWEEN_LOOKS;
use super::item::{BOARDS, DAY_WINDOWS};
use super::tally::Tally;

/// A top: its path, its version, and a digest of what else it showed.
pub(crate) struct Shown {
    path: String,
    version: String,
    digest: u64,
}

/// No server answers any more.
#[derive(Debug)]
pub(crate) struct Gone;

/// All versions of all servers of a folder.
#[derive(Default)]
pub(crate) struct Versions {
    digests: HashMap<(String, String), Known>,
    epoch: usize,
}

/// What a version named, and until when.
struct Known {
    digest: u64,
    epoch: usize,
}

impl Versions {
    /// Takes what one server showed.
    pub(crate) fn note(&mut self, shown: Vec<Shown>) {
        for Shown {
            path,
            version,
            digest,
        } in shown
        {
            let now = self.epoch;
            let known = self.digests.entry((path.clone(), version.clone()));
            let known = known.or_insert(Known { digest, epoch: now });
            assert_eq!(known.digest, digest, "{path} {version} is two boards");
            assert_eq!(known.epoch, now, "{path} {version} came back");
        }
    }

    /// No version so far may be shown any more.
    pub(crate) fn are_past(&mut self) {
        self.epoch += 1;
    }
}

/// Looks at all tops until the work ends or there is no answer.
pub(super) fn watch(server: &Server, tally: &Tally) -> Vec<Shown> {
    let mut shown = Vec::new();
    while !tally.has_ended() && look(server, tally, &mut shown).is_ok() {
        thread::sleep(BETWEEN_LOOKS);
    }
    shown
}

/// Looks at all tops once.
pub(crate) fn look(server: &Server, tally: &Tally, shown: &mut Vec<Shown>) -> Result<(), Gone> {
    for board in BOARDS {
        for window in DAY_WINDOWS.into_iter().chain(["all"]) {
            let path = format!("/v1/boards/{board}/top?n=1000&fresh=true&window={window}");
            let answer = server.try_get(&path).map_err(|_| Gone)?;
            if answer.status == 503 {
                tally.read_was_refused();
                continue;
            }
            let top = answer.ok();
            let mut digest = DefaultHasher::new();
            (top["entries"].to_string(), top["members"].to_string()).hash(&mut digest);
            shown.push(Shown {
                path,
                version: top["version"].as_str().unwrap().to_owned(),
                digest: digest.finish(),
            });
        }
    }
    Ok(())
}
