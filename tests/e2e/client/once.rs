//! Outcomes of many contributions, right and wrong, each told with its place.

use megaboard_client::{Contribution, ProblemType};
use testkit::{Server, dice::Dice};

use super::{client, run};

const COUNT: usize = 3_000;

#[test]
fn of_thousands_each_that_is_wrong_is_named() {
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
    let told: Vec<_> = first
        .rejected
        .iter()
        .map(|it| (it.index, it.kind.clone()))
        .collect();
    assert_eq!(told, wrong);
    let right = (COUNT - wrong.len()) as u64;
    assert_eq!((first.applied, first.duplicates), (right, 0));
    // Each has an id from the start, whoever sends it again.
    assert_eq!((again.applied, again.duplicates), (0, right));
    assert_eq!(again.rejected, first.rejected);
    let points = entries.iter().map(|entry| entry.points().unwrap());
    assert_eq!(points.sum::<i64>(), sum);
}
