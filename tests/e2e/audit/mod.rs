//! The audit of every contribution: writers of every sort at work on a server while something happens
//! to it or to what it stands on, and afterwards a ledger that holds what the server shows against what
//! each of them got as an answer.
//!
//! [`under_load`] is the work, [`Ledger`] the audit. Writers go on until they are asked to end or nobody
//! answers; readers look all the while that nothing applied is missing from a fresh read ([`tally`]),
//! and that no version names two boards ([`versions`]).
//!
//! [`tally`]: Tally
//! [`versions`]: Versions

mod item;
mod ledger;
mod reader;
mod tally;
mod versions;
mod writer;

use std::thread;
use std::time::Duration;

use testkit::Server;
use testkit::dice::Dice;

pub(crate) use item::Sent;
pub(crate) use ledger::Ledger;
pub(crate) use tally::Tally;
pub(crate) use versions::{Shown, Versions, look};
pub(crate) use writer::Load;
use writer::Writer;

/// What the writers' boards need in a configuration.
pub(crate) const KIND: &str = "[kinds.k]\nwindows = [\"day\", \"all\"]\nkeep = { day = \"forever\" }\n\
                               shards = 4\ndedupe = \"7d\"\n";

/// Short requests, so that many are answered.
pub(crate) const LIGHT: Load = Load {
    batch_max: 50,
    own_members: 30,
    member_bytes: 0,
};

const WRITERS: usize = 4;

/// Requests that a writer sends one after the other. A server that is killed under write gets no more; what lasts
/// longer, such as a failover, gets its further requests [`BETWEEN`] apart: each is sent once more for the ledger.
const EAGER: usize = 200;

/// Between the further requests of a writer.
const BETWEEN: Duration = Duration::from_millis(10);

/// Between the looks of a reader, which would otherwise take a processor from what it watches.
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

/// What came of some work.
pub(crate) struct Work {
    /// All that was sent, with what its writers got as answers.
    pub(crate) sent: Vec<Sent>,
    /// What was shown meanwhile.
    pub(crate) shown: Vec<Shown>,
}

/// Has writers and readers at work while there is trouble, and a little longer if the server is still
/// there. No two rounds of a ledger have the same number.
pub(crate) fn under_load(
    server: &Server,
    (round, load): (usize, Load),
    dice: &mut Dice,
    tally: &Tally,
    trouble: impl FnOnce(),
) -> Work {
    thread::scope(|scope| {
        // Before they begin: of a tally that was used before, they would find the end. Where the trouble fails,
        // too, they are to end.
        let end = tally.end_on_drop();
        let writers: Vec<_> = (0..WRITERS)
            .map(|number| Writer::new(round, number, load, dice.split()))
            .map(|writer| scope.spawn(move || writer.write(server, tally)))
            .collect();
        let watcher = scope.spawn(|| versions::watch(server, tally));
        let mut dice = dice.split();
        let reader = scope.spawn(move || reader::read(server, tally, &mut dice));
        trouble();
        drop(end);
        let writers = writers.into_iter();
        let sent = writers.flat_map(|writer| writer.join().unwrap()).collect();
        reader.join().unwrap();
        Work {
            sent,
            shown: watcher.join().unwrap(),
        }
    })
}
