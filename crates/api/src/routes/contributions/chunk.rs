//! Some contributions, checked and written together.

use std::sync::Arc;

use access::Caller;
use board::{BoardName, Kind, Window};
use connection::HeldBytes;
use problem::{Problem, ProblemType, shortened};
use shard_router::{BoardBatches, BoardSlot, Contribution, KnownKind};
use wire::{Contributed, ContributionShape, Targets};

use super::Return;
use super::permits::ChunkPermits;
use super::receipt::{self, LISTED_MAX, Receipt};
use super::standings::{self, Asked};
use crate::app::App;
use crate::target::resolve_only;

/// Contributions that are written together, and what was found wrong before.
pub(super) struct Chunk<'a> {
    app: &'a App,
    caller: &'a Caller,
    wanted: Return,
    /// What is to be written, by board.
    batches: BoardBatches,
    /// For each of it the index of its contribution in the request, and its board.
    origins: Vec<(usize, Arc<BoardName>)>,
    /// For each of it what its standings are of, where they are asked for.
    asked: Vec<Asked>,
    permits: ChunkPermits,
    /// Those that are not written: they are wrong, or the store did not say what their kind is.
    rejected: Vec<(usize, Option<String>, Problem)>,
    /// Bytes of boards and details in `rejected`.
    rejected_bytes: usize,
    /// All but the first of it.
    held: HeldBytes,
    /// Those that a receipt cannot list.
    unlisted: Vec<ProblemType>,
    /// The last board that was named: most contributions name the one before them again.
    last: Option<(BoardSlot, String, KnownKind)>,
    /// What came of looking at all kinds for one that was not known, once it was tried.
    looked: Option<Result<(), Problem>>,
    /// The last window that was named, by kind and selector: an import of a board names it in
    /// every line, and reading it takes a calendar.
    last_window: Option<(Arc<Kind>, String, Window)>,
}

/// The outcome of [`Chunk::acquire`].
pub(super) enum Acquired {
    Yes,
    /// No permits are free: the writes of the chunk have to be written first.
    OnceWritten,
    /// The chunk is empty, and no permits were free for long.
    No(Problem),
}

pub(super) fn no_permits() -> Problem {
    let detail = "the server is writing as many contributions as it has memory for";
    Problem::new(ProblemType::Overloaded, detail)
}

impl<'a> Chunk<'a> {
    pub(super) fn new(app: &'a App, caller: &'a Caller, wanted: Return) -> Self {
        Self {
            app,
            caller,
            wanted,
            batches: BoardBatches::default(),
            origins: Vec::new(),
            asked: Vec::new(),
            permits: ChunkPermits::default(),
            rejected: Vec::new(),
            rejected_bytes: 0,
            held: app.pools.receipts.hold(),
            unlisted: Vec::new(),
            last: None,
            looked: None,
            last_window: None,
        }
    }

    /// Acquires permits for another contribution; `to_come` may follow.
    pub(super) async fn acquire(&mut self, to_come: usize) -> Acquired {
        let all = &self.app.write_permits;
        if self.permits.try_grow(all, self.batches.len(), to_come) {
            Acquired::Yes
        } else if !self.batches.is_empty() {
            Acquired::OnceWritten
        } else if self.permits.wait(all, to_come).await {
            Acquired::Yes
        } else {
            Acquired::No(no_permits())
        }
    }

    /// Takes an item of a batch: what is wrong with it is in the receipt.
    pub(super) async fn add(&mut self, place: usize, text: &[u8]) {
        if let Err(problem) = self.add_object(place, text).await {
            self.reject(place, problem.of_item());
        }
    }

    /// Takes a contribution: an error about its shape is the caller's to report.
    pub(super) async fn add_object(&mut self, place: usize, text: &[u8]) -> Result<(), Problem> {
        let shape: ContributionShape<'_> = connection::from_json(text)?;
        let contributed = shape.check(self.app.now())?;
        self.target(place, contributed).await;
        Ok(())
    }

    pub(super) fn reject(&mut self, place: usize, problem: Problem) {
        self.reject_on(place, None, problem);
    }

    fn reject_on(&mut self, place: usize, board: Option<&str>, problem: Problem) {
        let board = board.map(shortened);
        let bytes = receipt::text_bytes(board.as_deref(), &problem);
        if self.rejected.len() < LISTED_MAX
            && receipt::has_room(&mut self.held, self.rejected_bytes, bytes)
        {
            self.rejected_bytes += bytes;
            self.rejected.push((place, board, problem));
        } else {
            self.unlisted.push(problem.kind);
        }
    }

