//! [`Chunk`]: contributions that are checked and written together.

use std::sync::Arc;
use std::time::Duration;

use crate::receipts::{LISTED_MAX, Receipt, may_list, text_bytes};
use access::Caller;
use board::{BoardName, Kind, Timestamp, Window, WindowSelector};
use http_server::HeldBytes;
use shard_router::{BoardBatches, BoardSlot, Contribution, KnownKind};
use wire::problem::{Problem, ProblemType, shown};
use wire::{Contributed, ContributionShape, Targets};

use super::standings::{Asked, AskedStandings};
use super::write_memory::WriteMemory;
use super::{AskedOfWrite, check_count};
use crate::app::App;
use crate::target::{selector_of, window_at};

/// Contributions that are written together, and those that are not written.
pub(super) struct Chunk<'a> {
    app: &'a App,
    caller: &'a Caller,
    /// The writes, by board.
    batches: BoardBatches,
    /// The origin of each write.
    origins: Vec<Origin>,
    /// The writes but removals, if their standings are asked for.
    standings: AskedStandings,
    /// How long to wait for a store that is unavailable.
    wait: Option<Duration>,
    memory: WriteMemory<'a>,
    /// Contributions that are not written: they are wrong, or their kind could not be read from the store.
    unsent: Vec<(usize, Option<String>, Problem)>,
    /// Bytes of boards and details in `unsent`.
    unsent_bytes: usize,
    /// The bytes of `unsent`.
    held: HeldBytes,
    /// Further ones, which a receipt cannot list.
    unlisted: Vec<ProblemType>,
    /// The last board: most contributions are to the same board as the one before.
    last: Option<(BoardSlot, KnownKind)>,
    /// The result of reading all kinds again because of an unknown one, once it was tried.
    refreshed: Option<Result<(), Problem>>,
    /// The last window, by kind and selector: an import of a board names it in every line, and parsing it takes a
    /// calendar.
    last_window: Option<(Arc<Kind>, String, Window)>,
}

/// Where a write comes from.
struct Origin {
    /// The index of its contribution in the request.
    index: usize,
    slot: BoardSlot,
    is_removal: bool,
}

/// The outcome of [`Chunk::acquire`].
pub(super) enum Acquired {
    Yes,
    /// No memory is free: the chunk has to be written first.
    OnceWritten,
    /// The chunk is empty, and no memory became free in time.
    No(Problem),
}

impl<'a> Chunk<'a> {
    pub(super) fn new(app: &'a App, caller: &'a Caller, asked: AskedOfWrite) -> Self {
        Self {
            app,
            caller,
            batches: BoardBatches::default(),
            origins: Vec::new(),
            standings: AskedStandings::new(asked.returned),
            wait: asked.wait,
            memory: WriteMemory::of(&app.memory.writes),
            unsent: Vec::new(),
            unsent_bytes: 0,
            held: app.memory.receipts.hold(),
            unlisted: Vec::new(),
            last: None,
            refreshed: None,
            last_window: None,
        }
    }

    /// Takes memory for another contribution if it is free; `to_come` may follow.
    pub(super) fn try_acquire(&mut self, to_come: usize) -> bool {
        self.memory.try_grow(self.batches.len(), to_come)
    }

    /// Takes memory for another contribution; `to_come` may follow.
    pub(super) async fn acquire(&mut self, to_come: usize) -> Acquired {
        if self.try_acquire(to_come) {
            Acquired::Yes
        } else if !self.batches.is_empty() {
            Acquired::OnceWritten
        } else if self.memory.wait(to_come).await {
            Acquired::Yes
        } else {
            Acquired::No(self.no_memory())
        }
    }

    /// Counts and returns the refusal of a contribution that no memory was free for.
    pub(super) fn no_memory(&self) -> Problem {
        self.app.memory.writes.refuse();
        let detail = "the server is writing as many contributions as it has memory for";
        Problem::new(ProblemType::Overloaded, detail)
    }

