//! [`RamDisk`]: a disk in memory that can fail, and loses what was not synced.
//!
//! It is a folder of files; `platter` is one file. After a failed sync, dirty sectors count as
//! clean and are not durable, as on Linux.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::platter::Content;
use disk::{Disk, DiskFile};
use testkit::dice::Dice;

/// The calls that change something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Create,
    Rename,
    Remove,
    SyncFolder,
    Write,
    SetSize,
    Sync,
}

/// How calls fail, from one of them on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fault {
    /// The index among all calls.
    pub(super) at: usize,
    /// Whether all later calls fail too.
    pub(super) for_good: bool,
    /// Whether the failed call takes effect nevertheless.
    pub(super) in_effect: bool,
    pub(super) error: io::ErrorKind,
}

type Names = BTreeMap<String, usize>;

#[derive(Debug, Clone, Default)]
struct State {
    names: Names,
    /// The states in which the folder may be after a power cut: the last synced one, or a later
    /// one.
    names_since: Vec<Names>,
    files: Vec<Content>,
    calls: Vec<Call>,
    fault: Option<Fault>,
    space_bytes: Option<usize>,
    writes_find_no_space: bool,
    held: Option<Call>,
}

/// A flat folder in memory.
#[derive(Debug, Clone, Default)]
pub(super) struct RamDisk(Arc<(Mutex<State>, Condvar)>);

#[derive(Debug)]
struct RamFile {
    disk: RamDisk,
    id: usize,
}

/// The result of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Done,
    FailedInEffect(io::ErrorKind),
    Failed(io::ErrorKind),
}

impl Fate {
    fn result(self) -> io::Result<()> {
        match self {
            Self::Done => Ok(()),
            Self::Failed(kind) | Self::FailedInEffect(kind) => Err(kind.into()),
        }
    }

    fn happens(self) -> bool {
        !matches!(self, Self::Failed(_))
    }
}

impl State {
    fn fate(&mut self, call: Call) -> Fate {
        let number = self.calls.len();
        self.calls.push(call);
        if self.writes_find_no_space && call == Call::Write {
            return Fate::Failed(io::ErrorKind::StorageFull);
        }
        match self.fault {
            Some(fault) if number == fault.at || fault.for_good && number > fault.at => {
                if fault.in_effect {
                    Fate::FailedInEffect(fault.error)
                } else {
                    Fate::Failed(fault.error)
                }
            }
            _ => Fate::Done,
        }
    }

    fn used(&self) -> usize {
        let sizes = self.names.values().map(|&id| self.files[id].size());
        sizes.sum()
    }
}

