//! The connections to the server: [`Connections`].

use std::collections::VecDeque;

use megaboard_client::{Client, Error, RetryPolicy};
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use crate::args::LoadArgs;
use crate::rooms::{Rooms, subject};

/// A fixed number of connections, each a client with one request at a time, and the boards that they use.
pub(crate) struct Connections {
    /// One permit for each free client. Waiting requests get them in the order in which they were due.
    free: Semaphore,
    clients: Mutex<VecDeque<Client>>,
    /// For streams, which have connections of their own.
    pub(crate) other: Client,
    pub(crate) kind: String,
    pub(crate) rooms: Rooms,
    pub(crate) with_ids: bool,
}

impl Connections {
    pub(crate) fn new(args: &LoadArgs, rooms: Rooms) -> Result<Self, Error> {
        let client = || args.server.client_with(RetryPolicy::none());
        let clients = (0..args.connections).map(|_| client());
        let clients = clients.collect::<Result<VecDeque<_>, _>>()?;
        Ok(Self {
            free: Semaphore::new(clients.len()),
            clients: Mutex::new(clients),
            other: args.server.client()?,
            kind: args.kind.clone(),
            rooms,
            with_ids: !args.without_ids,
        })
    }

    /// Runs a request on the connection that has been free for longest, when one is free. Returns `None` if none was
    /// before [`Self::close`].
    pub(crate) async fn use_next<T>(&self, send: impl AsyncFnOnce(&Client) -> T) -> Option<T> {
        let _permit = self.free.acquire().await.ok()?;
        let client = self.clients.lock().pop_front();
        let client = client.expect("there is a client for each permit");
        let output = send(&client).await;
        self.clients.lock().push_back(client);
        Some(output)
    }

    /// Sends no more requests, also of those that wait for a connection.
    pub(crate) fn close(&self) {
        self.free.close();
    }

    /// Returns the name of the board of a room.
    pub(crate) fn board_name(&self, room: usize) -> String {
        format!("{}/{}", self.kind, subject(room))
    }
}
