//! Text that is drawn again in place: [`Screen`].

use std::io;

use console::{Term, truncate_str};

/// Standard output, if it is a terminal whose size is known.
pub(crate) struct Screen {
    terminal: Term,
    /// The lines of the last text.
    lines: usize,
    /// The rows and columns at that time.
    size: (u16, u16),
}

impl Screen {
    pub(crate) fn open() -> Option<Self> {
        let terminal = Term::stdout();
        let size = terminal.size_checked().filter(|_| terminal.is_term())?;
        Some(Self {
            terminal,
            lines: 0,
            size,
        })
    }

    /// Replaces the last text, as far as the terminal shows it.
    pub(crate) fn draw(&mut self, text: &str) -> io::Result<()> {
        // The terminal has wrapped or moved the lines: how many there are is unknown.
        if self.is_resized() {
            self.terminal.clear_screen()?;
        } else {
            self.terminal.clear_last_lines(self.lines)?;
        }
        self.size = self.terminal.size();
        let (rows, columns) = self.size;
        let shown = fitted(text, rows.into(), columns.into());
        self.lines = shown.len();
        self.terminal.write_line(&shown.join("\n"))?;
        self.terminal.flush()
    }

    /// Returns whether the terminal has another size than when the last text was drawn.
    pub(crate) fn is_resized(&self) -> bool {
        self.lines > 0 && self.size != self.terminal.size()
    }

    /// Leaves the last text where it is: the next one is drawn below.
    pub(crate) const fn end(&mut self) {
        self.lines = 0;
    }
}

/// Returns the lines that fit. The cursor is below them: a line that has scrolled away cannot be replaced.
fn fitted(text: &str, rows: usize, columns: usize) -> Vec<String> {
    let lines = text.lines().take(rows.saturating_sub(1).max(1));
    lines
        .map(|line| truncate_str(line, columns, "…").into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_beyond_the_terminal_are_not_drawn() {
        let text = "one\ntwo is longer\n用户一\nfour";
        assert_eq!(fitted(text, 4, 5), ["one", "two …", "用户…"]);
        assert_eq!(fitted(text, 80, 80).join("\n"), text);
        assert_eq!(fitted(text, 0, 80), ["one"]);
    }
}
