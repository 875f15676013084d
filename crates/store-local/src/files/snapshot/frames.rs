//! Frames in a file: [`FrameWriter`] divides data into frames, [`FrameReader`] reads and checks them.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::SnapshotError;
use super::format::{FRAME_BYTES_MAX, FRAME_HEAD_BYTES, frame_checksum, header, seal_frame};
use board::limits::NAME_BYTES_MAX;
use disk::DiskFile;

/// Maximum bytes that are written between two syncs, so that neither the last sync nor the
/// journal's own syncs have to wait for many others.
const UNSYNCED_BYTES_MAX: u64 = 8 << 20;

/// Appends frames to a file, through one buffer.
#[derive(Debug)]
pub(super) struct FrameWriter {
    file: Box<dyn DiskFile>,
    path: PathBuf,
    sequence: u64,
    /// The offset of the next frame.
    offset: u64,
    unsynced_bytes: u64,
    /// The current frame, after space for its head.
    buffer: Vec<u8>,
    /// Set after a write or a sync failed: the contents of the file are unknown.
    failed: bool,
}

impl FrameWriter {
    /// Writes the header to an empty file.
    pub(super) fn new(
        file: Box<dyn DiskFile>,
        path: PathBuf,
        sequence: u64,
    ) -> Result<Self, SnapshotError> {
        let mut buffer = Vec::with_capacity(FRAME_HEAD_BYTES + FRAME_BYTES_MAX);
        buffer.resize(FRAME_HEAD_BYTES, 0);
        let mut writer = Self {
            file,
            path,
            sequence,
            offset: 0,
            unsynced_bytes: 0,
            buffer,
            failed: false,
        };
        writer.write(&header(sequence))?;
        Ok(writer)
    }

    /// Returns the buffer for the next element of up to `bytes`, in a frame that it fits.
    pub(super) fn reserve(&mut self, bytes: usize) -> Result<&mut Vec<u8>, SnapshotError> {
        if self.buffer.len() + bytes > FRAME_HEAD_BYTES + FRAME_BYTES_MAX {
            self.flush()?;
        }
        Ok(&mut self.buffer)
    }

    /// Appends an element of up to `bytes`.
    pub(super) fn put(
        &mut self,
        element: &impl Serialize,
        bytes: usize,
    ) -> Result<(), SnapshotError> {
        let buffer = self.reserve(bytes)?;
        postcard::to_io(element, buffer).expect("a vector takes everything");
        Ok(())
    }

    /// Returns where the current frame would end if nothing were added.
    pub(super) fn end(&self) -> u64 {
        match self.buffer.len() {
            FRAME_HEAD_BYTES => self.offset,
            bytes => self.offset + bytes as u64,
        }
    }

    /// Ends the current frame.
    pub(super) fn flush(&mut self) -> Result<(), SnapshotError> {
        if self.buffer.len() > FRAME_HEAD_BYTES {
            let mut frame = std::mem::take(&mut self.buffer);
            seal_frame(&mut frame, self.sequence, self.offset);
            let written = self.write(&frame);
            frame.truncate(FRAME_HEAD_BYTES);
            self.buffer = frame;
            written?;
        }
        Ok(())
    }

    /// Writes the footer, and makes everything durable.
    pub(super) fn finish(&mut self, footer: &[u8]) -> Result<u64, SnapshotError> {
        self.flush()?;
        self.write(footer)?;
        self.sync()?;
        Ok(self.offset)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let written = self.file.write_at(bytes, self.offset);
        self.done(written)?;
        self.offset += bytes.len() as u64;
        self.unsynced_bytes += bytes.len() as u64;
        if self.unsynced_bytes >= UNSYNCED_BYTES_MAX {
            self.sync()?;
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), SnapshotError> {
        let synced = self.file.sync();
        self.unsynced_bytes = 0;
        self.done(synced)
    }

    /// Records a failure permanently: a later sync that succeeds does not cover earlier writes.
    fn done(&mut self, result: io::Result<()>) -> Result<(), SnapshotError> {
        let result = if self.failed {
            Err(io::Error::other("an earlier write has failed"))
        } else {
            result
        };
        self.failed |= result.is_err();
        result.map_err(SnapshotError::io(&self.path))
    }
}

/// Reads a range of a file that consists of frames.
#[derive(Debug)]
pub(super) struct FrameReader<'a> {
    file: &'a dyn DiskFile,
    path: &'a Path,
    sequence: u64,
    /// The offset of the next frame.
    next: u64,
    /// The end of the last frame.
    end: u64,
    payload: Vec<u8>,
    /// Bytes of the payload that have been read.
    read: usize,
}

