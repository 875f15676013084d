//! The socket of a connection, with a timeout for writes: [`Socket`].
//!
//! A client that stops reading is disconnected after the write timeout, so that it does not hold a connection and its
//! memory. [`Backpressure`] reports whether the connection is blocked. While it is, no other request of the connection
//! begins and its stream gets no more events, so the server holds at most one response or one event for it. If others
//! need memory, the connection that reads the slowest is closed. The operating system buffers few unsent bytes, so that
//! a slow reader causes some progress regularly. With the default buffers of some megabytes, a write would progress
//! only after a third of them was read.

use std::io::{self, IoSlice};
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use metering::Counter;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use crate::backpressure::Backpressure;
use crate::read_ahead::{FREE_BYTES, ReadAhead};
use crate::share::Share;

/// The send buffer of a stream. The operating system may use twice as much.
const STREAM_SEND_BUFFER_BYTES: usize = 64 << 10;

/// The unsent bytes of a connection from which on the operating system accepts no more. It accepts more below half of
/// them. Bytes in flight have the system's own limits: a small buffer for both would slow down distant clients.
#[cfg(target_os = "linux")]
const UNSENT_BYTES_MAX: u32 = 64 << 10;

/// The interval at which the timeout of a write is checked.
const STALL_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// A socket with a timeout for writes that do not progress.
#[derive(Debug)]
pub struct Socket {
    stream: TcpStream,
    flow: Arc<Backpressure>,
    ahead: Arc<ReadAhead>,
    timeouts: Arc<WriteTimeouts>,
    /// The connection carries a stream, which ends when the server stops.
    is_stream: bool,
    /// While a write is blocked: the time since which it is, and the timer of the next check.
    stall: Option<(Instant, Pin<Box<Sleep>>)>,
    /// The client was disconnected, and counted.
    is_hung_up: bool,
}

/// The timeouts of writes.
#[derive(Debug)]
pub struct WriteTimeouts {
    write_timeout: Duration,
    /// Blocked streams are closed from now on.
    is_stopping: AtomicBool,
    /// Blocked streams are also closed while the reserve of this share is in use: it holds their events.
    stream_share: Share,
    hang_ups: Counter,
}

impl WriteTimeouts {
    /// Creates timeouts. `hang_ups` counts disconnected clients.
    #[must_use]
    pub const fn new(write_timeout: Duration, stream_share: Share, hang_ups: Counter) -> Self {
        Self {
            write_timeout,
            is_stopping: AtomicBool::new(false),
            stream_share,
            hang_ups,
        }
    }

    fn waits_for_streams(&self) -> bool {
        !self.is_stopping.load(Ordering::Relaxed) && !self.stream_share.is_in_reserve()
    }

    /// Closes blocked streams from now on.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }
}

impl Socket {
    /// Wraps an accepted connection.
    #[must_use]
    pub fn new(
        stream: TcpStream,
        flow: Arc<Backpressure>,
        ahead: Arc<ReadAhead>,
        timeouts: Arc<WriteTimeouts>,
    ) -> Self {
        #[cfg(target_os = "linux")]
        if let Err(error) = SockRef::from(&stream).set_tcp_notsent_lowat(UNSENT_BYTES_MAX) {
            tracing::debug!(%error, "a connection has the default limit of unsent bytes");
        }
        Self {
            stream,
            flow,
            ahead,
            timeouts,
            is_stream: false,
            stall: None,
            is_hung_up: false,
        }
    }

    /// Checks the result of a write, and returns an error if it has been blocked for too long.
    fn check_timeout<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            if self.stall.take().is_some() {
                self.flow.free();
            }
            return written;
        }
        self.flow.block();
        let now = || (Instant::now(), Box::pin(sleep(STALL_CHECK_INTERVAL)));
        let (since, check) = self.stall.get_or_insert_with(now);
        while check.as_mut().poll(context).is_ready() {
            let waited = since.elapsed();
            let is_closing = self.is_stream && !self.timeouts.waits_for_streams();
            if is_closing || waited >= self.timeouts.write_timeout {
                if !mem::replace(&mut self.is_hung_up, true) {
                    self.timeouts.hang_ups.inc();
                }
                let detail = format!("the client read nothing for {} s", waited.as_secs());
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, detail)));
            }
            check.as_mut().reset(Instant::now() + STALL_CHECK_INTERVAL);
        }
        Poll::Pending
    }

    /// Sets a small send buffer, and a short timeout for clients that have disappeared.
    fn tune_for_stream(&self) -> io::Result<()> {
        let socket = SockRef::from(&self.stream);
        socket.set_send_buffer_size(STREAM_SEND_BUFFER_BYTES)?;
        #[cfg(target_os = "linux")]
        socket.set_tcp_user_timeout(Some(self.timeouts.write_timeout))?;
        Ok(())
    }

    /// Reads as many bytes as the limit of read buffers permits.
    fn poll_read_limited(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let available = buffer.remaining();
        if available <= FREE_BYTES {
            return Pin::new(&mut self.stream).poll_read(context, buffer);
        }
        ready!(self.stream.poll_read_ready(context))?;
        let max = self.ahead.read_max(available);
        let stream = Pin::new(&mut self.stream);
        if max == available {
            return stream.poll_read(context, buffer);
        }
        let mut limited = ReadBuf::new(buffer.initialize_unfilled_to(max));
        let read = stream.poll_read(context, &mut limited);
        let bytes = limited.filled().len();
        buffer.advance(bytes);
        read
    }

    fn begin_write(&mut self) {
        if self.is_stream || !self.flow.is_stream() {
            return;
        }
        self.is_stream = true;
        if let Err(error) = self.tune_for_stream() {
            tracing::debug!(%error, "a stream has the default send buffer");
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
        ready!(self.poll_read_limited(context, buffer))?;
        let counted = self.ahead.count_read(buffer.filled().len() - before);
        Poll::Ready(counted.map_err(io::Error::other))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.begin_write();
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check_timeout(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.begin_write();
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.check_timeout(context, written)
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
