//! Text that is drawn again in place: [`Screen`].

use std::io;

use console::{Term, truncate_str};

/// Standard output, if it is a terminal whose size is known.
pub(crate) struct Screen {
    terminal: Term,
    /// The lines of the last text.
    lines: usize,
}

impl Screen {
    pub(crate) fn open() -> Option<Self> {
        let terminal = Term::stdout();
        let is_screen = terminal.is_term() && terminal.size_checked().is_some();
        is_screen.then_some(Self { terminal, lines: 0 })
    }

    /// Replaces the last text, as far as the terminal shows it.
    pub(crate) fn draw(&mut self, text: &str) -> io::Result<()> {
        let (rows, columns) = self.terminal.size();
        let shown = fitted(text, rows.into(), columns.into());
        self.terminal.clear_last_lines(self.lines)?;
        self.lines = shown.len();
        self.terminal.write_line(&shown.join("\n"))?;
        self.terminal.flush()
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