    /// Adds an item of an array or a stream, which was read at that time. Its errors are reported in the receipt.
    pub(super) async fn add(&mut self, index: usize, text: &[u8], read_at: Timestamp) {
        if let Err(problem) = self.add_object(index, text, read_at).await {
            self.reject(index, problem.of_item());
        }
    }

    /// Adds a contribution. Returns an error about its shape; other errors are reported in the receipt.
    pub(super) async fn add_object(
        &mut self,
        index: usize,
        text: &[u8],
        read_at: Timestamp,
    ) -> Result<(), Problem> {
        let shape = match ContributionShape::of_plain(text) {
            Some(plain) => plain,
            None => http_server::from_json(text)?,
        };
        let contributed = shape.check(self.app.router.arrival(read_at))?;
        // Most contributions are to the same board as the one before: they wait for nothing.
        if let Targets::One(board) = contributed.targets
            && let Some(last) = self.take_last(board)
        {
            if let Err(problem) = self.push(index, last, contributed) {
                self.reject_on(index, Some(board), problem);
            }
            return Ok(());
        }
        self.add_to_boards(index, contributed).await;
        Ok(())
    }

    pub(super) fn reject(&mut self, index: usize, problem: Problem) {
        self.reject_on(index, None, problem);
    }

    fn reject_on(&mut self, index: usize, board: Option<&str>, problem: Problem) {
        let board = board.map(shown);
        let bytes = text_bytes(board.as_deref(), &problem);
        if self.unsent.len() < LISTED_MAX && may_list(&mut self.held, self.unsent_bytes, bytes) {
            self.unsent_bytes += bytes;
            self.unsent.push((index, board, problem));
        } else {
            self.unlisted.push(problem.kind);
        }
    }

    /// Adds a contribution once for each of its boards.
    async fn add_to_boards(&mut self, index: usize, contributed: Contributed<'_>) {
        match contributed.targets {
            Targets::One(board) => self.add_to(index, board, contributed).await,
            Targets::Many(boards) => {
                let Some((last, others)) = boards.split_last() else {
                    return;
                };
                for board in others {
                    self.add_to(index, &board.0, contributed.clone()).await;
                }
                self.add_to(index, &last.0, contributed).await;
            }
        }
    }

    async fn add_to(&mut self, index: usize, text: &str, contributed: Contributed<'_>) {
        let board = match self.take_last(text) {
            Some(last) => Ok(last),
            None => self.board(text).await,
        };
        let pushed = board.and_then(|board| self.push(index, board, contributed));
        if let Err(problem) = pushed {
            self.reject_on(index, Some(text), problem);
        }
    }

    /// Takes the last board, if it is this one.
    fn take_last(&mut self, text: &str) -> Option<(BoardSlot, KnownKind)> {
        let last = self.last.take();
        last.filter(|(slot, _)| self.batches.board(*slot).is_written(text))
    }

    fn push(
        &mut self,
        index: usize,
        (slot, kind): (BoardSlot, KnownKind),
        contributed: Contributed<'_>,
    ) -> Result<(), Problem> {
        let change = contributed.change(&kind.kind)?;
        let only = self.only(&kind.kind, &contributed)?;
        let is_removal = contributed.is_removal();
        if self.standings.are_wanted() && !is_removal {
            self.standings.push(Asked {
                index,
                board: self.batches.board(slot).clone(),
                kind: kind.kind.clone(),
                member: contributed.member.clone(),
                at: contributed.at,
                only,
            });
        }
        let contribution = Contribution {
            member: contributed.member,
            change,
            at: contributed.at,
            id: contributed.id,
            only,
        };
        self.batches.push(slot, &kind, contribution);
        self.origins.push(Origin {
            index,
            slot,
            is_removal,
        });
        self.last = Some((slot, kind));
        Ok(())
    }

