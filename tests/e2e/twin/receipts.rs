//! Contributions, and their expected receipts.

use serde_json::{Value, json};
use testkit::{Response, Server};

use super::board::{Board, Item, Outcome};
use super::kind::Window;
use super::kind_state::KindState;
use super::possible::WriteCase;
use super::view::View;
use super::world::World;

/// The contributions of a request, to boards of one kind.
pub(super) struct Sent {
    pub(super) kind_index: usize,
    /// Each with its index in the request.
    pub(super) items: Vec<(usize, &'static str, Item)>,
    pub(super) text: Value,
    /// Whether the receipt has standings, and whether these have ranks.
    pub(super) returned: Option<bool>,
}

/// The outcome of a contribution to a board: index, board, outcome.
type Decided = (usize, String, Outcome);

/// A receipt: the numbers of applied, duplicate, rejected and failed contributions, and the
/// rejected ones.
#[derive(Debug, PartialEq, Eq)]
struct Receipt {
    counts: [u64; 4],
    /// Of the applied, those that did not count in all windows.
    partial: u64,
    rejected: Vec<(usize, String, String)>,
}

impl World {
    /// Sends contributions, and keeps the states of each board that agree with the receipt.
    pub(super) fn send(&self, sent: &Sent, ask: impl FnOnce(&Server) -> Response) {
        let (response, moments) = self.asked(ask);
        let state = &self.kinds[sent.kind_index];
        let kind = &state.kind;
        let mut subjects: Vec<&'static str> = sent.items.iter().map(|it| it.1).collect();
        subjects.sort_unstable();
        subjects.dedup();
        let cases = subjects.iter().map(|subject| {
            let own = || sent.items.iter().filter(|it| it.1 == *subject);
            let name = format!("{}/{subject}", kind.name);
            state.boards[subject].cases(kind, &moments, |board, now| {
                let decided = own().map(|(index, _, item)| {
                    (*index, name.clone(), board.contribute(kind, item, now))
                });
                decided.collect::<Vec<Decided>>()
            })
        });
        let mut cases: Vec<Vec<WriteCase<Vec<Decided>>>> = cases.collect();
        let what = format!("step {}: {}\nof {}", self.step, sent.text, kind.settings());
        let expected = |of: &[&WriteCase<Vec<Decided>>]| {
            let standings = sent
                .returned
                .map(|ranks| standings(state, sent, of[0], ranks));
            (receipt(of), standings.unwrap_or(json!([])))
        };
        let shown = (receipt_of(&response, &what), returned(&response));
        self.log(&format!("{}: {:?}", sent.text, shown.0));
        if shown.0.counts == [0, 0, 0, sent.items.len() as u64] && self.may_be_late(&moments) {
            for board in subjects.iter().map(|subject| &state.boards[subject]) {
                board.keep(board.within(kind, &moments));
            }
            return;
        }
        let first: Vec<_> = cases.iter().map(|of_one| of_one[0].clone()).collect();
        let first = expected(&first.iter().collect::<Vec<_>>());
        for (of_one, subject) in cases.iter_mut().zip(&subjects) {
            let name = format!("{}/{subject}", kind.name);
            let rejected = shown.0.rejected.iter().filter(|it| it.1 == name);
            let rejected: Vec<_> = rejected.cloned().collect();
            of_one.retain(|case| receipt(&[case]).rejected == rejected);
        }
        let mut fitting: Vec<Vec<Board>> = vec![Vec::new(); cases.len()];
        let combinations = combinations(&cases);
        for of in &combinations {
            if expected(of) == shown {
                for (boards, case) in fitting.iter_mut().zip(of) {
                    boards.push(case.board.clone());
                }
            }
        }
        let is_expected = fitting.iter().all(|boards| !boards.is_empty());
        assert!(
            is_expected,
            "{what}\nresponse {shown:?}\nexpected {first:?}"
        );
        for (subject, boards) in subjects.iter().zip(fitting) {
            state.boards[subject].keep(boards);
        }
    }
}

/// Returns all combinations of one case per board.
fn combinations<T>(cases: &[Vec<T>]) -> Vec<Vec<&T>> {
    let none = vec![Vec::new()];
    cases.iter().fold(none, |before, of_one| {
        let with = |rest: &Vec<_>| {
            let rest = rest.clone();
            of_one.iter().map(move |case| {
                let mut with: Vec<&T> = rest.clone();
                with.push(case);
                with
            })
        };
        before.iter().flat_map(with).collect()
    })
}

fn receipt(of: &[&WriteCase<Vec<Decided>>]) -> Receipt {
    let decided = || of.iter().flat_map(|case| &case.outcome);
    let count = |wanted| decided().filter(|it| it.2 == wanted).count() as u64;
    let rejected = decided().filter_map(|(index, board, outcome)| match outcome {
        Outcome::Rejected(word) => Some((*index, board.clone(), (*word).to_owned())),
        _ => None,
    });
    let mut rejected: Vec<_> = rejected.collect();
    rejected.sort();
    Receipt {
        counts: [
            count(Outcome::Applied) + count(Outcome::Partial),
            count(Outcome::Duplicate),
            rejected.len() as u64,
            0,
        ],
        partial: count(Outcome::Partial),
        rejected,
    }
}

/// Parses the receipt of a response. If everything was rejected for one reason the response is a
/// problem that contains the receipt.
fn receipt_of(response: &Response, what: &str) -> Receipt {
    let shown = response.value();
    let items = shown["rejected"].as_array();
    let items = items.unwrap_or_else(|| panic!("{what}\nresponse {shown}"));
    let rejected = items.iter().map(|item| {
        let word = closed(item["type"].as_str().unwrap());
        let board = item["board"].as_str().unwrap_or_default();
        let index = usize::try_from(item["index"].as_u64().unwrap()).unwrap();
        (index, board.to_owned(), word.to_owned())
    });
    let mut rejected: Vec<_> = rejected.collect();
    rejected.sort();
    let names = ["applied", "duplicates", "rejected_count", "failed_count"];
    Receipt {
        counts: names.map(|name| shown[name].as_u64().unwrap()),
        partial: shown["partial_count"].as_u64().unwrap_or_default(),
        rejected,
    }
}

/// A window past its retention is closed as well. Which of the two is reported depends on when a
/// set was read.
pub(super) fn closed(word: &str) -> &str {
    match word {
        "window-gone" => "window-closed",
        word => word,
    }
}

fn returned(response: &Response) -> Value {
    match response.value()["standings"].take() {
        Value::Null => json!([]),
        standings => standings,
    }
}

/// Returns the expected standings of one contribution, in the windows that it counts in.
fn standings(state: &KindState, sent: &Sent, case: &WriteCase<Vec<Decided>>, ranks: bool) -> Value {
    let (_, _, item) = &sent.items[0];
    let (index, name, outcome) = &case.outcome[0];
    if matches!(outcome, Outcome::Rejected(_)) {
        return json!([]);
    }
    let is_meant = |window: &Window| {
        let is_it = item.window.as_ref().is_none_or(|name| *name == window.name);
        let is_open = !window.is_closed(case.now) && !window.is_gone(case.now);
        is_it && is_open && case.board.history(&window.name, &item.member).is_some()
    };
    let mut windows = state.kind.windows_at(item.at);
    windows.retain(is_meant);
    let windows = windows.iter().map(|window| {
        let view = View::of(
            &state.kind,
            &case.board,
            name,
            window,
            &state.hidden,
            case.now,
        );
        view.written(&item.member, ranks)
    });
    json!([{
        "index": index, "board": name, "member": item.member, "windows": windows.collect::<Value>(),
    }])
}
