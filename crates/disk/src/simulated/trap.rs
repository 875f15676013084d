//! [`Trap`]: makes an operation of a simulated disk fail, or runs something before it.
//!
//! A trap identifies the operation by its type, a part of the file's name, and the number of such operations before it.

use std::fmt;

/// The error number of Linux for a broken disk.
pub const EIO: i32 = 5;

/// The error number of Linux for a full disk.
pub const ENOSPC: i32 = 28;

/// The type of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Lists the folder.
    List,
    /// Opens a file.
    Open,
    /// Creates a file.
    Create,
    /// Renames a file.
    Rename,
    /// Removes a file.
    Remove,
    /// Makes names durable.
    SyncFolder,
    /// Reads the length of a file.
    Size,
    /// Reads bytes.
    Read,
    /// Writes bytes.
    Write,
    /// Truncates or extends a file.
    SetSize,
    /// Makes the contents of a file durable.
    Sync,
}

impl Operation {
    /// The operations that change something, or make it durable.
    pub const CHANGES: [Self; 7] = [
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
pub enum Times {
    /// Only this operation fails.
    Once,
    /// This operation and all later ones like it fail.
    ForGood,
}

/// How an operation fails.
#[derive(Debug, Clone, Copy)]
pub struct Failure {
    /// The error number.
    pub error: i32,
    /// How often it fails.
    pub times: Times,
    /// Whether the operation has its effect nevertheless.
    pub in_effect: bool,
}

enum Action {
    Fail(Failure),
    Run(Option<Box<dyn FnOnce() + Send>>),
}

/// Fails an operation, or runs something before it.
pub struct Trap {
    /// `None`: any change.
    operation: Option<Operation>,
    name_part: String,
    /// The number of matching operations that are not affected.
    passing: u64,
    sprung: bool,
    action: Action,
}

impl Trap {
    fn new(operation: Option<Operation>, name_part: &str, passing: u64, action: Action) -> Self {
        Self {
            operation,
            name_part: name_part.to_owned(),
            passing,
            sprung: false,
            action,
        }
    }

    /// Fails the operation after this many others like it.
    pub fn fails(
        operation: Operation,
        name_part: &str,
        passing: u64,
        error: i32,
        times: Times,
    ) -> Self {
        let failure = Failure {
            error,
            times,
            in_effect: false,
        };
        Self::new(Some(operation), name_part, passing, Action::Fail(failure))
    }

    /// Fails the change after this many others, of any type.
    pub fn fails_change(passing: u64, failure: Failure) -> Self {
        Self::new(None, "", passing, Action::Fail(failure))
    }

    /// Runs something before the operation after this many others like it, on its thread.
    pub fn runs(
        operation: Operation,
        name_part: &str,
        passing: u64,
        hook: impl FnOnce() + Send + 'static,
    ) -> Self {
        let action = Action::Run(Some(Box::new(hook)));
        Self::new(Some(operation), name_part, passing, action)
    }

    fn is_for(&self, operation: Operation, name: &str) -> bool {
        let is_same = match self.operation {
            Some(own) => own == operation,
            None => operation.is_change(),
        };
        is_same && name.contains(&self.name_part)
    }

    fn springs(&mut self, operation: Operation, name: &str) -> bool {
        if !self.is_for(operation, name) {
            return false;
        }
        let springs = match self.action {
            _ if self.passing > 0 => false,
            Action::Fail(failure) if failure.times == Times::ForGood => true,
            Action::Fail(_) | Action::Run(_) => !self.sprung,
        };
        self.passing = self.passing.saturating_sub(1);
        self.sprung |= springs;
        springs
    }
}

impl fmt::Debug for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trap({:?} {:?})", self.operation, self.name_part)
    }
}

/// The effect of traps on an operation.
pub(super) enum Sprung {
    Nothing,
    Fails(Failure),
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

    pub(super) fn spring(&mut self, operation: Operation, name: &str) -> Sprung {
        let mut sprung = Sprung::Nothing;
        for trap in &mut self.0 {
            if trap.springs(operation, name) {
                sprung = match &mut trap.action {
                    Action::Fail(failure) => Sprung::Fails(*failure),
                    Action::Run(hook) => hook.take().map_or(Sprung::Nothing, Sprung::Runs),
                };
            }
        }
        sprung
    }
}
