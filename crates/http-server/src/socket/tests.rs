//! Timeouts of writes to clients that do not read.

use std::future::poll_fn;

use tokio::join;
use tokio::net::TcpListener;

use super::*;

const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// The bytes of the share, with and without the reserve.
const SHARE_BYTES: usize = 100;
const UNRESERVED_BYTES: usize = 75;

/// A connection whose client does not read.
struct BlockedConnection {
    socket: Socket,
    hang_ups: Counter,
    /// Bytes that the socket accepted.
    written_bytes: usize,
    /// Keeps the connection open.
    _client: TcpStream,
}

impl BlockedConnection {
    async fn new(share: &Share, is_stream: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap());
        let client = client.await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let flow = Arc::<Backpressure>::default();
        if is_stream {
            flow.streams();
        }
        let hang_ups = Counter::default();
        let timeouts = WriteTimeouts::new(WRITE_TIMEOUT, share.clone(), hang_ups.clone());
        let ahead = Arc::new(ReadAhead::new(&Share::up_to(0)));
        Self {
            socket: Socket::new(stream, flow, ahead, Arc::new(timeouts)),
            hang_ups,
            written_bytes: 0,
            _client: client,
        }
    }

    /// Writes until the socket closes the connection. Returns how long the last write was blocked.
    async fn waited(&mut self) -> Duration {
        let bytes = vec![b'x'; 1 << 20];
        loop {
            let began = Instant::now();
            let socket = &mut self.socket;
            let written = poll_fn(|context| Pin::new(&mut *socket).poll_write(context, &bytes));
            match written.await {
                Ok(bytes) => self.written_bytes += bytes,
                Err(error) => {
                    assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{error}");
                    assert_eq!(self.hang_ups.get(), 1);
                    return began.elapsed();
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_blocked_stream_ends_after_a_second_while_the_reserve_is_in_use() {
    for (is_stream, held_bytes, expected) in [
        (true, UNRESERVED_BYTES, WRITE_TIMEOUT),
        (true, UNRESERVED_BYTES + 1, STALL_CHECK_INTERVAL),
        (false, UNRESERVED_BYTES + 1, WRITE_TIMEOUT),
    ] {
        let share = Share::up_to(SHARE_BYTES);
        let mut held = share.hold();
        assert!(held.resize(held_bytes));
        let mut connection = BlockedConnection::new(&share, is_stream).await;
        let waited = connection.waited().await;
        assert_eq!(
            waited.as_secs(),
            expected.as_secs(),
            "{is_stream} {held_bytes}"
        );
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(start_paused = true)]
async fn the_operating_system_buffers_few_unsent_bytes() {
    // The receive buffer of the client also accepts some. By default the system buffers megabytes.
    const BUFFERED_BYTES_MAX: usize = 1 << 20;
    let mut connection = BlockedConnection::new(&Share::up_to(SHARE_BYTES), false).await;
    connection.waited().await;
    let written = connection.written_bytes;
    assert!((1..=BUFFERED_BYTES_MAX).contains(&written), "{written}");
}

#[tokio::test(start_paused = true)]
async fn an_already_blocked_stream_ends_within_a_second_once_the_reserve_is_used() {
    let share = Share::up_to(SHARE_BYTES);
    let mut held = share.hold();
    let mut connection = BlockedConnection::new(&share, true).await;
    let end = async {
        connection.waited().await;
        Instant::now()
    };
    let fill = async {
        sleep(WRITE_TIMEOUT / 2).await;
        assert!(held.resize(UNRESERVED_BYTES + 1));
        Instant::now()
    };
    let (ended_at, full_at) = join!(end, fill);
    // Timers are exact to a millisecond.
    let late = ended_at.duration_since(full_at);
    assert!(
        ended_at >= full_at && late.as_millis() <= STALL_CHECK_INTERVAL.as_millis() + 1,
        "{late:?}"
    );
}
