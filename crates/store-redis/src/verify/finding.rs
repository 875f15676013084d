//! What verifying finds: [`Fault`]s by step, gathered as [`Findings`].

use std::collections::HashSet;

use board::{Member, Rules, Window};

use redis_boards::standing::member_of;
use redis_boards::wire::Garbled;
use shard_store::IndexMismatch;

/// Disagreements that are reported of one shard; behind them, how many there are more.
const DISAGREEMENTS_MAX: usize = 10_000;

/// What is wrong, by `verify.lua`'s code for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Garbled,
    Missing,
    Nameless,
    Stray,
    Misplaced,
    Twice,
}

impl Fault {
    fn of_code(code: &str) -> Result<Self, Garbled> {
        Ok(match code {
            "garbled" => Self::Garbled,
            "missing" => Self::Missing,
            "nameless" => Self::Nameless,
            "stray" => Self::Stray,
            "misplaced" => Self::Misplaced,
            "twice" => Self::Twice,
            _ => return Err(Garbled("no fault has such a code")),
        })
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Garbled => "has a score that its kind cannot have",
            Self::Missing => "has a score and is not ranked by it",
            Self::Nameless => "an entry of the order names no member",
            Self::Stray => "is ranked without a score",
            Self::Misplaced => "is ranked by another score than it has",
            Self::Twice => "is ranked by its score, and once more by another",
        }
    }
}

/// One fault, and what it is about: of a score the member's name, else an entry of the sorted set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShardFault {
    pub(super) fault: Fault,
    subject: Vec<u8>,
    /// The member's name, empty where an entry has none.
    name: Vec<u8>,
}

impl ShardFault {
    pub(super) fn new(rules: &Rules, code: &str, subject: &[u8]) -> Result<Self, Garbled> {
        let fault = Fault::of_code(code)?;
        let name = match fault {
            Fault::Garbled | Fault::Missing => Some(subject.into()),
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

    /// The entry of the sorted set that is to go where it is wrong.
    pub(super) fn entry(&self) -> Option<&[u8]> {
        let is_entry = !matches!(self.fault, Fault::Garbled | Fault::Missing);
        is_entry.then_some(&self.subject)
    }

    /// The member that has to be ranked by its score.
    pub(super) fn name_to_rank(&self) -> Option<&[u8]> {
        let is_ranked = matches!(self.fault, Fault::Missing | Fault::Misplaced);
        is_ranked.then(|| self.name())
    }

    fn name(&self) -> &[u8] {
        &self.name
    }

    fn told(&self, window: Window, repair: bool) -> IndexMismatch {
        let member: Option<Member> = member_of(self.name()).ok();
        let text = self.fault.text();
        let detail = match &member {
            Some(_) => text.to_owned(),
            None => format!("{text}: \"{}\"", self.subject.escape_ascii()),
        };
        IndexMismatch {
            window,
            member,
            detail,
            repaired: repair && self.fault != Fault::Garbled,
        }
    }
}

/// All that was found of a shard.
#[derive(Debug)]
pub(super) struct Findings {
    window: Window,
    repair: bool,
    /// Whether the window's faults, but for garbled scores, have been reported as one.
    told_as_one: bool,
    is_clean: bool,
    /// Names and entries of the window that were reported.
    told: HashSet<Vec<u8>>,
    list: Vec<IndexMismatch>,
    /// Those that are not in the list, and those of them that were not repaired.
    untold: u64,
    untold_broken: u64,
}

impl Default for Findings {
    fn default() -> Self {
        Self {
            window: Window::ALL_TIME,
            repair: false,
            told_as_one: false,
            is_clean: true,
            told: HashSet::new(),
            list: Vec::new(),
            untold: 0,
            untold_broken: 0,
        }
    }
}

impl Findings {
    /// Goes on to the next window.
    pub(super) fn begin(&mut self, window: Window, repair: bool) {
        self.window = window;
        self.repair = repair;
        self.told_as_one = false;
        self.is_clean = true;
        self.told.clear();
    }

    /// Whether nothing was found of the window.
    pub(super) const fn is_clean(&self) -> bool {
        self.is_clean
    }

    /// Scores of which none is ranked, or the other way round.
    pub(super) fn one_sided(&mut self, scores: u64, ranked: u64) {
        self.told_as_one = true;
        self.tell(IndexMismatch {
            window: self.window,
            member: None,
            detail: if ranked == 0 {
                format!("{scores} members have scores, none is ranked")
            } else {
                format!("{ranked} entries are ranked, none has a score")
            },
            repaired: self.repair,
        });
    }

    /// Not as many scores as ranked members, though each was in order when it was looked at.
    pub(super) fn uneven(&mut self, scores: u64, ranked: u64) {
        self.tell(IndexMismatch {
            window: self.window,
            member: None,
            detail: format!("{ranked} entries are ranked, {scores} members have scores"),
            repaired: false,
        });
    }

    /// What a step found. A scan may come by the same twice, and an entry that is wrong is its
    /// member's score that is not ranked: each member is reported once.
    pub(super) fn add(&mut self, found: Vec<ShardFault>) {
        for found in found {
            self.is_clean = false;
            let is_told = self.told_as_one && found.fault != Fault::Garbled;
            let subject = match found.name() {
                [] => &found.subject,
                name => name,
            };
            if is_told || self.told.contains(subject) {
                continue;
            }
            if self.told.len() < DISAGREEMENTS_MAX {
                self.told.insert(subject.to_vec());
            }
            self.tell(found.told(self.window, self.repair));
        }
    }

    fn tell(&mut self, disagreement: IndexMismatch) {
        self.is_clean = false;
        if self.list.len() < DISAGREEMENTS_MAX {
            self.list.push(disagreement);
        } else {
            self.untold += 1;
            self.untold_broken += u64::from(!disagreement.repaired);
        }
    }

    /// All of them.
    pub(super) fn done(mut self) -> Vec<IndexMismatch> {
        if self.untold > 0 {
            self.list.push(IndexMismatch {
                window: self.window,
                member: None,
                detail: format!("and {} more", self.untold),
                repaired: self.untold_broken == 0,
            });
        }
        self.list
    }
}
