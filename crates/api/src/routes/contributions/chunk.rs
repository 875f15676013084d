//! Some contributions, checked and written together.

use std::collections::HashSet;
use std::sync::Arc;

use board::{BoardName, Kind, Window};
use shard_router::{KnownKind, Write};

use super::Return;
use super::receipt::{LISTED_MAX, Receipt};
use super::room::Taken;
use super::standings;
use crate::access::Caller;
use crate::app::App;
use crate::body;
use crate::problem::{Problem, ProblemType, shortened};
use crate::target::resolve_only;
use crate::wire::{Contributed, ContributionShape, Targets};

/// What is to be written, and what was found wrong before.
pub(super) struct Chunk<'a> {
    app: &'a App,
    caller: &'a Caller,
    writes: Vec<Write>,
    /// For each write the place of its contribution in the request.
    places: Vec<usize>,
    room: Taken,
    rejected: Vec<(usize, Option<String>, Problem)>,
    /// Those behind the last that a receipt can list.
    unlisted: Vec<ProblemType>,
    /// The last board that was named: most contributions name the one before them again.
    last: Option<(Arc<BoardName>, String, KnownKind)>,
    /// Kinds that the store was asked for and does not have.
    unknown: HashSet<String>,
    /// The last window that was named, by kind and selector: whoever moves a board names it in
    /// every line, and reading it takes a calendar.
    last_window: Option<(Arc<Kind>, String, Window)>,
}

/// Whether a chunk may take another contribution.
pub(super) enum HasRoom {
    Yes,
    /// What it has is to be written first.
    OnceWritten,
    /// Others have had all room for long.
    No(Problem),
}

pub(super) fn no_room() -> Problem {
    let detail = "contributions of all requests under way take more room than there is";
    Problem::new(ProblemType::Overloaded, detail)
}

impl<'a> Chunk<'a> {
    pub(super) fn new(app: &'a App, caller: &'a Caller) -> Self {
        Self {
            app,
            caller,
            writes: Vec::new(),
            places: Vec::new(),
            room: Taken::default(),
            rejected: Vec::new(),
            unlisted: Vec::new(),
            last: None,
            unknown: HashSet::new(),
            last_window: None,
        }
    }

    /// Takes room for another contribution, of as many as may come.
    pub(super) async fn make_room(&mut self, to_come: usize) -> HasRoom {
        let room = &self.app.write_room;
        if self.room.try_grow(room, self.writes.len(), to_come) {
            HasRoom::Yes
        } else if !self.writes.is_empty() {
            HasRoom::OnceWritten
        } else if self.room.wait(room, to_come).await {
            HasRoom::Yes
        } else {
            HasRoom::No(no_room())
        }
    }

    /// Takes an item of a batch: what is wrong with it is told in the receipt.
    pub(super) async fn add(&mut self, place: usize, text: &[u8]) {
        if let Err(problem) = self.add_object(place, text).await {
            self.reject(place, problem.of_item());
        }
    }

    /// Takes a contribution: what is wrong with its shape is the caller's to tell.
    pub(super) async fn add_object(&mut self, place: usize, text: &[u8]) -> Result<(), Problem> {
        let shape: ContributionShape<'_> = body::from_json(text)?;
        let contributed = shape.check(self.app.now())?;
        self.target(place, &contributed).await;
        Ok(())
    }

    pub(super) fn reject(&mut self, place: usize, problem: Problem) {
        self.reject_on(place, None, problem);
    }

    fn reject_on(&mut self, place: usize, board: Option<&str>, problem: Problem) {
        if self.rejected.len() < LISTED_MAX {
            self.rejected.push((place, board.map(shortened), problem));
        } else {
            self.unlisted.push(problem.kind);
        }
    }

    /// A write for each board of a contribution.
    async fn target(&mut self, place: usize, contributed: &Contributed<'_>) {
        match contributed.targets {
            Targets::One(board) => self.add_to(place, board, contributed).await,
            Targets::Many(boards) => {
                for board in boards {
                    self.add_to(place, &board.0, contributed).await;
                }
            }
        }
    }

    async fn add_to(&mut self, place: usize, text: &str, contributed: &Contributed<'_>) {
        match self.write_to(text, contributed).await {
            Ok(write) => {
                self.writes.push(write);
                self.places.push(place);
            }
            Err(problem) => self.reject_on(place, Some(text), problem),
        }
    }

    async fn write_to(
        &mut self,
        text: &str,
        contributed: &Contributed<'_>,
    ) -> Result<Write, Problem> {
        let (board, kind) = self.board(text).await?;
        let change = contributed.change(&kind.kind)?;
        let only = self.only(&kind.kind, contributed)?;
        Ok(Write {
            board,
            kind,
            member: contributed.member.clone(),
            change,
            at: contributed.at,
            id: contributed.id.clone(),
            only,
        })
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

    async fn board(&mut self, text: &str) -> Result<(Arc<BoardName>, KnownKind), Problem> {
        if let Some((board, last, kind)) = &self.last
            && last == text
        {
            return Ok((board.clone(), kind.clone()));
        }
        let board: BoardName = text
            .parse()
            .and_then(|board: BoardName| board.subject().check_shown().map(|()| board))
            .map_err(|error| Problem::invalid(format!("board: {error}")))?;
        self.caller.check_kind(board.kind().as_str())?;
        let kind = self.kind(board.kind().as_str()).await?;
        let board = Arc::new(board);
        self.last = Some((board.clone(), text.to_owned(), kind.clone()));
        Ok((board, kind))
    }

    async fn kind(&mut self, name: &str) -> Result<KnownKind, Problem> {
        if self.unknown.contains(name) {
            return Err(Problem::unknown_kind(name));
        }
        let kind = self.app.kind(name).await;
        if matches!(&kind, Err(problem) if problem.kind == ProblemType::UnknownKind) {
            self.unknown.insert(name.to_owned());
        }
        kind
    }

    /// Writes everything, and counts what became of it. What is written is told, whatever becomes of
    /// the reads that were asked for besides.
    pub(super) async fn write(self, wanted: Return, receipt: &mut Receipt) {
        let counted = &self.app.metrics.writes;
        for (place, board, problem) in self.rejected {
            counted.reject(problem.kind);
            receipt.reject(place, board, problem);
        }
        for kind in self.unlisted {
            counted.reject(kind);
            receipt.reject_unlisted();
        }
        let report = wanted != Return::Nothing;
        let moment = self.app.moment();
        let written = self.app.router.write(&self.writes, moment, report).await;
        for ((place, write), written) in self.places.iter().zip(&self.writes).zip(&written) {
            counted.count(written);
            receipt.count(*place, &write.board, written);
            if report {
                let ranks = wanted == Return::Ranks;
                if let Some(shape) = standings::of(self.app, *place, write, written, ranks).await {
                    receipt.add_standing(shape);
                }
            }
        }
    }
}