impl<'a> FrameReader<'a> {
    pub(super) const fn new(
        file: &'a dyn DiskFile,
        path: &'a Path,
        sequence: u64,
        stretch: std::ops::Range<u64>,
    ) -> Self {
        Self {
            file,
            path,
            sequence,
            next: stretch.start,
            end: stretch.end,
            payload: Vec::new(),
            read: 0,
        }
    }

    /// Returns the remaining bytes of this frame, or the next frame; empty at the end.
    pub(super) fn bytes(&mut self) -> Result<&[u8], SnapshotError> {
        if self.read == self.payload.len() && self.next < self.end {
            self.read_frame()?;
        }
        Ok(&self.payload[self.read..])
    }

    /// Marks everything of this frame as read.
    pub(super) const fn skip(&mut self) {
        self.read = self.payload.len();
    }

    /// Returns whether everything has been read.
    pub(super) const fn is_at_end(&self) -> bool {
        self.read == self.payload.len() && self.next == self.end
    }

    /// Returns an upper bound of the bytes to come.
    pub(super) const fn bytes_left(&self) -> u64 {
        (self.payload.len() - self.read) as u64 + (self.end - self.next)
    }

    /// Reads one element, which is in one frame.
    pub(super) fn take<T: DeserializeOwned>(&mut self) -> Result<T, SnapshotError> {
        let taken = postcard::take_from_bytes(self.bytes()?);
        match taken.map(|(element, rest)| (element, rest.len())) {
            Ok((element, left)) => {
                self.read = self.payload.len() - left;
                Ok(element)
            }
            Err(error) => Err(self.damaged(error)),
        }
    }

    /// Reads a row of so many words, and returns its member.
    pub(super) fn row(&mut self, words: &mut [u64]) -> Result<&[u8], SnapshotError> {
        let bytes = self.bytes()?;
        let mut take = || {
            let (member, mut rest) = postcard::take_from_bytes::<&str>(bytes)?;
            let end = bytes.len() - rest.len();
            for word in &mut *words {
                (*word, rest) = postcard::take_from_bytes(rest)?;
            }
            Ok((end - member.len()..end, bytes.len() - rest.len()))
        };
        match take() {
            Ok((member, bytes)) if (1..=NAME_BYTES_MAX).contains(&member.len()) => {
                let begin = self.read;
                self.read += bytes;
                Ok(&self.payload[begin + member.start..begin + member.end])
            }
            Ok(_) => Err(self.damaged("a member has no name of 1 to 128 bytes")),
            Err(error) => Err(self.damaged::<postcard::Error>(error)),
        }
    }

    /// Returns the offset of the next byte.
    pub(super) const fn offset(&self) -> u64 {
        self.next - (self.payload.len() - self.read) as u64
    }

    /// Reports that what was just read is invalid.
    pub(super) fn damaged<W: ToString>(&self, what: W) -> SnapshotError {
        SnapshotError::damaged(self.path, self.offset(), what)
    }

    pub(super) const fn path(&self) -> &'a Path {
        self.path
    }

    fn read_frame(&mut self) -> Result<(), SnapshotError> {
        let damaged = |what| SnapshotError::damaged(self.path, self.next, what);
        let mut head = [0; FRAME_HEAD_BYTES];
        if self.end - self.next <= head.len() as u64 {
            return Err(damaged("ends within a frame's head"));
        }
        read_exactly(self.file, self.path, &mut head, self.next)?;
        let [length, checksum] = [0, 4]
            .map(|at| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
        let offset = self.next + head.len() as u64;
        if length == 0 || length as usize > FRAME_BYTES_MAX {
            return Err(damaged("a frame has an impossible length"));
        }
        if u64::from(length) > self.end - offset {
            return Err(damaged("ends within a frame"));
        }
        self.payload.resize(length as usize, 0);
        read_exactly(self.file, self.path, &mut self.payload, offset)?;
        if checksum != frame_checksum(self.sequence, self.next, length, &self.payload) {
            return Err(damaged("a frame does not match its checksum"));
        }
        self.next = offset + u64::from(length);
        self.read = 0;
        Ok(())
    }
}

/// Fills the buffer from a file, which must be long enough.
pub(super) fn read_exactly(
    file: &dyn DiskFile,
    path: &Path,
    buffer: &mut [u8],
    offset: u64,
) -> Result<(), SnapshotError> {
    let read = file
        .read_at(buffer, offset)
        .map_err(SnapshotError::io(path))?;
    if read < buffer.len() {
        let end = offset + read as u64;
        return Err(SnapshotError::damaged(path, end, "ends within the file"));
    }
    Ok(())
}
