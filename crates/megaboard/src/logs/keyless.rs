//! Removes keys from log lines: [`Lines`].

use std::io::{self, Write};

use wire::problem::without_keys;

/// A writer of lines, without the keys in them: a caller may have sent its key in a path, or instead of a name.
pub(super) struct Lines<W>(pub(super) W);

impl<W: Write> Write for Lines<W> {
    /// Writes lines, which are complete.
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        let shown = without_keys(&String::from_utf8_lossy(lines));
        self.0.write_all(shown.as_bytes())?;
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
