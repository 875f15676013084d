//! A connection's socket, with an eye on whether what is written to it is taken.
//!
//! A client that stops reading is disconnected after the write timeout, so that nobody holds a connection and what
//! waits in it. [`Flow`] says whether the connection takes what it is given. While it does not, no further request of
//! it begins and its stream has no further event, so that the server holds one answer or one event for it. Since when
//! it does not says whose answers make way for others. The system keeps little unsent, so that a slow reader takes
//! some of it every now and then: else it would have room again only when a third of some megabytes was read.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::task::AtomicWaker;
use metering::Counter;
use parking_lot::Mutex;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::{Instant, Sleep, sleep};

use crate::pool::Pool;
use crate::read_ahead::{FREE_BYTES, PoolFull, ReadAhead};
use crate::refused_head::{self, HeadRead, RefusedHead};

/// Bytes of a stream that the system keeps for a slow reader. It may take twice that.
const STREAM_SEND_BUFFER_BYTES: usize = 64 << 10;

/// Unsent bytes of a connection from which on the system takes no more; it does again below half of it. What is on its
/// way to the client has the system's own limits: a small buffer for both would slow down distant clients.
#[cfg(target_os = "linux")]
const UNSENT_BYTES_MAX: u32 = 64 << 10;

/// Pause between two looks at whether a write has waited for too long.
const STALL_LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// What is known of a connection's way out.
#[derive(Debug, Default)]
pub struct Flow {
    /// While the connection takes nothing of what it was given: since when.
    blocked_since: Mutex<Option<Instant>>,
    /// Its buffers are to be those of a stream.
    is_stream: AtomicBool,
    waker: AtomicWaker,
    /// It has to end.
    displaced: Notify,
}

impl Flow {
    /// Ready while the connection takes what it is given.
    pub fn poll_free(&self, context: &Context<'_>) -> Poll<()> {
        if self.blocked_since().is_none() {
            return Poll::Ready(());
        }
        self.waker.register(context.waker());
        // It may have become free before it knew whom to wake.
        if self.blocked_since().is_some() {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    }

    /// The same, awaited.
    pub async fn freed(&self) {
        poll_fn(|context| self.poll_free(context)).await;
    }

    /// Returns since when nothing of what was given is taken, if it is so.
    #[must_use]
    pub fn blocked_since(&self) -> Option<Instant> {
        *self.blocked_since.lock()
    }

    /// What was given is not taken: from now on nothing more is.
    pub fn block(&self) {
        self.blocked_since.lock().get_or_insert_with(Instant::now);
    }

    /// Some of what was given has been taken.
    pub fn free(&self) {
        *self.blocked_since.lock() = None;
        self.waker.wake();
    }

    /// Others need what is held for the connection: it has to end.
    pub fn displace(&self) {
        self.displaced.notify_one();
    }

    /// Ready when it has to.
    pub async fn displaced(&self) {
        self.displaced.notified().await;
    }

    /// From the next write on the connection carries a stream.
    pub fn streams(&self) {
        self.is_stream.store(true, Ordering::Relaxed);
    }
}

/// A socket under a limit of time for writes that do not get on.
#[derive(Debug)]
pub struct Socket {
    stream: TcpStream,
    flow: Arc<Flow>,
    ahead: Arc<ReadAhead>,
    timeouts: Arc<WriteTimeouts>,
    /// It carries a stream, which ends with the server.
    is_stream: bool,
    /// While a write waits: since when, and until the next look at whether that is too long.
    stall: Option<(Instant, Pin<Box<Sleep>>)>,
    /// Of the request that is being read since the last answer.
    head_read: HeadRead,
    /// What is being sent in place of an answer of hyper's own.
    refused: Option<RefusedHead>,
}

/// How long writes wait for clients that take nothing.
#[derive(Debug)]
pub struct WriteTimeouts {
    write_timeout: Duration,
    /// Streams are not waited for any more.
    is_stopping: AtomicBool,
    /// Nor when its reserve is touched: what they do not read is held for them.
    stream_pool: Pool,
    hang_ups: Counter,
}

impl WriteTimeouts {
    /// Disconnections are counted in `hang_ups`.
    #[must_use]
    pub const fn new(write_timeout: Duration, stream_pool: Pool, hang_ups: Counter) -> Self {
        Self {
            write_timeout,
            is_stopping: AtomicBool::new(false),
            stream_pool,
            hang_ups,
        }
    }

    fn waits_for_streams(&self) -> bool {
        !self.is_stopping.load(Ordering::Relaxed) && !self.stream_pool.is_in_reserve()
    }

