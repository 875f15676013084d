//! The open connections of a server, which it asks to finish when it stops: [`OpenConnections`].

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::backpressure::{Asked, Backpressure};

/// The open connections of a server.
#[derive(Debug, Default)]
pub struct OpenConnections(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    open: Mutex<Open>,
    emptied: Notify,
}

#[derive(Debug, Default)]
struct Open {
    next_number: u64,
    by_number: BTreeMap<u64, Arc<Backpressure>>,
}

/// An open connection, until this is dropped.
#[derive(Debug)]
pub struct OpenConnection {
    connections: Arc<Shared>,
    number: u64,
}

impl OpenConnections {
    /// Adds a connection.
    #[must_use]
    pub fn add(&self, flow: &Arc<Backpressure>) -> OpenConnection {
        let open = &mut *self.0.open.lock();
        let number = open.next_number;
        open.next_number += 1;
        open.by_number.insert(number, flow.clone());
        OpenConnection {
            connections: self.0.clone(),
            number,
        }
    }

    /// Asks this of all connections, and waits until they have ended.
    pub async fn end(&self, asked: Asked) {
        let Shared { open, emptied } = &*self.0;
        open.lock()
            .by_number
            .values()
            .for_each(|flow| flow.ask(asked));
        while !open.lock().by_number.is_empty() {
            emptied.notified().await;
        }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let Shared { open, emptied } = &*self.connections;
        let by_number = &mut open.lock().by_number;
        by_number.remove(&self.number);
        if by_number.is_empty() {
            emptied.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::task::Poll;

    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn a_stop_asks_all_connections_and_waits_for_them() {
        let connections = OpenConnections::default();
        let flows = [(); 3].map(|()| Arc::<Backpressure>::default());
        let [first, second, third] = flows.each_ref().map(|flow| connections.add(flow));
        drop(first);
        let asked = |flow: &Arc<Backpressure>| {
            let flow = flow.clone();
            poll_fn(move |context| Poll::Ready(flow.poll_asked(context))).now_or_never()
        };
        assert_eq!(asked(&flows[1]), Some(Asked::Nothing));
        let mut finish = Box::pin(connections.end(Asked::Finish));
        assert!(finish.as_mut().now_or_never().is_none());
        assert_eq!(asked(&flows[1]), Some(Asked::Finish));
        assert_eq!(asked(&flows[2]), Some(Asked::Finish));
        drop(second);
        assert!(finish.as_mut().now_or_never().is_none());
        drop(third);
        finish.await;
        // Without connections there is nothing to wait for.
        connections.end(Asked::Finish).await;
    }
}
