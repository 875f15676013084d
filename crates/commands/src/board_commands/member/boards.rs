//! The boards that rank a member, for `member erase --dry-run`: [`ranked`].

use std::fmt::Write as _;

use crate::terminal::{Cells, printable, table};
use megaboard_client::{Client, Error, MemberBoard};
use serde::Serialize;

/// What is printed.
#[derive(Debug, Serialize)]
pub(super) struct Ranked {
    member: String,
    boards: Vec<MemberBoard>,
    /// The number of boards that were looked at.
    looked_at: u64,
    /// The kinds in which the member is hidden: their boards are not listed.
    hidden_in: Vec<String>,
}

/// Lists the boards of a kind, or of all kinds that the key may access.
pub(super) async fn ranked(
    client: &Client,
    member: &str,
    kind: Option<&str>,
    hidden_in: Vec<String>,
) -> Result<Ranked, Error> {
    let kinds = match kind {
        Some(kind) => vec![kind.to_owned()],
        None => client
            .kinds()
            .await?
            .into_iter()
            .filter_map(|kind| kind.name)
            .collect(),
    };
    let mut ranked = Ranked {
        member: member.to_owned(),
        boards: Vec::new(),
        looked_at: 0,
        hidden_in,
    };
    for kind in kinds {
        let mut after: Option<String> = None;
        loop {
            let mut request = client.boards_of(member, &kind);
            if let Some(after) = &after {
                request = request.after(after);
            }
            let page = request.await?;
            ranked.boards.extend(page.boards);
            ranked.looked_at += page.looked_at;
            after = page.next;
            if after.is_none() {
                break;
            }
        }
    }
    Ok(ranked)
}

pub(super) fn render(ranked: &Ranked) -> String {
    let mut text = String::new();
    if !ranked.boards.is_empty() {
        let rows = ranked.boards.iter().map(|board| {
            let windows: Vec<&str> = board.windows.iter().map(|it| &*it.window).collect();
            vec![board.board.clone(), windows.join(", ")]
        });
        let columns = [("board", Cells::Names), ("windows", Cells::Names)];
        let _ = writeln!(text, "{}", table(&columns, rows));
    }
    let _ = write!(
        text,
        "{} is ranked on {} of {} boards; nothing was erased",
        printable(&ranked.member),
        ranked.boards.len(),
        ranked.looked_at
    );
    if !ranked.hidden_in.is_empty() {
        let _ = write!(
            text,
            "\n{} is hidden in {}: its boards there are not listed, and are erased too",
            printable(&ranked.member),
            printable(&ranked.hidden_in.join(", "))
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_listed_with_their_windows() {
        let board = r#"[{"board":"gifts/a","windows":[
            {"window":"day:2026-11-20","points":1,"reached_at":"2026-11-20T09:00:00Z","rank":1,"position":1},
            {"window":"all","points":1,"reached_at":"2026-11-20T09:00:00Z","rank":1,"position":1}]}]"#;
        let mut ranked = Ranked {
            member: "u\n".to_owned(),
            boards: serde_json::from_str(board).unwrap(),
            looked_at: 3,
            hidden_in: vec![],
        };
        assert_eq!(
            render(&ranked),
            " board    windows\n gifts/a  day:2026-11-20, all\nu\\u{a} is ranked on 1 of 3 boards; nothing was erased"
        );
        ranked.boards.clear();
        ranked.hidden_in = vec!["gifts".to_owned(), "races".to_owned()];
        assert_eq!(
            render(&ranked),
            "u\\u{a} is ranked on 0 of 3 boards; nothing was erased\nu\\u{a} is hidden in gifts, races: its boards \
             there are not listed, and are erased too"
        );
    }
}