    /// Takes a contribution once for each of its boards.
    async fn target(&mut self, place: usize, contributed: Contributed<'_>) {
        match contributed.targets {
            Targets::One(board) => self.add_to(place, board, contributed).await,
            Targets::Many(boards) => {
                let Some((last, others)) = boards.split_last() else {
                    return;
                };
                for board in others {
                    self.add_to(place, &board.0, contributed.clone()).await;
                }
                self.add_to(place, &last.0, contributed).await;
            }
        }
    }

    async fn add_to(&mut self, place: usize, text: &str, contributed: Contributed<'_>) {
        if let Err(problem) = self.push(place, text, contributed).await {
            self.reject_on(place, Some(text), problem);
        }
    }

    async fn push(
        &mut self,
        place: usize,
        text: &str,
        contributed: Contributed<'_>,
    ) -> Result<(), Problem> {
        let (slot, kind) = self.board(text).await?;
        let change = contributed.change(&kind.kind)?;
        let only = self.only(&kind.kind, &contributed)?;
        let board = self.batches.board(slot).clone();
        if self.wanted != Return::Nothing {
            self.asked.push(Asked {
                board: board.clone(),
                kind: kind.kind.clone(),
                member: contributed.member.clone(),
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
        self.origins.push((place, board));
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
        let only = resolve_only(kind, contributed.window, contributed.read_at)?;
        // A window without a name of its own is another at another moment.
        if let (Some(text), Some(window)) = (contributed.window, only)
            && text.contains(':')
        {
            self.last_window = Some((kind.clone(), text.to_owned(), window));
        }
        Ok(only)
    }

    async fn board(&mut self, text: &str) -> Result<(BoardSlot, KnownKind), Problem> {
        if let Some((slot, last, kind)) = &self.last
            && last == text
        {
            return Ok((*slot, kind.clone()));
        }
        let board: BoardName = text
            .parse()
            .and_then(|board: BoardName| board.subject().check_visible().map(|()| board))
            .map_err(|error| Problem::invalid(format!("board: {error}")))?;
        let kind = board.kind().as_str();
        self.caller.check_kind_still(self.app.access(), kind)?;
        let kind = self.kind(kind).await?;
        let slot = self.batches.slot(board);
        self.last = Some((slot, text.to_owned(), kind.clone()));
        Ok((slot, kind))
    }

    /// The kind of this name. One look at all kinds is for the whole chunk, whatever it names: each reads all that the
    /// store has, while the chunk holds its permits.
    async fn kind(&mut self, name: &str) -> Result<KnownKind, Problem> {
        let catalogue = self.app.router.catalogue();
        if let Some(known) = catalogue.known(name) {
            return Ok(known);
        }
        if self.looked.is_none() {
            self.looked = Some(look(self.app).await);
        }
        if let Some(Err(problem)) = &self.looked {
            return Err(problem.clone());
        }
        let known = catalogue.known(name);
        known.ok_or_else(|| Problem::unknown_kind(name))
    }

    /// Writes everything, and counts what became of it. What is written is reported, whatever becomes of
    /// the reads that were asked for besides. An error: an answer would have no room for the standings that are asked
    /// for, and nothing was written.
    pub(super) async fn write(self, receipt: &mut Receipt) -> Result<(), Problem> {
        let report = self.wanted != Return::Nothing;
        if report {
            receipt.take_room(self.asked.iter().map(standings::bytes_max).sum())?;
        }
        let counted = &self.app.metrics.writes;
        // The receipt holds it from now on.
        drop(self.held);
        for (place, board, problem) in self.rejected {
            counted.leave(problem.kind);
            receipt.leave(place, board, problem);
        }
        for kind in self.unlisted {
            counted.leave(kind);
            receipt.leave_unlisted(kind);
        }
        let moment = self.app.moment();
        let written = self.app.router.write(self.batches, moment, report).await;
        let mut asked = self.asked.iter();
        for ((place, board), written) in self.origins.iter().zip(&written) {
            counted.count(written);
            receipt.count(*place, board, written);
            if let Some(asked) = asked.next() {
                let ranks = self.wanted == Return::Ranks;
                let shape = standings::of(self.app, *place, asked, written, ranks).await;
                if let Some(shape) = shape {
                    receipt.add_standing(shape);
                }
            }
        }
        Ok(())
    }
}

/// Looks at all kinds, unless the server stops first.
async fn look(app: &App) -> Result<(), Problem> {
    tokio::select! {
        biased;
        looked = app.router.catalogue().refresh() => {
            // Nothing of the contribution was sent, also where the answer was lost.
            looked.map_err(|error| Problem::from(&error.of_unsent()))
        }
        () = app.stopping() => {
            let detail = "the server is stopping, and has not read the kinds again";
            Err(Problem::new(ProblemType::Unavailable, detail))
        }
    }
}
