//! The progress of a run: [`Tally`], shared by its writers, its readers and the test.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use testkit::eventually;

use super::item::{Account, Item, Reported};
use super::load::WRITERS;

/// Counts of a run, and the points that every fresh read must show.
#[derive(Default)]
pub(crate) struct Tally {
    responses: AtomicUsize,
    gone: AtomicUsize,
    unavailable: AtomicUsize,
    unknown: AtomicUsize,
    refused_reads: AtomicUsize,
    reads: AtomicUsize,
    ended: AtomicBool,
    expects_losses: AtomicBool,
    /// Points reported as applied. The server may have more.
    applied: Mutex<BTreeMap<Account, i64>>,
}

/// Ends the run when it is dropped.
pub(crate) struct End<'a>(&'a Tally);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::Relaxed);
    }
}

impl Tally {
    /// Starts a run, which ends when the result is dropped.
    pub(super) fn end_on_drop(&self) -> End<'_> {
        self.ended.store(false, Ordering::Relaxed);
        End(self)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Counts the response to a writer.
    pub(super) fn record(&self, items: &[Item], reported: &[Reported]) {
        let mut applied = self.applied.lock().unwrap();
        for (item, reported) in items.iter().zip(reported) {
            match reported {
                Reported::Applied => {
                    *applied.entry(item.account.clone()).or_default() += item.points;
                }
                Reported::Unavailable => count(&self.unavailable),
                Reported::Unknown => count(&self.unknown),
            }
        }
        count(&self.responses);
    }

    /// Counts a writer that got no response because the server is gone.
    pub(super) fn record_gone(&self) {
        count(&self.gone);
    }

    pub(super) fn record_read(&self) {
        count(&self.reads);
    }

    pub(super) fn record_refused_read(&self) {
        count(&self.refused_reads);
    }

    /// Returns what every fresh read of these members must show from now on, for at most `most`
    /// members.
    pub(super) fn applied(&self, board: usize, day: usize, most: usize) -> BTreeMap<String, i64> {
        let first = Account {
            board,
            day,
            member: String::new(),
        };
        let applied = self.applied.lock().unwrap();
        applied
            .range(first..)
            .take_while(|(account, _)| (account.board, account.day) == (board, day))
            .take(most)
            .map(|(account, points)| (account.member.clone(), *points))
            .collect()
    }

    /// From now on reads need not show what was applied, because the store will lose some of it.
    pub(crate) fn expect_losses(&self) {
        self.expects_losses.store(true, Ordering::Relaxed);
    }

    pub(super) fn expects_losses(&self) -> bool {
        self.expects_losses.load(Ordering::Relaxed)
    }

    /// Returns how many responses writers have had.
    pub(crate) fn responses(&self) -> usize {
        self.responses.load(Ordering::Relaxed)
    }

    /// Waits for this number of further responses to writers.
    #[track_caller]
    pub(crate) fn wait_for_responses(&self, further: usize) {
        let enough = self.responses() + further;
        eventually("the writers are running", || {
            (self.responses() >= enough).then_some(())
        });
    }

    /// Waits until every writer has found the server gone.
    #[track_caller]
    pub(crate) fn wait_until_gone(&self) {
        eventually("all writers find the server gone", || {
            (self.gone.load(Ordering::Relaxed) == WRITERS).then_some(())
        });
    }

    /// Asserts that no contribution and no read has failed.
    #[track_caller]
    pub(crate) fn assert_nothing_failed(&self) {
        let failed = [&self.unavailable, &self.unknown, &self.refused_reads];
        let failed = failed.map(|count| count.load(Ordering::Relaxed));
        assert_eq!(
            failed, [0; 3],
            "contributions unavailable, unknown, reads refused"
        );
    }

    /// Asserts that no outcome is unknown.
    #[track_caller]
    pub(crate) fn assert_nothing_unknown(&self) {
        let unknown = self.unknown.load(Ordering::Relaxed);
        assert_eq!(unknown, 0, "contributions unknown");
    }

    /// Prints the counts.
    pub(crate) fn print(&self) {
        let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        println!(
            "{} responses to writers, {} contributions unavailable, {} unknown; {} reads, {} refused",
            self.responses(),
            count(&self.unavailable),
            count(&self.unknown),
            count(&self.reads),
            count(&self.refused_reads),
        );
    }
}

fn count(one: &AtomicUsize) {
    one.fetch_add(1, Ordering::Relaxed);
}
