//! A member leaves a window if its standing there is old enough when the shard is asked.

use board::{Member, Period, Window, WindowRule};
use shard_store::{Change, Item, ItemRejected, Outcome};

use crate::conformance::fixtures::{Board, DAY, HOUR, NOW, OpenStore, gifts, kept, member, window};

const ALL: Window = Window::ALL_TIME;

const APPLIED: Outcome = Outcome::Applied(Vec::new());

/// Returns an item that removes a member from the window without bounds, if it was reached up to then.
fn expiry(board: &Board, member: &Member, bound: board::Timestamp) -> Item {
    Item {
        windows: [ALL].into(),
        ..board.item(member, Change::Expire, bound, NOW)
    }
}

pub async fn a_standing_that_was_reached_later_stays(store: OpenStore) {
    let windows = vec![
        kept(Period::Day, DAY * 10),
        WindowRule::with_defaults(Period::All),
    ];
    let kind = store.kind(gifts(|spec| spec.windows = windows)).await;
    for (subject, others) in [("small", 3), ("large", 1_500)] {
        let board = store.created(&kind, subject, NOW).await;
        let (ann, ben, cyd) = (member("ann"), member("ben"), member("cyd"));
        let then = NOW.minus(HOUR);
        let mut items = vec![
            board.points(&ann, 1, then),
            board.points(&ben, 2, then),
            board.points(&ben, 3, NOW),
        ];
        let names = (0..others).map(|number| member(&format!("u{number}")));
        items.extend(names.map(|name| board.points(&name, 1, NOW)));
        board.apply(&items, NOW).await;
        let before = board.version(ALL, 0).await;
        let not_ranked = |name: &Member| {
            let rejected = ItemRejected::NotRanked(name.clone());
            Outcome::Rejected(rejected)
        };
        let early = then.minus(std::time::Duration::from_millis(1));
        let outcomes = board
            .apply(
                &[
                    expiry(&board, &ann, early),
                    expiry(&board, &ben, then),
                    expiry(&board, &cyd, NOW),
                ],
                NOW,
            )
            .await;
        let expected = [not_ranked(&ann), not_ranked(&ben), not_ranked(&cyd)];
        assert_eq!(outcomes, expected, "{subject}");
        assert_eq!(board.version(ALL, 0).await, before, "{subject}");
        // A contribution before it in the batch counts.
        let items = [
            expiry(&board, &ann, then),
            board.points(&cyd, 1, then),
            expiry(&board, &cyd, then),
            expiry(&board, &ben, then),
        ];
        let outcomes = board.apply(&items, NOW).await;
        let expected = [APPLIED, APPLIED, APPLIED, not_ranked(&ben)];
        assert_eq!(outcomes, expected, "{subject}");
        assert_eq!(board.points_of(ALL, &ann).await, None);
        assert_eq!(board.points_of(ALL, &ben).await, Some(5));
        // Other windows are as they were.
        let day = window(Period::Day, then);
        assert_eq!(board.points_of(day, &ann).await, Some(1));
        board.apply(&[board.points(&ann, 7, NOW)], NOW).await;
        assert_eq!(board.points_of(ALL, &ann).await, Some(7));
        board.verify().await;
    }
}
