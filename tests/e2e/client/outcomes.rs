//! The outcomes of many contributions, valid and invalid, each with its index.

use megaboard_client::{Contribution, ProblemType};
use testkit::{Server, dice::Dice};

use super::{client, run};

const COUNT: usize = 3_000;

#[test]
fn each_invalid_contribution_is_reported_by_index() {
    let server = Server::with("[kinds.gifts]\nwindows = [\"all\"]\n");
    let client = client(&server);
    let mut dice = Dice::of_this_run();
    let (mut wrong, mut sum) = (Vec::new(), 0);
    let contributions: Vec<_> = (0..COUNT)
        .map(|n| {
            let points = i64::try_from(dice.below(100)).unwrap();
            let (board, kind) = match dice.below(4) {
                0 => ("nope/a", Some(ProblemType::UnknownKind)),
                1 => ("gifts/..", Some(ProblemType::Invalid)),
                _ => ("gifts/a", None),
            };
            match kind {
                Some(kind) => wrong.push((n, kind)),
                None => sum += points,
            }
            Contribution::new(board, format!("u{}", n % 50)).points(points)
        })
        .collect();
    let (first, again, entries) = run(async {
        let first = client.contribute(&contributions).await.unwrap();
        let again = client.contribute(&contributions).await.unwrap();
        let top = client.board("gifts", "a").top().n(100).fresh(true).await;
        (first, again, top.unwrap().entries)
    });
    let reported: Vec<_> = first
        .rejected
        .iter()
        .map(|it| (it.index, it.kind.clone()))
        .collect();
    assert_eq!(reported, wrong);
    let right = (COUNT - wrong.len()) as u64;
    assert_eq!((first.applied, first.duplicates), (right, 0));
    // Each has an id from its creation, so that it can be sent again.
    assert_eq!((again.applied, again.duplicates), (0, right));
    assert_eq!(again.rejected, first.rejected);
    let points = entries.iter().map(|entry| entry.points().unwrap());
    assert_eq!(points.sum::<i64>(), sum);
}
