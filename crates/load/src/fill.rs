//! Fills the rooms before a load: [`fill`].

use std::error::Error;
use std::sync::Arc;

use commands::{Stop, gifts};
use futures::{FutureExt as _, StreamExt as _};
use tokio::runtime::Handle;

use crate::connections::Connections;
use crate::request::contribute;
use crate::rooms::name;
use crate::tally::Tally;

/// The maximum number of contributions of a request.
const BATCH: u32 = 1_000;

/// The number of requests at a time.
const AT_A_TIME: usize = 4;

/// Sends one contribution of each member of each room, without ids. Returns their number. It is an error if any of them
/// is not applied.
pub(crate) fn fill(
    connections: &Arc<Connections>,
    stop: &Stop,
    runtime: &Handle,
) -> Result<u64, Box<dyn Error>> {
    let rooms = &connections.rooms;
    let batches = rooms.all().flat_map(|room| {
        let members = rooms.members_of(room);
        let firsts = (0..members).step_by(BATCH as usize);
        firsts.map(move |first| (room, first..members.min(first + BATCH)))
    });
    let tally = Tally::default();
    let requests = batches
        .take_while(|_| !stop.is_requested())
        .map(|(room, numbers)| {
            let gifts = numbers.map(|number| (name(number), gifts::crowd_member(number).1));
            let gifts: Vec<_> = gifts.collect();
            let (board, tally) = (connections.board_name(room), &tally);
            let send =
                async move |client: &_| contribute(client, &board, gifts, false, tally).await;
            // Nothing closes the connections before the load.
            connections
                .use_next(send)
                .map(|sent| sent.unwrap_or(Ok(())))
        });
    let mut sent = futures::stream::iter(requests).buffer_unordered(AT_A_TIME);
    runtime.block_on(async {
        while let Some(outcome) = sent.next().await {
            outcome?;
        }
        Ok::<(), megaboard_client::Error>(())
    })?;
    drop(sent);
    let counts = tally.take();
    match counts.faults.first_key_value() {
        Some((fault, _)) => Err(format!("the rooms could not be filled: {fault}").into()),
        None => Ok(counts.contributions.applied),
    }
}