impl RamDisk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.0.lock()
    }

    fn of(state: State) -> Self {
        Self(Arc::new((Mutex::new(state), Condvar::new())))
    }

    pub(super) fn fail(&self, fault: Fault) {
        self.lock().fault = Some(fault);
    }

    pub(super) fn calls(&self) -> Vec<Call> {
        self.lock().calls.clone()
    }

    pub(super) fn count(&self, call: Call) -> usize {
        let state = self.lock();
        state.calls.iter().filter(|&&made| made == call).count()
    }

    /// Limits the total size of the files.
    pub(super) fn limit(&self, space_bytes: usize) {
        self.lock().space_bytes = Some(space_bytes);
    }

    /// Sets whether every write, even one that does not grow a file, fails for lack of space.
    pub(super) fn refuse_writes(&self, refuse: bool) {
        self.lock().writes_find_no_space = refuse;
    }

    /// Blocks calls of this type until `release`.
    pub(super) fn hold(&self, call: Call) {
        self.lock().held = Some(call);
    }

    pub(super) fn release(&self) {
        self.lock().held = None;
        self.0.1.notify_all();
    }

    fn wait_while_held(&self, call: Call, state: &mut MutexGuard<'_, State>) {
        while state.held == Some(call) {
            self.0.1.wait(state);
        }
    }

    /// Returns the folder as another process finds it after this one was killed, without faults.
    pub(super) fn after_kill(&self) -> Self {
        let mut state = self.lock().clone();
        state.calls.clear();
        state.fault = None;
        state.space_bytes = None;
        state.writes_find_no_space = false;
        state.held = None;
        Self::of(state)
    }

    /// Returns the folder after a power cut: an arbitrary part of what was not synced exists.
    pub(super) fn after_power_cut(&self, dice: &mut Dice) -> Self {
        let state = self.lock();
        let mut names = vec![state.names.clone()];
        names.extend(state.names_since.iter().cloned());
        let names = dice.pick(&names).clone();
        let files = state.files.iter().map(|file| file.torn(dice)).collect();
        Self::of(State {
            names_since: Vec::new(),
            names,
            files,
            ..State::default()
        })
    }

    pub(super) fn content(&self, name: &str) -> Vec<u8> {
        let state = self.lock();
        let file = &state.files[state.names[name]];
        file.read(0, file.size())
    }

    /// Creates a durable file.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) {
        let mut state = self.lock();
        let id = state.files.len();
        state.files.push(Content::of(bytes));
        state.names.insert(name.to_owned(), id);
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.lock().names.keys().cloned().collect()
    }

    fn rename_in(&self, call: Call, change: impl FnOnce(&mut State)) -> io::Result<()> {
        let mut state = self.lock();
        let fate = state.fate(call);
        if fate.happens() {
            let before = state.names.clone();
            state.names_since.push(before);
            change(&mut state);
        }
        fate.result()
    }
}

impl Disk for RamDisk {
    fn path(&self) -> &Path {
        Path::new("ram")
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.names())
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let id = self.lock().names.get(name).copied();
        let id = id.ok_or(io::ErrorKind::NotFound)?;
        let disk = self.clone();
        Ok(Box::new(RamFile { disk, id }))
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        self.rename_in(Call::Create, |state| {
            let id = state.files.len();
            state.files.push(Content::default());
            state.names.insert(name.to_owned(), id);
        })?;
        self.open(name)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.rename_in(Call::Rename, |state| {
            let id = state.names.remove(from).unwrap();
            state.names.insert(to.to_owned(), id);
        })
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.rename_in(Call::Remove, |state| {
            state.names.remove(name);
        })
    }

    fn sync_folder(&self) -> io::Result<()> {
        let mut state = self.lock();
        let fate = state.fate(Call::SyncFolder);
        if fate.happens() {
            state.names_since.clear();
        }
        fate.result()
    }
}

impl DiskFile for RamFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.disk.lock().files[self.id].size() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let state = self.disk.lock();
        let offset = usize::try_from(offset).unwrap();
        let read = state.files[self.id].read(offset, buffer.len());
        buffer[..read.len()].copy_from_slice(&read);
        Ok(read.len())
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut state = self.disk.lock();
        let offset = usize::try_from(offset).unwrap();
        let fate = state.fate(Call::Write);
        self.disk.wait_while_held(Call::Write, &mut state);
        let size = state.files[self.id].size();
        let free = state
            .space_bytes
            .map(|all| all.saturating_sub(state.used()));
        let fits = free.map_or(bytes.len(), |free| {
            bytes.len().min((size + free).saturating_sub(offset))
        });
        let written = if fate.happens() { fits } else { fits / 2 };
        state.files[self.id].write(&bytes[..written], offset);
        if fits < bytes.len() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        fate.result()
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        let mut state = self.disk.lock();
        let bytes = usize::try_from(bytes).unwrap();
        let fate = state.fate(Call::SetSize);
        if fate.happens() {
            state.files[self.id].set_size(bytes);
        }
        fate.result()
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.disk.lock();
        let fate = state.fate(Call::Sync);
        self.disk.wait_while_held(Call::Sync, &mut state);
        if fate.happens() {
            state.files[self.id].sync();
        } else {
            state.files[self.id].fail_sync();
        }
        fate.result()
    }
}
