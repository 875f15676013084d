//! Pages of one window, from the server: [`Ranges`].
//!
//! A selector such as `day` names another window after midnight. So it is asked once; from then on it is
//! the window that the first answer named, and of the same incarnation of the board.

use super::not_read;
use super::page::Page;
use super::pass::{PAGE, Pages};
use crate::board_path::{BoardPath, encoded};
use crate::delivery::Halt;
use crate::reads::{Reads, refused};

/// Pages of one window.
pub(super) struct Ranges<'a> {
    reads: &'a Reads<'a>,
    board: &'a BoardPath,
    /// As the user or the board named it; then as the first page did.
    window: String,
    /// The board's incarnation at the first page.
    incarnation: Option<String>,
    is_gone: bool,
}

impl<'a> Ranges<'a> {
    pub(super) fn new(reads: &'a Reads<'a>, board: &'a BoardPath, window: &str) -> Self {
        Self {
            reads,
            board,
            window: window.to_owned(),
            incarnation: None,
            is_gone: false,
        }
    }

    /// Whether the window is past its retention.
    pub(super) const fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// Holds a page to the first one.
    fn hold(&mut self, page: &Page<'_>) -> Result<(), Halt> {
        let incarnation = incarnation_of(&page.version);
        let Some(first) = &self.incarnation else {
            page.window.clone_into(&mut self.window);
            self.incarnation = Some(incarnation.to_owned());
            return Ok(());
        };
        let (board, window) = (self.board, &self.window);
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

/// What a version begins with. The epoch behind it is not asked for: it changes at any failover, after
/// which the board goes on.
fn incarnation_of(version: &str) -> &str {
    version
        .split_once('.')
        .map_or(version, |(incarnation, _)| incarnation)
}

impl Pages for Ranges<'_> {
    fn page<T>(
        &mut self,
        from: u64,
        take: impl FnOnce(&Page<'_>) -> Result<T, Halt>,
    ) -> Result<T, Halt> {
        let path = format!(
            "{}/range?window={}&from={from}&to={}",
            self.board,
            encoded(&self.window),
            from + PAGE - 1
        );
        let response = self.reads.get(&path)?;
        if response.status != 200 {
            self.is_gone = response.status == 410;
            return Err(refused(&path, &response));
        }
        let page =
            serde_json::from_slice(&response.body).map_err(|error| not_read(&path, &error))?;
        self.hold(&page)?;
        take(&page)
    }
}

#[cfg(test)]
mod tests {
    use megaboard_client::RetryPolicy;
    use serde_json::json;

    use super::*;
    use crate::delivery::Stop;
    use crate::runtime::Runtime;
    use crate::test_server::{Reply, Request, TestServer};

    /// Three pages of which the second and third are as these tell: what came of the last.
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
            retry: RetryPolicy::default(),
            say: &|_| (),
        };
        let board = BoardPath::parse("k/s").unwrap();
        let mut pages = Ranges::new(&reads, &board, "day");
        for from in [1, 951] {
            assert_eq!(pages.page(from, |page| Ok(page.members)), Ok(9));
        }
        let third = pages.page(1_901, |page| Ok(page.members));
        let requests = server.requests().into_iter();
        (third, requests.map(|request| path(&request)).collect())
    }

    fn path(request: &Request) -> String {
        let words = request.head[0].split(' ');
        words.skip(1).take(1).collect()
    }

    #[test]
    fn all_pages_are_of_the_window_that_the_first_one_named() {
        let (third, paths) = third("day:2026-11-20", "7.b.3.z");
        assert_eq!(third, Ok(9));
        let day = encoded("day:2026-11-20");
        let expected = [
            "/v1/boards/k/s/range?window=day&from=1&to=1000".to_owned(),
            format!("/v1/boards/k/s/range?window={day}&from=951&to=1950"),
            format!("/v1/boards/k/s/range?window={day}&from=1901&to=2900"),
        ];
        assert_eq!(paths, expected);
    }

    #[test]
    fn another_window_or_another_incarnation_of_the_board_is_an_error() {
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