    /// From now on streams that nobody reads are ended.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }
}

impl Socket {
    /// A socket over a connection that was accepted.
    #[must_use]
    pub fn new(
        stream: TcpStream,
        flow: Arc<Flow>,
        ahead: Arc<ReadAhead>,
        timeouts: Arc<WriteTimeouts>,
    ) -> Self {
        #[cfg(target_os = "linux")]
        if let Err(error) = SockRef::from(&stream).set_tcp_notsent_lowat(UNSENT_BYTES_MAX) {
            tracing::debug!(%error, "a connection keeps as much unsent as the system likes");
        }
        Self {
            stream,
            flow,
            ahead,
            timeouts,
            is_stream: false,
            stall: None,
            head_read: HeadRead::default(),
            refused: None,
        }
    }

    /// What a write came to: one that waits for too long is an error.
    fn watched<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.head_read = HeadRead::default();
            if self.stall.take().is_some() {
                self.flow.free();
            }
            return written;
        }
        self.flow.block();
        let now = || (Instant::now(), Box::pin(sleep(STALL_LOOK_INTERVAL)));
        let (since, look) = self.stall.get_or_insert_with(now);
        while look.as_mut().poll(context).is_ready() {
            let waited = since.elapsed();
            let is_over = self.is_stream && !self.timeouts.waits_for_streams();
            if is_over || waited >= self.timeouts.write_timeout {
                self.timeouts.hang_ups.inc();
                let detail = format!("nothing was taken for {} s", waited.as_secs());
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, detail)));
            }
            look.as_mut().reset(Instant::now() + STALL_LOOK_INTERVAL);
        }
        Poll::Pending
    }

    /// Small buffers, and a short timeout for clients that are gone without a word.
    fn tune(&self) -> io::Result<()> {
        let socket = SockRef::from(&self.stream);
        socket.set_send_buffer_size(STREAM_SEND_BUFFER_BYTES)?;
        #[cfg(target_os = "linux")]
        socket.set_tcp_user_timeout(Some(self.timeouts.write_timeout))?;
        Ok(())
    }

    /// Writes what stands in for an answer of hyper's own, or what comes before it; none where these bytes
    /// are to be written as they are.
    fn poll_refused(
        &mut self,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Option<Poll<io::Result<usize>>> {
        if self.refused.is_none() {
            match refused_head::start_of(bytes)? {
                0 => self.refused = Some(RefusedHead::in_place_of(bytes, &self.head_read)?),
                start => {
                    return Some(Pin::new(&mut self.stream).poll_write(context, &bytes[..start]));
                }
            }
        }
        let refused = self.refused.as_mut()?;
        while !refused.unsent().is_empty() {
            match Pin::new(&mut self.stream).poll_write(context, refused.unsent()) {
                Poll::Ready(Ok(0)) => {
                    return Some(Poll::Ready(Err(io::ErrorKind::WriteZero.into())));
                }
                Poll::Ready(Ok(sent)) => refused.note_sent(sent),
                pending_or_failed => return Some(pending_or_failed),
            }
        }
        let stands_for = refused.stands_for;
        self.refused = None;
        Some(Poll::Ready(Ok(stands_for)))
    }

    /// Reads as much as there is room for.
    fn poll_read_some(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let wanted = buffer.remaining();
        if wanted <= FREE_BYTES {
            return Pin::new(&mut self.stream).poll_read(context, buffer);
        }
        ready!(self.stream.poll_read_ready(context))?;
        let max = self.ahead.read_max(wanted);
        let stream = Pin::new(&mut self.stream);
        if max == wanted {
            return stream.poll_read(context, buffer);
        }
        let mut some = ReadBuf::new(buffer.initialize_unfilled_to(max));
        let read = stream.poll_read(context, &mut some);
        let bytes = some.filled().len();
        buffer.advance(bytes);
        read
    }

    /// Answers a head for which there is no room, as well as it can be done: the connection ends in any case.
    fn refuse(&self, pool_full: PoolFull) -> io::Error {
        if self.stall.is_none() {
            let answer = refused_head::last_answer(PoolFull::problem(), None);
            let _ = self.stream.try_write(&answer);
        }
        io::Error::other(pool_full)
    }

    fn begin_write(&mut self) {
        if self.is_stream || !self.flow.is_stream.load(Ordering::Relaxed) {
            return;
        }
        self.is_stream = true;
        if let Err(error) = self.tune() {
            tracing::debug!(%error, "a stream keeps the buffers of other connections");
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = self.poll_read_some(context, buffer);
        if !matches!(polled, Poll::Ready(Ok(()))) {
            return polled;
        }
        let read = &mut buffer.filled_mut()[before..];
        self.head_read.note_read(read);
        let noted = self.ahead.note_read(read.len());
        Poll::Ready(noted.map_err(|pool_full| self.refuse(pool_full)))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.begin_write();
        let written = match self.poll_refused(context, bytes) {
            Some(written) => written,
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
        };
        self.watched(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.begin_write();
        // hyper's own answers are heads alone.
        let head = match slices {
            [head] => self.poll_refused(context, head),
            _ => None,
        };
        let written = match head {
            Some(written) => written,
            None => Pin::new(&mut self.stream).poll_write_vectored(context, slices),
        };
        self.watched(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests;
