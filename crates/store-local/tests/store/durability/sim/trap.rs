//! What waits for an operation of a simulated disk: an error, or something to do before it.
//!
//! A [`Trap`] names the operation by what it does, a part of the file's name, and how many such
//! operations go before it.

use std::fmt;

/// Error numbers of Linux: the disk is broken, the disk is full.
pub(crate) const EIO: i32 = 5;
pub(crate) const ENOSPC: i32 = 28;

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    List,
    Open,
    Create,
    Rename,
    Remove,
    SyncFolder,
    Size,
    Read,
    Write,
    SetSize,
    Sync,
}

impl Act {
    /// Those that change something, or make it durable.
    pub(crate) const CHANGES: [Self; 7] = [
        Self::Create,
        Self::Rename,
        Self::Remove,
        Self::SyncFolder,
        Self::Write,
        Self::SetSize,
        Self::Sync,
    ];

    pub(super) fn is_change(self) -> bool {
        Self::CHANGES.contains(&self)
    }
}

/// How often an operation fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Times {
    Once,
    ForGood,
}

enum Does {
    Fails(i32, Times),
    Runs(Option<Box<dyn FnOnce() + Send>>),
}

/// Something that waits for an operation.
pub(crate) struct Trap {
    act: Act,
    name_part: String,
    passing: u64,
    sprung: bool,
    does: Does,
}

impl Trap {
    fn new(act: Act, name_part: &str, passing: u64, does: Does) -> Self {
        Self {
            act,
            name_part: name_part.to_owned(),
            passing,
            sprung: false,
            does,
        }
    }

    /// Fails the operation behind so many others like it: once, or it and all later ones.
    pub(crate) fn fails(act: Act, name_part: &str, passing: u64, error: i32, times: Times) -> Self {
        Self::new(act, name_part, passing, Does::Fails(error, times))
    }

    /// Runs something before the operation behind so many others like it, on its thread.
    pub(crate) fn runs(
        act: Act,
        name_part: &str,
        passing: u64,
        hook: impl FnOnce() + Send + 'static,
    ) -> Self {
        Self::new(act, name_part, passing, Does::Runs(Some(Box::new(hook))))
    }

    fn springs(&mut self, act: Act, name: &str) -> bool {
        if self.act != act || !name.contains(&self.name_part) {
            return false;
        }
        let springs = match self.does {
            _ if self.passing > 0 => false,
            Does::Fails(_, Times::ForGood) => true,
            Does::Fails(_, Times::Once) | Does::Runs(_) => !self.sprung,
        };
        self.passing = self.passing.saturating_sub(1);
        self.sprung |= springs;
        springs
    }
}

impl fmt::Debug for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trap({:?} {:?})", self.act, self.name_part)
    }
}

/// What an operation meets.
pub(super) enum Sprung {
    Nothing,
    Fails(i32),
    Runs(Box<dyn FnOnce() + Send>),
}

/// All traps of a disk. A copy of the disk has none.
#[derive(Debug, Default)]
pub(super) struct Traps(Vec<Trap>);

impl Clone for Traps {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Traps {
    pub(super) fn add(&mut self, trap: Trap) {
        self.0.push(trap);
    }

    pub(super) fn all_sprung(&self) -> bool {
        self.0.iter().all(|trap| trap.sprung)
    }

    pub(super) fn any_sprung(&self) -> bool {
        self.0.iter().any(|trap| trap.sprung)
    }

    pub(super) fn spring(&mut self, act: Act, name: &str) -> Sprung {
        let mut sprung = Sprung::Nothing;
        for trap in &mut self.0 {
            if trap.springs(act, name) {
                sprung = match &mut trap.does {
                    Does::Fails(error, _) => Sprung::Fails(*error),
                    Does::Runs(hook) => hook.take().map_or(Sprung::Nothing, Sprung::Runs),
                };
            }
        }
        sprung
    }
}
