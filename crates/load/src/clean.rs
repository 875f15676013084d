//! Deletes the boards of a load: [`check`] before it, [`clean`] after it.

use std::error::Error as StdError;

use futures::TryStreamExt as _;
use megaboard_client::{Client, Error, Listed, ProblemType};

use crate::args::LoadArgs;
use crate::rooms::{ROOM_PREFIX, subject};

/// The number of requests at a time.
const AT_A_TIME: usize = 16;

/// Returns an error if the key may not delete boards.
///
/// Asks for it with a parameter that does not exist, so that nothing is deleted: keys are checked before parameters.
pub(crate) async fn check(client: &Client, args: &LoadArgs) -> Result<(), Box<dyn StdError>> {
    let board = format!("/v1/boards/{}/{}?check", args.kind, subject(0));
    let response = client.delete(board).await?;
    match response.status {
        401 | 403 => Err(format!(
            "--clean requires a key with the scope admin for kind {}: {}",
            args.kind,
            response.problem()
        )
        .into()),
        _ => Ok(()),
    }
}

/// Deletes the boards of all rooms. Returns their number.
pub(crate) async fn clean(client: &Client, args: &LoadArgs) -> Result<u64, Error> {
    // Subjects are ordered as bytes, so those of rooms follow their prefix.
    let listed = client
        .boards(&args.kind)
        .after(ROOM_PREFIX)
        .limit(1_000)
        .all();
    let listed =
        listed.try_take_while(|it| std::future::ready(Ok(it.subject.starts_with(ROOM_PREFIX))));
    let rooms = listed.try_filter(|it| std::future::ready(is_room(it, args.rooms)));
    let deleted = rooms.map_ok(|it| {
        let board = client.board(&args.kind, it.subject);
        async move {
            match board.delete().await {
                // Another process has deleted it.
                Err(error) if error.is(&ProblemType::UnknownBoard) => Ok(0),
                deleted => deleted.map(|()| 1),
            }
        }
    });
    deleted
        .try_buffer_unordered(AT_A_TIME)
        .try_fold(0, async |sum, one| Ok(sum + one))
        .await
}

fn is_room(listed: &Listed, rooms: u32) -> bool {
    let number = listed.subject.strip_prefix(ROOM_PREFIX);
    let number = number.and_then(|number| number.parse::<u32>().ok());
    // Not `load-01`, which is another board.
    number.is_some_and(|number| {
        (1..=rooms).contains(&number) && subject(number as usize - 1) == listed.subject
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_boards_of_rooms_are_deleted() {
        let is_room = |subject: &str| {
            let listed = serde_json::json!({"board": "gifts/x", "subject": subject, "shards": 1});
            is_room(&serde_json::from_value(listed).unwrap(), 10)
        };
        assert!(is_room("load-1") && is_room("load-10"));
        for other in [
            "load-0", "load-11", "load-01", "load-+1", "load-", "load-x", "load",
        ] {
            assert!(!is_room(other), "{other}");
        }
    }
}
