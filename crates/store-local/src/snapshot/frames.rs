//! Frames on a file: [`FrameWriter`] cuts what is put into it, [`FrameReader`] checks them one by one.

use std::io;
use std::path::{Path, PathBuf};

use super::super::bytes::{Bytes, Malformed};
use super::SnapshotError;
use super::format::{
    FRAME_BYTES_MAX, FRAME_HEAD_BYTES, VERSION, frame_checksum, header, seal_frame,
};
use journal::DiskFile;

/// Bytes that are written between two syncs: what the last one has to wait for, beside its own, and
/// what waits in the system before the journal's own syncs.
const UNSYNCED_BYTES_MAX: u64 = 8 << 20;

/// Appends frames to a file, through one buffer.
#[derive(Debug)]
pub(super) struct FrameWriter {
    file: Box<dyn DiskFile>,
    path: PathBuf,
    sequence: u64,
    /// Where the next frame goes.
    offset: u64,
    unsynced_bytes: u64,
    /// The frame in the making, behind room for its head.
    buffer: Vec<u8>,
    /// A write or a sync has failed: what is on the file is not known any more.
    failed: bool,
}

impl FrameWriter {
    /// Begins an empty file with its header.
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
        writer.write(&header(VERSION, sequence))?;
        Ok(writer)
    }

    /// Where the next element goes: in its frame there is room for it.
    pub(super) fn room(&mut self, bytes: usize) -> Result<&mut Vec<u8>, SnapshotError> {
        if self.buffer.len() + bytes > FRAME_HEAD_BYTES + FRAME_BYTES_MAX {
            self.flush()?;
        }
        Ok(&mut self.buffer)
    }

    /// Where the next frame ends, if nothing more comes into it.
    pub(super) fn end(&self) -> u64 {
        match self.buffer.len() {
            FRAME_HEAD_BYTES => self.offset,
            bytes => self.offset + bytes as u64,
        }
    }

    /// Ends a frame.
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

    /// Writes what stands behind the frames, and makes all durable.
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

    /// What failed once stays failed: a later sync that succeeds says nothing of what came before.
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

/// Reads a stretch of a file that is frames from end to end.
#[derive(Debug)]
pub(super) struct FrameReader<'a> {
    file: &'a dyn DiskFile,
    path: &'a Path,
    sequence: u64,
    /// Where the next frame begins.
    next: u64,
    /// Where the last one ends.
    end: u64,
    payload: Vec<u8>,
    /// Bytes of the payload that were read.
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

    /// The rest of this frame, or the next; nothing at the end.
    pub(super) fn bytes(&mut self) -> Result<Bytes<'_>, SnapshotError> {
        if self.read == self.payload.len() && self.next < self.end {
            self.read_frame()?;
        }
        Ok(Bytes::new(&self.payload[self.read..]))
    }

    /// Whether everything was read.
    pub(super) const fn is_at_end(&self) -> bool {
        self.read == self.payload.len() && self.next == self.end
    }

    /// At least as many as there are still to come.
    pub(super) const fn bytes_left(&self) -> u64 {
        (self.payload.len() - self.read) as u64 + (self.end - self.next)
    }

    /// Reads one thing, which lies in one frame.
    pub(super) fn take<T>(
        &mut self,
        take: impl FnOnce(&mut Bytes<'_>) -> Result<T, Malformed>,
    ) -> Result<T, SnapshotError> {
        let mut bytes = self.bytes()?;
        let taken = take(&mut bytes);
        let left = bytes.len();
        self.left(left);
        taken.map_err(|what| self.damaged(what))
    }

    /// Of what [`FrameReader::bytes`] gave so many were not read.
    pub(super) const fn left(&mut self, bytes: usize) {
        self.read = self.payload.len() - bytes;
    }

    /// Where the next byte to be read stands.
    pub(super) const fn offset(&self) -> u64 {
        self.next - (self.payload.len() - self.read) as u64
    }

    /// What was just read is not right.
    pub(super) fn damaged(&self, what: Malformed) -> SnapshotError {
        SnapshotError::damaged(self.path, self.offset())(what)
    }

    pub(super) const fn path(&self) -> &'a Path {
        self.path
    }

    fn read_frame(&mut self) -> Result<(), SnapshotError> {
        const LENGTH: &str = "a frame's length";
        let damaged = SnapshotError::damaged(self.path, self.next);
        let mut head = [0; FRAME_HEAD_BYTES];
        if self.end - self.next <= head.len() as u64 {
            return Err(damaged(Malformed::Short("a frame's head")));
        }
        read_exactly(self.file, self.path, &mut head, self.next)?;
        let [length, checksum] = [0, 4]
            .map(|at| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
        let offset = self.next + head.len() as u64;
        if length == 0 || length as usize > FRAME_BYTES_MAX {
            return Err(damaged(Malformed::OutOfRange(LENGTH, u64::from(length))));
        }
        if u64::from(length) > self.end - offset {
            return Err(damaged(Malformed::Short("a frame")));
        }
        self.payload.resize(length as usize, 0);
        read_exactly(self.file, self.path, &mut self.payload, offset)?;
        if checksum != frame_checksum(self.sequence, self.next, length, &self.payload) {
            return Err(damaged(Malformed::Wrong(
                "a frame does not match its checksum",
            )));
        }
        self.next = offset + u64::from(length);
        self.read = 0;
        Ok(())
    }
}

/// Fills the buffer from a file that has to reach that far.
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
        return Err(SnapshotError::damaged(path, end)(Malformed::Short(
            "the file",
        )));
    }
    Ok(())
}
