//! How long a write waits for a client that takes nothing.

use futures::FutureExt as _;
use tokio::join;
use tokio::net::TcpListener;

use super::*;

const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes of the pool, and those of it that are no reserve.
const POOL_BYTES: usize = 100;
const UNRESERVED_BYTES: usize = 75;

/// One connection, with what its server knows of it.
struct Untaken {
    socket: Socket,
    hang_ups: Counter,
    /// Bytes that it took.
    written_bytes: usize,
    /// Takes nothing, and holds the connection.
    _client: TcpStream,
}

impl Untaken {
    /// A connection whose client takes nothing.
    async fn new(pool: &Pool, is_stream: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap());
        let client = client.await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let flow = Arc::<Flow>::default();
        if is_stream {
            flow.streams();
        }
        let hang_ups = Counter::default();
        let timeouts = WriteTimeouts::new(WRITE_TIMEOUT, pool.clone(), hang_ups.clone());
        let ahead = Arc::new(ReadAhead::new(&Pool::up_to(0)));
        Self {
            socket: Socket::new(stream, flow, ahead, Arc::new(timeouts)),
            hang_ups,
            written_bytes: 0,
            _client: client,
        }
    }

    /// Writes until the socket hangs up. Returns how long the last write has waited.
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
async fn a_stream_is_waited_for_a_second_while_the_reserve_is_touched() {
    for (is_stream, held_bytes, expected) in [
        (true, UNRESERVED_BYTES, WRITE_TIMEOUT),
        (true, UNRESERVED_BYTES + 1, STALL_LOOK_INTERVAL),
        (false, UNRESERVED_BYTES + 1, WRITE_TIMEOUT),
    ] {
        let pool = Pool::up_to(POOL_BYTES);
        let mut held = pool.hold();
        assert!(held.resize(held_bytes));
        let mut untaken = Untaken::new(&pool, is_stream).await;
        let waited = untaken.waited().await;
        assert_eq!(
            waited.as_secs(),
            expected.as_secs(),
            "{is_stream} {held_bytes}"
        );
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(start_paused = true)]
async fn the_system_keeps_little_of_what_a_client_does_not_take() {
    // Its own buffer takes some, too. By default the system keeps megabytes.
    const KEPT_BYTES_MAX: usize = 1 << 20;
    let mut untaken = Untaken::new(&Pool::up_to(POOL_BYTES), false).await;
    untaken.waited().await;
    let written = untaken.written_bytes;
    assert!((1..=KEPT_BYTES_MAX).contains(&written), "{written}");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_waited_for_already_ends_within_a_second_of_that() {
    let pool = Pool::up_to(POOL_BYTES);
    let mut held = pool.hold();
    let mut untaken = Untaken::new(&pool, true).await;
    let ends = async {
        untaken.waited().await;
        Instant::now()
    };
    let fills = async {
        sleep(WRITE_TIMEOUT / 2).await;
        assert!(held.resize(UNRESERVED_BYTES + 1));
        Instant::now()
    };
    let (ended, full) = join!(ends, fills);
    // Timers are exact to a millisecond.
    let late = ended.duration_since(full);
    assert!(
        ended >= full && late.as_millis() <= STALL_LOOK_INTERVAL.as_millis() + 1,
        "{late:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_blocked_connection_is_given_nothing_until_it_is_free() {
    let flow = Flow::default();
    assert!(flow.freed().now_or_never().is_some());
    let began = Instant::now();
    flow.block();
    tokio::time::advance(STALL_LOOK_INTERVAL).await;
    // Another look finds it as it was.
    flow.block();
    assert_eq!(flow.blocked_since(), Some(began));
    let mut freed = std::pin::pin!(flow.freed());
    assert!(freed.as_mut().now_or_never().is_none());
    flow.free();
    freed.await;
    assert_eq!(flow.blocked_since(), None);
}
