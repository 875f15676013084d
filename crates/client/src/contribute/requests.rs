//! Dividing contributions into requests: [`next_batch`].

use super::contribution::Contribution;
use super::outcome::Undecided;

/// The maximum number of outcomes of one request: the server lists as many of each sort.
const OUTCOMES_MAX: usize = 1_000;
/// Below the servers' default limit of 16 MiB. A larger contribution is sent by itself.
pub(super) const BODY_BYTES_MAX: usize = 4 << 20;

/// A contribution that is not decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pending {
    /// The index in the list of contributions.
    pub(super) index: usize,
    /// The boards on which it is not decided.
    pub(super) boards: Vec<String>,
    /// Whether an earlier request may have applied it.
    pub(super) in_doubt: bool,
}

impl Pending {
    fn new(contribution: &Contribution, index: usize) -> Self {
        Self {
            index,
            boards: contribution.boards.clone(),
            in_doubt: false,
        }
    }

    pub(super) fn undecided(self, contribution: &Contribution) -> Undecided {
        Undecided {
            index: self.index,
            boards: self.boards,
            may_be_applied: self.in_doubt,
            may_be_sent_again: !self.in_doubt || contribution.id.is_some(),
        }
    }
}

/// Returns the contributions that fit into one request with so many bytes, beginning with the index `from`: at least
/// one, unless there are no more.
pub(super) fn next_batch(
    contributions: &[Contribution],
    from: usize,
    bytes_max: usize,
) -> Vec<Pending> {
    let mut pending = Vec::new();
    let (mut outcomes, mut line, mut bytes) = (0, Vec::new(), 0);
    let unsent = contributions.iter().enumerate().skip(from);
    for (index, contribution) in unsent {
        line.clear();
        contribution.write(&contribution.boards, &mut line);
        outcomes += contribution.boards.len();
        // Includes the comma.
        bytes += line.len() + 1;
        if !pending.is_empty() && (outcomes > OUTCOMES_MAX || bytes > bytes_max) {
            break;
        }
        pending.push(Pending::new(contribution, index));
    }
    pending
}

/// Writes contributions as a JSON array.
pub(super) fn body_of(contributions: &[Contribution], pending: &[Pending]) -> Vec<u8> {
    let mut body = vec![b'['];
    for (n, it) in pending.iter().enumerate() {
        if n > 0 {
            body.push(b',');
        }
        contributions[it.index].write(&it.boards, &mut body);
    }
    body.push(b']');
    body
}

/// Counts the outcomes of contributions: one for each board.
pub(super) fn outcomes_of(pending: &[Pending]) -> usize {
    pending.iter().map(|it| it.boards.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(contributions: &[Contribution], bytes_max: usize) -> Vec<usize> {
        let (mut sizes, mut from) = (Vec::new(), 0);
        while from < contributions.len() {
            let batch = next_batch(contributions, from, bytes_max);
            assert_eq!(batch[0].index, from);
            from += batch.len();
            sizes.push(batch.len());
        }
        sizes
    }

    #[test]
    fn requests_do_not_exceed_the_limit_of_outcomes() {
        let one = Contribution::new("gifts/a", "u").points(1);
        let several = (1..16).fold(one.clone(), |it, n| it.also_on(format!("gifts/{n}")));
        let sizes = |all: Vec<Contribution>| sizes(&all, BODY_BYTES_MAX);
        assert_eq!(sizes(vec![one; 2_500]), [1_000, 1_000, 500]);
        assert_eq!(sizes(vec![several; 100]), [62, 38]);
    }

    #[test]
    fn bodies_do_not_exceed_the_limit_of_bytes() {
        let contributions: Vec<_> = (0..50)
            .map(|n| Contribution::new("gifts/a", "u".repeat(n * 7)).points(1))
            .collect();
        let bytes_max = 1_000;
        let mut from = 0;
        while from < contributions.len() {
            let batch = next_batch(&contributions, from, bytes_max);
            let body = body_of(&contributions, &batch);
            assert!(body.len() <= bytes_max + 2, "{}", body.len());
            let read: Vec<serde_json::Value> = serde_json::from_slice(&body).unwrap();
            assert_eq!(read.len(), batch.len());
            from += batch.len();
        }
        let long = [Contribution::new("gifts/a", "u".repeat(2_000))];
        assert_eq!(sizes(&long, bytes_max), [1]);
    }
}
