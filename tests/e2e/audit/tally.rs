//! What a crowd has come to so far: [`Tally`], which its writers, its readers and the test share.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use testkit::eventually;

use super::WRITERS;
use super::item::{Item, Place, Reported};

/// Counts of a piece of work under way, and what every fresh read has to show of it.
#[derive(Default)]
pub(crate) struct Tally {
    answers: AtomicUsize,
    gone: AtomicUsize,
    unavailable: AtomicUsize,
    unknown: AtomicUsize,
    refused_reads: AtomicUsize,
    reads: AtomicUsize,
    ended: AtomicBool,
    expects_losses: AtomicBool,
    /// Points that were answered as applied; more may be there.
    applied: Mutex<BTreeMap<Place, i64>>,
}

/// Ends the work of a tally when it is dropped.
pub(crate) struct End<'a>(&'a Tally);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::Relaxed);
    }
}

impl Tally {
    /// Lets work go on, until this is dropped.
    pub(super) fn end_on_drop(&self) -> End<'_> {
        self.ended.store(false, Ordering::Relaxed);
        End(self)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Takes an answer to a writer.
    pub(super) fn answered(&self, items: &[Item], reported: &[Reported]) {
        let mut applied = self.applied.lock().unwrap();
        for (item, reported) in items.iter().zip(reported) {
            match reported {
                Reported::Applied => *applied.entry(item.place.clone()).or_default() += item.points,
                Reported::Unavailable => count(&self.unavailable),
                Reported::Unknown => count(&self.unknown),
            }
        }
        count(&self.answers);
    }

    /// Takes that a writer had no answer, for there is nobody to answer any more.
    pub(super) fn is_gone(&self) {
        count(&self.gone);
    }

    pub(super) fn read(&self) {
        count(&self.reads);
    }

    pub(super) fn read_was_refused(&self) {
        count(&self.refused_reads);
    }

    /// What every fresh read of some of these members has at least from now on.
    pub(super) fn applied(&self, board: usize, day: usize, most: usize) -> BTreeMap<String, i64> {
        let first = Place {
            board,
            day,
            member: String::new(),
        };
        let applied = self.applied.lock().unwrap();
        applied
            .range(first..)
            .take_while(|(place, _)| (place.board, place.day) == (board, day))
            .take(most)
            .map(|(place, points)| (place.member.clone(), *points))
            .collect()
    }

    /// From now on reads need not show what was applied: the store is to lose some of it.
    pub(crate) fn expect_losses(&self) {
        self.expects_losses.store(true, Ordering::Relaxed);
    }

    pub(super) fn expects_losses(&self) -> bool {
        self.expects_losses.load(Ordering::Relaxed)
    }

    /// How many answers writers have had so far.
    pub(crate) fn answers(&self) -> usize {
        self.answers.load(Ordering::Relaxed)
    }

    /// Waits for so many further answers to writers.
    #[track_caller]
    pub(crate) fn wait_for_answers(&self, further: usize) {
        let enough = self.answers() + further;
        eventually("writers at work", || {
            (self.answers() >= enough).then_some(())
        });
    }

    /// Waits until every writer has met a server that is gone.
    #[track_caller]
    pub(crate) fn wait_until_gone(&self) {
        eventually("writers without a server", || {
            (self.gone.load(Ordering::Relaxed) == WRITERS).then_some(())
        });
    }

    /// Every answer so far was a whole one.
    #[track_caller]
    pub(crate) fn nothing_failed(&self) {
        let failed = [&self.unavailable, &self.unknown, &self.refused_reads];
        let failed = failed.map(|count| count.load(Ordering::Relaxed));
        assert_eq!(
            failed, [0; 3],
            "contributions unavailable, unknown, reads refused"
        );
    }

    /// Of every contribution it is known whether it counts.
    #[track_caller]
    pub(crate) fn nothing_is_unknown(&self) {
        let unknown = self.unknown.load(Ordering::Relaxed);
        assert_eq!(unknown, 0, "contributions unknown");
    }

    /// Says what there was.
    pub(crate) fn print(&self) {
        let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        println!(
            "{} answers to writers, {} contributions unavailable, {} unknown; {} reads, {} refused",
            self.answers(),
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
