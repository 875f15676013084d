//! Comparing the board with the source: the number of members, the best entries, and who is only on the board.

use std::collections::HashSet;
use std::time::Duration;

use board::NameOrder;
use encodings::{Encoding, ReadDirection};
use tokio::time::sleep;

use super::Adoption;
use crate::adopt::check::{BEST_COUNT, Differences, compare, order_names, order_ties};
use crate::adopt::page::SetEntry;
use crate::adopt::report::{OnlyOnBoard, Report};
use crate::adopt::sending::{BATCH_LINES_MAX, BatchSender, Sent};
use crate::adopt::standing::{Standing, Tally};
use crate::delivery::{Halt, Lines, Resend};

/// The maximum number of comparisons of the best entries.
const ROUNDS_MAX: usize = 5;

/// The pause between two comparisons.
const ROUND_PAUSE: Duration = Duration::from_millis(250);

impl Adoption<'_> {
    /// Compares the number of members and the best entries with the source. The source may change meanwhile, so entries
    /// that differ are set again and compared again before they are reported.
    pub(super) fn check(&self, report: &mut Report) -> Result<(), Halt> {
        for round in 1.. {
            report.in_source = self.count()?;
            let source = self.best_of_source()?;
            let count = self.target.best_count();
            let best = self.target.page(&self.window, 1, count as u64)?;
            report.on_board = best.envelope.members;
            let differences = compare(&source, &best.entries, &self.target.fields);
            if differences.positions == 0 || round == ROUNDS_MAX {
                report.differences = self.describe(report, &differences);
                return Ok(());
            }
            self.set_again(&source, &differences)?;
            self.reads
                .until_stopped(async { sleep(ROUND_PAUSE).await })?;
        }
        Ok(())
    }

    fn describe(&self, report: &Report, differences: &Differences) -> Vec<String> {
        let mut sentences = Vec::new();
        let expected = report.expected(self.target.keep());
        if report.on_board != expected {
            sentences.push(format!(
                "{} of the source's {} members should be on the board, but window {} has {}",
                expected, report.in_source, self.window, report.on_board
            ));
        }
        if let Some((position, source, board)) = &differences.first {
            let board = match board {
                Some(member) => format!("{member:?}"),
                None => "no member".to_owned(),
            };
            sentences.push(format!(
                "{} of the best {} positions differ; at {position} the source has {source:?}, the board {board}",
                differences.positions,
                self.target.best_count()
            ));
        }
        sentences
    }

    /// Sets the members that differ to their current standings in the source.
    fn set_again(&self, source: &[Standing], differences: &Differences) -> Result<(), Halt> {
        let again = differences
            .indices
            .iter()
            .map(|index| source[*index].clone());
        let mut again: Vec<Standing> = again.collect();
        // In this encoding the time is part of the member's name in the source, so members cannot be looked up.
        if !matches!(self.encoding, Encoding::TimeMember(_)) {
            let found = self.source.find(&differences.only_on_board);
            let found = self.reads.until_stopped(found)??;
            let mut tally = Tally::default();
            let found = found
                .iter()
                .map(|entry| self.reader.read(entry, &mut tally));
            again.extend(found.filter_map(Result::ok));
        }
        // These lines were counted and reported when they were sent first.
        let mut sender = BatchSender {
            rejected: None,
            ..self.sender()
        };
        let mut sent = Sent::default();
        for standings in again.chunks(BATCH_LINES_MAX) {
            let mut batch = Lines::default();
            for standing in standings {
                self.reader.write(standing, &mut batch.body);
                batch.end_line(Resend::AmongSets);
            }
            sender.deliver(&batch, &mut sent)?;
        }
        Ok(())
    }

    /// Reads the best entries of the source, in the order of the board.
    fn best_of_source(&self) -> Result<Vec<Standing>, Halt> {
        let count = self.target.best_count();
        let first = self.source.first(self.read_direction, count);
        let entries: Vec<SetEntry> = self.reads.until_stopped(first)??;
        let mut tally = Tally::default();
        let read = entries
            .iter()
            .filter_map(|entry| self.reader.read(entry, &mut tally).ok());
        let mut standings: Vec<Standing> = read.collect();
        let is_truncated = entries.len() == count;
        if matches!(self.encoding, Encoding::TwoSets(_)) {
            order_ties(&mut standings, is_truncated);
        }
        let names = match self.read_direction {
            ReadDirection::Reverse => NameOrder::Higher,
            ReadDirection::Forward => NameOrder::Lower,
        };
        if names != self.target.names() {
            order_names(&mut standings, is_truncated, self.target.names());
        }
        Ok(standings)
    }

    /// Lists the ranked members of the board that the source does not have.
    pub(super) fn list_only_on_board(&self, report: &mut Report) -> Result<(), Halt> {
        // In this encoding the time is part of the member's name in the source, so members cannot be looked up.
        if matches!(self.encoding, Encoding::TimeMember(_)) {
            return Ok(());
        }
        let mut only_on_board = OnlyOnBoard::default();
        for from in (1..=report.on_board).step_by(BEST_COUNT) {
            let page = self.target.page(&self.window, from, BEST_COUNT as u64)?;
            let members = page.entries.into_iter().map(|ranked| ranked.member);
            let mut members: Vec<String> = members.collect();
            let found = self.reads.until_stopped(self.source.find(&members))??;
            let found: HashSet<&[u8]> = found.iter().map(|entry| &*entry.member).collect();
            members.retain(|member| !found.contains(member.as_bytes()));
            only_on_board.add(members);
        }
        report
            .differences
            .extend(only_on_board.sentence(self.target.name()));
        report.only_on_board = only_on_board.members;
        Ok(())
    }
}
