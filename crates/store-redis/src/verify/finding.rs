//! What verifying finds: [`Fault`]s by step, collected as [`Findings`].

use std::collections::HashSet;

use board::{Member, Rules, Window};

use crate::boards::standing::member_of;
use crate::boards::wire::Garbled;
use shard_store::IndexMismatch;

/// The number of mismatches of one shard that are reported; the others are counted.
const MISMATCHES_MAX: usize = 10_000;

/// A fault, in the order of [`Fault::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Garbled,
    Missing,
    Nameless,
    Stray,
    Misplaced,
    Twice,
    Unheld,
    Uncounted,
}

impl Fault {
    /// Each with its code, and what is reported of it.
    const ALL: [(Self, &str, &str); 8] = [
        (
            Self::Garbled,
            "garbled",
            "has a score that its kind cannot have",
        ),
        (
            Self::Missing,
            "missing",
            "has a score and is not ranked by it",
        ),
        (
            Self::Nameless,
            "nameless",
            "an entry of the order names no member",
        ),
        (Self::Stray, "stray", "is ranked without a score"),
        (
            Self::Misplaced,
            "misplaced",
            "is ranked by another score than it has",
        ),
        (
            Self::Twice,
            "twice",
            "is ranked by its score, and once more by another",
        ),
        (
            Self::Unheld,
            "unheld",
            "a distinct value that no member has",
        ),
        (
            Self::Uncounted,
            "uncounted",
            "has a value that is not among the distinct ones",
        ),
    ];

    fn of_code(code: &str) -> Result<Self, Garbled> {
        let found = Self::ALL.iter().find(|(_, own, _)| *own == code);
        let (fault, ..) = found.ok_or(Garbled("no fault has such a code"))?;
        Ok(*fault)
    }

    const fn text(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}

/// One fault and its subject: for a score the member's name, otherwise an entry of the sorted set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShardFault {
    pub(super) fault: Fault,
    subject: Vec<u8>,
    /// The member's name, empty if an entry has none.
    name: Vec<u8>,
}

impl ShardFault {
    pub(super) fn new(rules: &Rules, code: &str, subject: &[u8]) -> Result<Self, Garbled> {
        let fault = Fault::of_code(code)?;
        let name = match fault {
            Fault::Garbled | Fault::Missing => Some(subject.into()),
            Fault::Unheld => None,
            _ => {
                let name = subject.get(8 * (rules.rank_words_len() - 1)..);
                name.and_then(|name| rules.name_order().name_of(name))
            }
        };
        Ok(Self {
            fault,
            subject: subject.to_vec(),
            name: name.unwrap_or_default().into_owned(),
        })
    }

    /// Returns the entry of the sorted set that is to be removed, if it is wrong.
    pub(super) fn entry(&self) -> Option<&[u8]> {
        let is_entry = matches!(
            self.fault,
            Fault::Nameless | Fault::Stray | Fault::Misplaced | Fault::Twice
        );
        is_entry.then_some(&self.subject)
    }

    /// Returns the subject, if this is the fault.
    pub(super) fn subject_of(&self, fault: Fault) -> Option<&[u8]> {
        (self.fault == fault).then_some(&self.subject)
    }

    /// Returns the member that has to be ranked by its score.
    pub(super) fn name_to_rank(&self) -> Option<&[u8]> {
        let is_ranked = matches!(self.fault, Fault::Missing | Fault::Misplaced);
        is_ranked.then_some(&self.name)
    }
}

/// All findings of a shard.
#[derive(Debug)]
pub(super) struct Findings {
    window: Window,
    repair: bool,
    /// Whether the window's faults, except invalid scores, have been reported as one.
    reported_as_one: bool,
    is_clean: bool,
    /// Names and entries of the window that were reported.
    reported: HashSet<Vec<u8>>,
    list: Vec<IndexMismatch>,
    /// The number of mismatches that are not in the list, and of those that were not repaired.
    unreported: u64,
    unreported_broken: u64,
}

impl Default for Findings {
    fn default() -> Self {
        Self {
            window: Window::ALL_TIME,
            repair: false,
            reported_as_one: false,
            is_clean: true,
            reported: HashSet::new(),
            list: Vec::new(),
            unreported: 0,
            unreported_broken: 0,
        }
    }
}

impl Findings {
    /// Begins the next window.
    pub(super) fn begin(&mut self, window: Window, repair: bool) {
        self.window = window;
        self.repair = repair;
        self.reported_as_one = false;
        self.is_clean = true;
        self.reported.clear();
    }

    /// Returns whether nothing was found in the window.
    pub(super) const fn is_clean(&self) -> bool {
        self.is_clean
    }

    /// Reports scores of which none is ranked, or vice versa.
    pub(super) fn one_sided(&mut self, scores: u64, ranked: u64) {
        self.reported_as_one = true;
        let detail = if ranked == 0 {
            format!("{scores} members have scores, none is ranked")
        } else {
            format!("{ranked} entries are ranked, none has a score")
        };
        self.report(None, detail, self.repair);
    }

    /// Reports that the numbers of scores and of ranked members differ, though each was correct
    /// when it was read.
    pub(super) fn uneven(&mut self, scores: u64, ranked: u64) {
        let detail = format!("{ranked} entries are ranked, {scores} members have scores");
        self.report(None, detail, false);
    }

    /// Adds the findings of a step. A scan may return a member twice, and a wrong entry is also a
    /// score that is not ranked: each member is reported once.
    pub(super) fn add(&mut self, found: Vec<ShardFault>) {
        for found in found {
            self.is_clean = false;
            let is_reported = self.reported_as_one && found.fault != Fault::Garbled;
            let subject = if found.name.is_empty() {
                &found.subject
            } else {
                &found.name
            };
            if is_reported || self.reported.contains(subject) {
                continue;
            }
            if self.reported.len() < MISMATCHES_MAX {
                self.reported.insert(subject.clone());
            }
            let member: Option<Member> = member_of(&found.name).ok();
            let text = found.fault.text();
            let detail = match &member {
                Some(_) => text.to_owned(),
                None => format!("{text}: \"{}\"", found.subject.escape_ascii()),
            };
            let repaired = self.repair && found.fault != Fault::Garbled;
            self.report(member, detail, repaired);
        }
    }

    fn report(&mut self, member: Option<Member>, detail: String, repaired: bool) {
        self.is_clean = false;
        if self.list.len() < MISMATCHES_MAX {
            self.push(member, detail, repaired);
        } else {
            self.unreported += 1;
            self.unreported_broken += u64::from(!repaired);
        }
    }

    fn push(&mut self, member: Option<Member>, detail: String, repaired: bool) {
        self.list.push(IndexMismatch {
            window: self.window,
            member,
            detail,
            repaired,
        });
    }

    /// Returns all of them.
    pub(super) fn done(mut self) -> Vec<IndexMismatch> {
        if self.unreported > 0 {
            let detail = format!("and {} more", self.unreported);
            self.push(None, detail, self.unreported_broken == 0);
        }
        self.list
    }
}
