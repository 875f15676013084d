//! `megaboard member`: hides a member on every board, shows it again, or erases it.

mod boards;

use std::error::Error;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use crate::result_args::ResultArgs;
use crate::runtime::Runtime;
use crate::server::ServerArgs;
use crate::terminal::{self, printable};
use clap::{Args, Subcommand};
use megaboard_client::{Client, HiddenIn};
use serde::Serialize;

use crate::board_commands::client;

/// The exit status of an invalid command line, which one without a required confirmation is, too.
const USAGE: u8 = 2;

/// Hides a member on every board, shows it again, or erases it.
#[derive(Args, Debug)]
pub struct MemberArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Hides a member on every board. Ranks close up; contributions to it still count.
    Hide(OneMemberArgs),
    /// Shows a hidden member again, at the rank that it has by now.
    Show(OneMemberArgs),
    Erase(EraseArgs),
}

#[derive(Args, Debug)]
struct OneMemberArgs {
    /// The member.
    member: String,

    /// Only on boards of this kind.
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,

    #[command(flatten)]
    server: ServerArgs,

    #[command(flatten)]
    result: ResultArgs,
}

/// Erases a member from every window of every board, past windows included. This cannot be undone.
///
/// Asks for confirmation. If standard input or standard error is not a terminal, --yes is required.
///
/// Exit status: 0 if the member was erased, 1 if not or after an error, 2 without a confirmation.
#[derive(Args, Debug)]
struct EraseArgs {
    #[command(flatten)]
    member: OneMemberArgs,

    /// Do not ask for confirmation.
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,

    /// List the boards that rank the member now, and the kinds in which it is hidden, and erase nothing. Boards where
    /// it is hidden, or only in past windows, are not listed, and are erased too.
    #[arg(long)]
    dry_run: bool,
}

/// What `erase` prints.
#[derive(Serialize)]
struct Erasure<'a> {
    member: &'a str,
    /// The number of boards that were searched.
    boards: u64,
    /// The number of boards that the member was erased from.
    erased: u64,
}

/// Runs the command.
pub fn run(args: &MemberArgs) -> Result<ExitCode, Box<dyn Error>> {
    let runtime = Runtime::start()?;
    match &args.action {
        Action::Hide(args) => args.set_hidden(&runtime, true),
        Action::Show(args) => args.set_hidden(&runtime, false),
        Action::Erase(args) => args.run(&runtime),
    }
}

impl OneMemberArgs {
    fn set_hidden(&self, runtime: &Runtime, is_hidden: bool) -> Result<ExitCode, Box<dyn Error>> {
        let client = client(&self.server)?;
        let mut request = if is_hidden {
            client.hide(&self.member)
        } else {
            client.show(&self.member)
        };
        if let Some(kind) = &self.kind {
            request = request.kind(kind);
        }
        let hidden = runtime.block_on(async { request.await })?;
        self.result.print(&hidden, render_hidden)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the boards that are meant, for messages.
    fn scope(&self) -> String {
        match &self.kind {
            Some(kind) => format!("all boards of kind {}", printable(kind)),
            None => "all boards".to_owned(),
        }
    }
}

fn render_hidden(hidden: &HiddenIn) -> String {
    if hidden.hidden_in.is_empty() {
        "not hidden".to_owned()
    } else {
        format!("hidden in: {}", printable(&hidden.hidden_in.join(", ")))
    }
}

impl EraseArgs {
    fn run(&self, runtime: &Runtime) -> Result<ExitCode, Box<dyn Error>> {
        let OneMemberArgs {
            member,
            kind,
            result,
            ..
        } = &self.member;
        let client = client(&self.member.server)?;
        if self.dry_run {
            let hidden_in = runtime.block_on(self.hidden_in(&client))?;
            let ranked = boards::ranked(&client, member, kind.as_deref(), hidden_in);
            let ranked = runtime.block_on(ranked)?;
            result.print(&ranked, boards::render)?;
            return Ok(ExitCode::SUCCESS);
        }
        if !self.yes {
            if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
                terminal::report(
                    "member erase cannot be undone: add --yes to confirm it, since standard input or standard error is \
                     not a terminal; --dry-run lists the boards",
                );
                return Ok(ExitCode::from(USAGE));
            }
            let hidden_in = runtime.block_on(self.hidden_in(&client))?;
            if !self.is_confirmed(&hidden_in)? {
                terminal::report("nothing was erased");
                return Ok(ExitCode::FAILURE);
            }
        }
        let erasure = runtime.block_on(self.erase(&client))?;
        result.print(&erasure, |it| {
            format!("erased from {} of {} boards", it.erased, it.boards)
        })?;
        Ok(ExitCode::SUCCESS)
    }

    /// Asks on the terminal.
    fn is_confirmed(&self, hidden_in: &[String]) -> io::Result<bool> {
        let (member, scope) = (printable(&self.member.member), self.member.scope());
        let hidden = match hidden_in.join(", ") {
            kinds if kinds.is_empty() => kinds,
            kinds => format!(" (hidden in {})", printable(&kinds)),
        };
        let mut terminal = io::stderr();
        write!(
            terminal,
            "Erase {member}{hidden} from {scope}, past windows included? This cannot be undone. [y/N] "
        )?;
        terminal.flush()?;
        let mut answer = String::new();
        if io::stdin().read_line(&mut answer)? == 0 {
            // The next message begins on its own line.
            writeln!(terminal)?;
        }
        Ok(is_yes(&answer))
    }

    /// Returns the kinds in which the member is hidden, of those that are meant.
    async fn hidden_in(&self, client: &Client) -> Result<Vec<String>, megaboard_client::Error> {
        let mut request = client.hidden_in(&self.member.member);
        if let Some(kind) = &self.member.kind {
            request = request.kind(kind);
        }
        Ok(request.await?.hidden_in)
    }

    async fn erase(&self, client: &Client) -> Result<Erasure<'_>, megaboard_client::Error> {
        let OneMemberArgs { member, kind, .. } = &self.member;
        let mut request = client.erase(member);
        if let Some(kind) = kind {
            request = request.kind(kind);
        }
        let erased = request.await?;
        Ok(Erasure {
            member,
            boards: erased.boards,
            erased: erased.erased,
        })
    }
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yes_is_a_confirmation() {
        for (answer, confirmed) in [
            ("y\n", true),
            (" YES \n", true),
            ("\n", false),
            ("", false),
            ("n\n", false),
            ("yes please\n", false),
        ] {
            assert_eq!(is_yes(answer), confirmed, "{answer:?}");
        }
    }
}
