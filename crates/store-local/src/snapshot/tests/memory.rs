//! A folder in memory that fails at a chosen step, and knows what would outlast a crash.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use disk::{Disk, DiskFile};

/// Files by name; what is reached through clones is the same.
#[derive(Debug, Clone, Default)]
pub(super) struct MemoryDisk {
    steps: Arc<Mutex<Steps>>,
    names: Arc<Mutex<Names>>,
}

#[derive(Debug, Default)]
struct Names {
    now: BTreeMap<String, File>,
    durable: BTreeMap<String, File>,
}

/// What was done, and when it fails.
#[derive(Debug, Default)]
struct Steps {
    done: Vec<&'static str>,
    fails_at: Option<usize>,
    for_good: bool,
}

#[derive(Debug, Clone)]
struct File {
    steps: Arc<Mutex<Steps>>,
    bytes: Arc<Mutex<Bytes>>,
}

#[derive(Debug, Default)]
struct Bytes {
    now: Vec<u8>,
    durable: Vec<u8>,
}

/// What a crash leaves of names that were not synced.
#[derive(Debug, Clone, Copy)]
pub(super) enum Crash {
    NamesLost,
    NamesKept,
}

impl MemoryDisk {
    /// From now on the step of this number fails, counted from 0: once, or it and all that follow.
    pub(super) fn fail_at(&self, step: usize, for_good: bool) {
        *self.steps.lock() = Steps {
            done: Vec::new(),
            fails_at: Some(step),
            for_good,
        };
    }

    /// What was done since faults were asked for.
    pub(super) fn steps(&self) -> Vec<&'static str> {
        self.steps.lock().done.clone()
    }

    /// Returns the folder as it may be after a crash.
    pub(super) fn after(&self, crash: Crash) -> Self {
        let disk = Self::default();
        let names = self.names.lock();
        let left = match crash {
            Crash::NamesLost => &names.durable,
            Crash::NamesKept => &names.now,
        };
        for (name, file) in left {
            disk.put(name, file.bytes.lock().durable.clone());
        }
        disk
    }

    /// Returns a file's bytes.
    pub(super) fn get(&self, name: &str) -> Vec<u8> {
        self.names.lock().now[name].bytes.lock().now.clone()
    }

    /// A file with these bytes, durable.
    pub(super) fn put(&self, name: &str, bytes: Vec<u8>) {
        let file = File {
            steps: self.steps.clone(),
            bytes: Arc::new(Mutex::new(Bytes {
                durable: bytes.clone(),
                now: bytes,
            })),
        };
        let mut names = self.names.lock();
        names.now.insert(name.to_owned(), file.clone());
        names.durable.insert(name.to_owned(), file);
    }
}

fn step(steps: &Mutex<Steps>, what: &'static str) -> io::Result<()> {
    let mut steps = steps.lock();
    let number = steps.done.len();
    steps.done.push(what);
    let fails = steps
        .fails_at
        .is_some_and(|at| number == at || steps.for_good && number > at);
    if fails {
        return Err(io::Error::other(format!("{what} fails")));
    }
    Ok(())
}

fn not_there() -> io::Error {
    io::ErrorKind::NotFound.into()
}

impl Disk for MemoryDisk {
    fn path(&self) -> &Path {
        Path::new("memory")
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.names.lock().now.keys().cloned().collect())
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let names = self.names.lock();
        let file = names.now.get(name).ok_or_else(not_there)?;
        Ok(Box::new(file.clone()))
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        step(&self.steps, "create")?;
        let file = File {
            steps: self.steps.clone(),
            bytes: Arc::default(),
        };
        self.names.lock().now.insert(name.to_owned(), file.clone());
        Ok(Box::new(file))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        step(&self.steps, "rename")?;
        let mut names = self.names.lock();
        let file = names.now.remove(from).ok_or_else(not_there)?;
        names.now.insert(to.to_owned(), file);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        step(&self.steps, "remove")?;
        self.names
            .lock()
            .now
            .remove(name)
            .map(|_| ())
            .ok_or_else(not_there)
    }

    fn sync_folder(&self) -> io::Result<()> {
        step(&self.steps, "sync_folder")?;
        let mut names = self.names.lock();
        names.durable = names.now.clone();
        Ok(())
    }
}

impl DiskFile for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.bytes.lock().now.len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let bytes = self.bytes.lock();
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|offset| bytes.now.get(offset..));
        let rest = rest.unwrap_or_default();
        let len = rest.len().min(buffer.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }

    /// One that fails has written the half.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let result = step(&self.steps, "write");
        let written = if result.is_ok() {
            bytes
        } else {
            &bytes[..bytes.len() / 2]
        };
        let offset = usize::try_from(offset).unwrap();
        let mut held = self.bytes.lock();
        let len = held.now.len().max(offset + written.len());
        held.now.resize(len, 0);
        held.now[offset..offset + written.len()].copy_from_slice(written);
        result
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        step(&self.steps, "set_size")?;
        self.bytes
            .lock()
            .now
            .resize(usize::try_from(bytes).unwrap(), 0);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        step(&self.steps, "sync")?;
        let mut held = self.bytes.lock();
        held.durable = held.now.clone();
        Ok(())
    }
}
