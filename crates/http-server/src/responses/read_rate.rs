//! How quickly a connection takes a response: [`ReadRate`].

use parking_lot::Mutex;
use tokio::time::Instant;

/// The last pieces that the rate is measured over. The buffers between server and client take the first pieces of a
/// response at once, even if the client reads nothing.
const PIECES: usize = 4;

/// When a connection took the last pieces of a response.
#[derive(Debug)]
pub(super) struct ReadRate(Mutex<Taken>);

#[derive(Debug)]
struct Taken {
    /// The bytes and the times of the last pieces, as a ring.
    pieces: [(usize, Instant); PIECES],
    /// The index of the oldest one.
    oldest: usize,
}

impl ReadRate {
    /// Begins a response of which nothing was taken.
    pub(super) const fn since(since: Instant) -> Self {
        Self(Mutex::new(Taken {
            pieces: [(0, since); PIECES],
            oldest: 0,
        }))
    }

    /// Records that the connection takes a piece.
    pub(super) fn take(&self, bytes: usize, now: Instant) {
        let mut taken = self.0.lock();
        let oldest = taken.oldest;
        taken.pieces[oldest] = (bytes, now);
        taken.oldest = (oldest + 1) % PIECES;
    }

    /// Returns the bytes that it takes a second. The piece that was taken last counts as written, so the rate of a
    /// connection that takes nothing falls over time.
    pub(super) fn per_second(&self, now: Instant) -> u64 {
        let taken = self.0.lock();
        let bytes: usize = taken.pieces.iter().map(|(bytes, _)| bytes).sum();
        let (_, since) = taken.pieces[taken.oldest];
        let millis = (now - since).as_millis().max(1);
        u64::try_from(bytes as u128 * 1_000 / millis).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn the_rate_is_that_of_the_last_pieces_and_falls_while_nothing_is_taken() {
        let began = Instant::now();
        let at = |seconds: u64| began + Duration::from_secs(seconds);
        let rate = ReadRate::since(began);
        assert_eq!(rate.per_second(at(1)), 0);
        // Buffers take the first pieces at once.
        for _ in 0..2 * PIECES {
            rate.take(MIB, at(1));
        }
        assert!(rate.per_second(at(1)) > 1 << 30);
        assert_eq!(rate.per_second(at(1 + PIECES as u64)), MIB as u64);
        for second in 11..20 {
            rate.take(MIB, at(second));
        }
        // Four pieces in three seconds, then in four.
        assert_eq!(rate.per_second(at(19)), (MIB * PIECES / 3) as u64);
        assert_eq!(rate.per_second(at(20)), MIB as u64);
    }
}