    fn only(
        &mut self,
        kind: &Arc<Kind>,
        contributed: &Contributed<'_>,
    ) -> Result<Option<Window>, Problem> {
        if let (Some(text), Some((last_kind, last, window))) =
            (contributed.window, &self.last_window)
            && last == text
            && Arc::ptr_eq(last_kind, kind)
        {
            return Ok(Some(*window));
        }
        let Some(text) = contributed.window else {
            return Ok(None);
        };
        let selector = selector_of(kind, Some(text))?;
        let window = window_at(kind, selector, contributed.read_at)?;
        // Relative selectors depend on the time.
        if let WindowSelector::Named(_) = selector {
            self.last_window = Some((kind.clone(), text.to_owned(), window));
        }
        Ok(Some(window))
    }

    async fn board(&mut self, text: &str) -> Result<(BoardSlot, KnownKind), Problem> {
        let board: BoardName = text
            .parse()
            .and_then(|board: BoardName| board.subject().check_visible().map(|()| board))
            .map_err(|error| Problem::invalid(format!("board: {error}")))?;
        let kind = board.kind().as_str();
        self.caller.check_kind_still(self.app.access(), kind)?;
        let kind = self.kind(kind).await?;
        Ok((self.batches.slot(board), kind))
    }

    /// Returns the kind of this name. For unknown ones, a chunk reads all kinds again at most once: each time takes all
    /// that the store has, while the chunk holds its memory.
    async fn kind(&mut self, name: &str) -> Result<KnownKind, Problem> {
        let catalogue = self.app.router.catalogue();
        if let Some(known) = catalogue.known(name) {
            return Ok(known);
        }
        if self.refreshed.is_none() {
            self.refreshed = Some(refresh(self.app).await);
        }
        if let Some(Err(problem)) = &self.refreshed {
            return Err(problem.clone());
        }
        let known = catalogue.known(name);
        known.ok_or_else(|| Problem::unknown_kind(name))
    }

    /// Writes everything, and counts the outcomes, even if reads of ranks fail. Returns an error, and writes nothing,
    /// if a response has no space for the standings that are asked for.
    pub(super) async fn write(mut self, receipt: &mut Receipt) -> Result<(), Problem> {
        let report = self.standings.are_wanted();
        if report {
            check_count(self.standings.len())?;
            receipt.reserve_standings(self.standings.bytes_max())?;
            self.standings.read_previous(self.app).await;
        }
        let counted = &self.app.metrics.writes;
        // From now on the receipt holds them.
        drop(self.held);
        for (index, board, problem) in self.unsent {
            counted.count_unsent(problem.kind);
            receipt.count_unsent(index, board, problem);
        }
        for kind in self.unlisted {
            counted.count_unsent(kind);
            receipt.count_unlisted(kind);
        }
        let moment = self.app.moment().waiting(self.wait);
        let boards = self.batches.names();
        let written = self.app.router.write(self.batches, moment, report).await;
        let mut reported = Vec::new();
        for (origin, written) in self.origins.iter().zip(&written) {
            let (index, board) = (origin.index, &boards[origin.slot.index()]);
            counted.count(written);
            match written.removed().filter(|_| origin.is_removal) {
                Some(is_removed) => receipt.count_removal(is_removed),
                None => receipt.count(index, board, written),
            }
            if report && !origin.is_removal {
                reported.push(written);
            }
        }
        if report {
            receipt.add_standings(self.standings.after(self.app, &reported).await);
        }
        Ok(())
    }
}

/// Reads all kinds again, unless the server stops first.
async fn refresh(app: &App) -> Result<(), Problem> {
    tokio::select! {
        biased;
        refreshed = app.router.catalogue().refresh() => {
            // Nothing of the contribution was sent, even if the result of this was lost.
            refreshed.map_err(|error| Problem::from(&error.of_unsent()))
        }
        () = app.stopping() => {
            let detail = "the server is stopping, and has not read the kinds again";
            Err(Problem::new(ProblemType::Unavailable, detail))
        }
    }
}
