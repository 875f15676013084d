//! `megaboard boards`: lists the boards of a kind.

use std::error::Error;
use std::process::ExitCode;

use crate::result_args::ResultArgs;
use crate::runtime::Runtime;
use crate::server::ServerArgs;
use crate::terminal::{self, Cells, table};
use clap::Args;
use megaboard_client::{Boards, Client, Error as ClientError, Listed, Span};

use crate::board_commands::client;
use crate::board_commands::standings::or_dash;

/// The server's limit for a page of boards.
const PAGE_MAX: u64 = 1_000;

/// Lists the boards of a kind, ordered by subject.
#[derive(Args, Debug)]
pub struct BoardsArgs {
    /// The kind.
    kind: String,

    /// Only boards whose subject begins with this.
    #[arg(long, value_name = "TEXT")]
    prefix: Option<String>,

    /// Only boards after this subject, as the last message has it.
    #[arg(long, value_name = "SUBJECT")]
    after: Option<String>,

    /// Maximum number of boards.
    #[arg(short, value_name = "N", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    n: u64,

    #[command(flatten)]
    server: ServerArgs,

    #[command(flatten)]
    result: ResultArgs,
}

/// Runs the command.
pub fn run(args: &BoardsArgs) -> Result<ExitCode, Box<dyn Error>> {
    let client = client(&args.server)?;
    let page = Runtime::start()?.block_on(args.read(&client))?;
    if let Some(next) = page.next.as_ref().filter(|_| !args.result.json) {
        terminal::report(&format!(
            "there may be more boards: -n lists more, --after {next:?} continues"
        ));
    }
    let is_part = args.prefix.is_some() || args.after.is_some();
    args.result.print(&page, |page| render(page, is_part))?;
    Ok(ExitCode::SUCCESS)
}

impl BoardsArgs {
    /// Reads as many pages as there are boards wanted, as one.
    async fn read(&self, client: &Client) -> Result<Boards, ClientError> {
        let mut request = client.boards(&self.kind);
        if let Some(prefix) = &self.prefix {
            request = request.prefix(prefix);
        }
        let page = |after: Option<&str>, limit: u64| {
            let request = request.clone().limit(limit.min(PAGE_MAX));
            match after {
                Some(after) => request.after(after),
                None => request,
            }
        };
        let mut all = page(self.after.as_deref(), self.n).await?;
        while let Some(after) = all.next.take() {
            let left = self.n - all.boards.len() as u64;
            if left == 0 {
                all.next = Some(after);
                break;
            }
            let next = page(Some(&after), left).await?;
            all.boards.extend(next.boards);
            all.next = next.next;
        }
        Ok(all)
    }
}

/// Renders the boards of a kind, or a part of them.
fn render(page: &Boards, is_part: bool) -> String {
    if page.boards.is_empty() && is_part {
        return "no such boards".to_owned();
    }
    if page.boards.is_empty() {
        return "no boards: the first contribution to a board creates it".to_owned();
    }
    let is_timed = |it: &Listed| it.span.starts_at.is_some() || it.span.ends_at.is_some();
    let are_timed = page.boards.iter().any(is_timed);
    let mut columns = vec![("board", Cells::Names), ("shards", Cells::Numbers)];
    if are_timed {
        columns.extend([("starts at", Cells::Text), ("ends at", Cells::Text)]);
    }
    let rows = page.boards.iter().map(|listed| {
        let Span {
            starts_at, ends_at, ..
        } = listed.span;
        let mut row = vec![listed.board.clone(), listed.shards.to_string()];
        if are_timed {
            row.extend([or_dash(starts_at), or_dash(ends_at)]);
        }
        row
    });
    table(&columns, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(boards: &str) -> Boards {
        serde_json::from_str(&format!(r#"{{"kind":"pk","boards":{boards},"next":null}}"#)).unwrap()
    }

    fn shown(boards: &str) -> String {
        render(&page(boards), false)
    }

    #[test]
    fn times_are_shown_if_a_board_has_one() {
        let plain = r#"{"board":"pk/1","subject":"1","shards":16}"#;
        assert_eq!(
            shown(&format!("[{plain}]")),
            " board  shards\n pk/1       16"
        );
        let timed = r#"{"board":"pk/2","subject":"2","shards":1,"ends_at":"2026-11-20T20:15:00Z"}"#;
        assert_eq!(
            shown(&format!("[{plain},{timed}]")),
            " board  shards  starts at  ends at\n pk/1       16  -          -\n \
             pk/2        1  -          2026-11-20T20:15:00Z"
        );
        assert!(shown("[]").starts_with("no boards: "));
        assert_eq!(render(&page("[]"), true), "no such boards");
    }
}
