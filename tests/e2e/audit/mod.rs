//! The audit of every contribution: writers of several kinds run against a server while a failure
//! happens to it or to its store. Afterwards a ledger compares what the server shows with the
//! responses that each writer got.
//!
//! [`under_load`] runs the writers and readers, [`Ledger`] is the audit. Writers stop when they are
//! asked to, or when no server answers. Readers check that each fresh read has all contributions
//! applied before ([`tally`]), and that no version identifies two boards ([`versions`]).
//!
//! [`tally`]: Tally
//! [`versions`]: Versions

mod item;
mod ledger;
mod load;
mod reader;
mod tally;
mod versions;
mod writer;

use std::thread;

use testkit::Server;
use testkit::dice::Dice;

pub(crate) use item::Sent;
pub(crate) use ledger::Ledger;
use load::WRITERS;
pub(crate) use load::{LIGHT, Load};
pub(crate) use tally::Tally;
pub(crate) use versions::{ShownTop, Versions, read_tops};
use writer::Writer;

/// The configuration that the boards need.
pub(crate) const KIND: &str = "[kinds.k]\nwindows = [\"day\", \"all\"]\nkeep = { day = \"forever\" }\n\
                               shards = 4\ndedupe = \"7d\"\n";

/// The result of a run.
pub(crate) struct Work {
    /// All contributions, with the reported outcomes.
    pub(crate) sent: Vec<Sent>,
    /// All versions that were read.
    pub(crate) shown: Vec<ShownTop>,
}

/// Runs writers and readers during `failure` and until they notice its end. The rounds of a ledger
/// need distinct numbers.
pub(crate) fn under_load(
    server: &Server,
    (round, load): (usize, Load),
    dice: &mut Dice,
    tally: &Tally,
    failure: impl FnOnce(),
) -> Work {
    thread::scope(|scope| {
        // Before the threads start, which would otherwise see the end of an earlier run. Dropped
        // also if `failure` panics, so that they stop.
        let end = tally.end_on_drop();
        let writers: Vec<_> = (0..WRITERS)
            .map(|number| Writer::new(round, number, load, dice.split()))
            .map(|writer| scope.spawn(move || writer.write(server, tally)))
            .collect();
        let watcher = scope.spawn(|| versions::watch(server, tally));
        let mut dice = dice.split();
        let reader = scope.spawn(move || reader::read(server, tally, &mut dice));
        failure();
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
