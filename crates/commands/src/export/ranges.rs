//! Pages of one window, read from the server: [`Ranges`].
//!
//! A selector such as `day` selects another window after midnight. So only the first request uses it; later ones use
//! the window of the first response, and all pages must be of the same incarnation of the board.

use megaboard_client::Board;

use super::page::Page;
use super::window::{Order, Pages};
use crate::delivery::Halt;
use crate::reads::Reads;

/// The server's limit for a page.
const PAGE: u64 = 1_000;

/// Pages of one window.
pub(super) struct Ranges<'a> {
    reads: &'a Reads<'a>,
    board: &'a Board,
    /// The requested window, and after the first page the window of that page.
    window: String,
    /// The incarnation of the board at the first page.
    incarnation: Option<String>,
    is_gone: bool,
}

impl<'a> Ranges<'a> {
    pub(super) fn new(reads: &'a Reads<'a>, board: &'a Board, window: &str) -> Self {
        Self {
            reads,
            board,
            window: window.to_owned(),
            incarnation: None,
            is_gone: false,
        }
    }

    /// Returns whether the window is past its retention.
    pub(super) const fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// Checks that a page has the window and the incarnation of the first one.
    fn check(&mut self, page: &Page<'_>) -> Result<(), Halt> {
        let incarnation = incarnation_of(&page.version);
        let Some(first) = &self.incarnation else {
            page.window.clone_into(&mut self.window);
            self.incarnation = Some(incarnation.to_owned());
            return Ok(());
        };
        let (board, window) = (self.board.name(), &self.window);
        if page.window != *window {
            return Err(Halt::Failed(format!(
                "{board}: requested window {window}, but the server returned {}",
                page.window
            )));
        }
        if incarnation != first {
            return Err(Halt::Failed(format!(
                "{board} {window}: the board was deleted, or the server lost it, while it was read"
            )));
        }
        Ok(())
    }
}

/// Returns the first part of a version. The epoch after it is ignored: it changes at each failover, but the board
/// remains the same.
fn incarnation_of(version: &str) -> &str {
    version
        .split_once('.')
        .map_or(version, |(incarnation, _)| incarnation)
}

impl Pages for Ranges<'_> {
    fn page<T>(
        &mut self,
        order: Order,
        after: Option<&str>,
        visit: impl FnOnce(&Page<'_>) -> Result<T, Halt>,
    ) -> Result<T, Halt> {
        let request = match after {
            Some(next) => self.board.range_after(next).limit(PAGE),
            None => self.board.range(1..=PAGE),
        };
        let mut request = request.window(&self.window);
        if order == Order::WorstFirst {
            request = request.from_worst();
        }
        let response = self.reads.wait(async { request.response().await })?;
        let response = response.inspect_err(|error| {
            self.is_gone = error.problem().is_some_and(|it| it.status == 410);
        })?;
        let page = serde_json::from_slice(&response.body)
            .map_err(|error| Halt::Failed(format!("a page could not be parsed: {error}")))?;
        self.check(&page)?;
        visit(&page)
    }
}

#[cfg(test)]
mod tests {
    use megaboard_client::encoded;
    use serde_json::json;

    use super::*;
    use crate::delivery::Stop;
    use crate::runtime::Runtime;
    use crate::scripted::{Reply, Request, TestServer};

    /// Reads three pages, the third with this window and version. Returns its result and the paths of all requests.
    fn third(window: &'static str, version: &'static str) -> (Result<u64, Halt>, Vec<String>) {
        let server = TestServer::start(move |before, _| {
            let (window, version) = match before {
                0 => ("day:2026-11-20", "7.a.1.x"),
                1 => ("day:2026-11-20", "7.b.2.y"),
                _ => (window, version),
            };
            let page = json!({"board": "k/s", "window": window, "version": version,
                "members": 9, "entries": []});
            Reply::ok(page.to_string())
        });
        let client = server.args().client().unwrap();
        let runtime = Runtime::start().unwrap();
        let stop = Stop::default();
        let reads = Reads {
            runtime: &runtime,
            client: &client,
            stop: &stop,
            say: &|_| (),
        };
        let board = client.board("k", "s");
        let mut pages = Ranges::new(&reads, &board, "day");
        for after in [None, Some("a")] {
            let members = pages.page(Order::BestFirst, after, |page| Ok(page.members));
            assert_eq!(members, Ok(9));
        }
        let third = pages.page(Order::WorstFirst, Some("b"), |page| Ok(page.members));
        let requests = server.requests().into_iter();
        (third, requests.map(|request| path(&request)).collect())
    }

    fn path(request: &Request) -> String {
        let words = request.head[0].split(' ');
        words.skip(1).take(1).collect()
    }

    #[test]
    fn all_pages_have_the_window_of_the_first_one() {
        let (third, paths) = third("day:2026-11-20", "7.b.3.z");
        assert_eq!(third, Ok(9));
        let day = encoded("day:2026-11-20");
        let expected = [
            "/v1/boards/k/s/range?from=1&to=1000&window=day".to_owned(),
            format!("/v1/boards/k/s/range?after=a&limit=1000&window={day}"),
            format!("/v1/boards/k/s/range?after=b&limit=1000&window={day}&order=worst"),
        ];
        assert_eq!(paths, expected);
    }

    #[test]
    fn another_window_or_incarnation_is_an_error() {
        for (window, version, part) in [
            ("day:2026-11-21", "7.b.3.z", "day:2026-11-21"),
            ("day:2026-11-20", "8.b.1.z", "deleted"),
            ("day:2026-11-20", "0", "deleted"),
        ] {
            let (third, _) = third(window, version);
            let reason = third.unwrap_err().to_string();
            assert!(reason.contains(part), "{reason}");
        }
    }
}
