//! The commands of a page: indented blocks with lines that begin with `$ `, each followed by the
//! output that the page shows of it.

/// The prompt of a command in an indented block.
const PROMPT: &str = "    $ ";
const INDENT: &str = "    ";
/// What stands for any text in the output that a page shows.
const ANY: char = '…';

/// A command of a page.
#[derive(Debug)]
pub(super) struct Step {
    /// The number of its first line.
    pub(super) line: usize,
    /// The command, of several lines if it is continued.
    pub(super) command: String,
    /// The output that the page shows, or nothing.
    pub(super) output: String,
}

impl Step {
    /// Returns whether the command goes on in the next line: a quote or a loop is open, or its end
    /// says so.
    fn is_continued(&self) -> bool {
        let quotes = self.command.matches('\'').count();
        let is_loop = self.command.starts_with("for ") && !self.command.ends_with("done");
        quotes % 2 == 1 || is_loop || self.command.ends_with(['\\', '|'])
    }

    /// Returns whether this output is what the page shows. White space is not compared.
    pub(super) fn shows(&self, output: &str) -> bool {
        let [shown, output] = [&self.output, output].map(without_space);
        if shown.is_empty() {
            return true;
        }
        let mut pieces = shown.split(ANY);
        let first = pieces.next().unwrap_or_default();
        let Some(mut left) = output.strip_prefix(first) else {
            return false;
        };
        let mut last = None;
        for piece in pieces {
            let Some(at) = left.find(piece) else {
                return false;
            };
            left = &left[at + piece.len()..];
            last = Some(piece);
        }
        last.map_or(left.is_empty(), |last| output.ends_with(last))
    }
}

fn without_space(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Returns the commands of a page, in order.
pub(super) fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_block = false;
    for (line, text) in (1..).zip(page.lines()) {
        if let Some(command) = text.strip_prefix(PROMPT) {
            let command = command.to_owned();
            let output = String::new();
            steps.push(Step {
                line,
                command,
                output,
            });
            is_block = true;
            continue;
        }
        let Some(rest) = text.strip_prefix(INDENT).filter(|_| is_block) else {
            is_block = false;
            continue;
        };
        let step = steps.last_mut().expect("a block has a command");
        if step.output.is_empty() && step.is_continued() {
            step.command.push('\n');
            step.command.push_str(rest);
        } else {
            step.output.push_str(rest);
        }
    }
    steps
}

#[test]
fn commands_are_read_with_their_output() {
    let page = "Text\n\n    $ one 'a\n      b' |\n        two\n    {\"x\":1,…,\n      \"y\":2}\n\n    no\n";
    let steps = steps(page);
    assert_eq!(steps.len(), 1);
    assert_eq!(
        (steps[0].line, &*steps[0].command),
        (3, "one 'a\n  b' |\n    two")
    );
    assert!(steps[0].shows("{\"x\": 1, \"z\": 3, \"y\": 2}\n"));
    for other in ["{\"x\":1,\"y\":3}", "{\"x\":2,\"y\":2}", ""] {
        assert!(!steps[0].shows(other), "{other}");
    }
}
