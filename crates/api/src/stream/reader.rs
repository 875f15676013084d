//! [`Reader`]: the events of one stream.

use std::convert::Infallible;
use std::future::poll_fn;
use std::ops::RangeInclusive;
use std::sync::Arc;

use access::Caller;
use board::KindName;
use bytes::Bytes;
use futures::{Stream, stream};
use http_server::{Backpressure, OfAddress};
use tokio::sync::{OwnedSemaphorePermit, watch};
use wire::problem::Problem;

use super::feed::{Subscription, subscribe};
use crate::app::App;
use crate::feeds::frame::{Frame, event_aside};
use crate::feeds::{FeedReader, NewReader, Signal, Watched};
use crate::metrics::Streams;

/// The range of the time before a reconnect, in milliseconds. It is drawn for each stream, so that the clients of a
/// server that restarts do not all connect again at the same moment.
const RETRY_MS: RangeInclusive<u32> = 500..=2_500;

/// A comment: sent when there has been no event for a while.
const BEAT: Bytes = Bytes::from_static(b":\n\n");

/// The events of one stream. It has no queue: the next event is always the newest.
pub(crate) struct Reader {
    signals: watch::Receiver<Signal>,
    /// Frames are held back while the connection has not taken the one before.
    flow: Option<Arc<Backpressure>>,
    has_begun: bool,
    sent: Sent,
    /// The rest of the event that was sent last.
    rest: Option<Bytes>,
    /// Checked before each event, comments included.
    admission: Option<Admission>,
    of_feed: FeedReader,
    _permit: OwnedSemaphorePermit,
    /// The stream's count in its address.
    of_address: Option<Arc<OfAddress>>,
}

/// The caller of a stream. The stream ends when the caller's key does.
pub(crate) struct Admission {
    pub(crate) app: Arc<App>,
    pub(crate) caller: Caller,
    pub(crate) kind: KindName,
}

impl Admission {
    /// Returns the last event of the stream, if the caller's key has ended.
    fn end(&self) -> Option<Bytes> {
        let Self { app, caller, kind } = self;
        // Most servers have none: then the clock is not read for each frame of each stream.
        if !app.access().has_keys() {
            return None;
        }
        let checked = caller.check_still_for(&app.access, kind.as_str(), &**app, app.now());
        let problem = checked.err()?;
        Some(event_aside("problem", &problem.json()))
    }
}

/// What a signal contains that a reader was not sent yet.
enum News {
    None,
    Event(Bytes),
    /// The top.
    Top(Arc<Frame>),
    /// What has moved between the frame before and this one.
    Moves(Arc<Frame>),
}

/// What a reader has been sent, and in which form.
struct Sent {
    /// The reader is sent what has moved, where that is possible.
    changes: bool,
    has_ended: bool,
    /// The number of the last frame.
    number: u64,
    beats: u64,
    metrics: Arc<Streams>,
}

impl Reader {
    /// Creates a reader of the first `n` entries of a feed. With `changes` it is sent what has moved, where that is
    /// possible.
    pub(crate) async fn of(
        app: &Arc<App>,
        caller: Caller,
        (watched, n): (&Watched, usize),
        changes: bool,
        (flow, of_address): (Option<Arc<Backpressure>>, Option<Arc<OfAddress>>),
    ) -> Result<Self, Problem> {
        let address = of_address.as_ref().map(|one| one.address());
        let subscription = subscribe(app, watched, NewReader { n, address }).await?;
        if let Some(flow) = &flow {
            flow.streams();
        }
        let metrics = app.metrics.streams.clone();
        let mut reader = Self::at(subscription, changes, flow, metrics);
        reader.of_address = of_address;
        reader.admission = Some(Admission {
            app: app.clone(),
            caller,
            kind: watched.board.kind().clone(),
        });
        Ok(reader)
    }

    fn at(
        subscription: Subscription,
        changes: bool,
        flow: Option<Arc<Backpressure>>,
        metrics: Arc<Streams>,
    ) -> Self {
        let Subscription {
            mut signals,
            reader,
            permit,
        } = subscription;
        let beats = signals.borrow().beats;
        // The current frame is new to a new reader.
        signals.mark_changed();
        Self {
            signals,
            flow,
            has_begun: false,
            sent: Sent {
                changes,
                has_ended: false,
                number: 0,
                beats,
                metrics,
            },
            rest: None,
            admission: None,
            of_feed: reader,
            _permit: permit,
            of_address: None,
        }
    }

    /// Returns the number of the last frame that was sent.
    pub(super) const fn sent(&self) -> u64 {
        self.sent.number
    }

    /// Returns whether a part of the last event has not been sent.
    pub(super) const fn is_within_event(&self) -> bool {
        self.rest.is_some()
    }

    /// Returns its events, one after the other.
    pub(crate) fn events(self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        stream::unfold(self, async |mut reader| {
            let event = reader.next().await?;
            Some((Ok(event), reader))
        })
    }

    /// Returns the next event, or the rest of the last one, once there is one and the connection has taken the one
    /// before; `None` after the end. A caller that drops this future before it is ready may miss an event.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        if let Some(rest) = self.rest.take() {
            return Some(rest);
        }
        if self.sent.has_ended {
            return None;
        }
        if !self.has_begun {
            self.has_begun = true;
            return Some(begin());
        }
        loop {
            self.signals.changed().await.ok()?;
            if let Some(flow) = &self.flow {
                poll_fn(|context| flow.poll_free(context)).await;
            }
            if let Some(end) = self.admission.as_ref().and_then(Admission::end) {
                self.sent.has_ended = true;
                return Some(end);
            }
            // Borrowed, not cloned: cloning would change the reference counts that all readers share.
            let signal = self.signals.borrow_and_update();
            let news = self.sent.news(&signal);
            drop(signal);
            match news {
                News::None => {}
                News::Event(event) => return Some(event),
                News::Top(frame) => return Some(self.top(&frame)),
                // Made for the first reader that needs it, and only when it can be sent.
                News::Moves(frame) => {
                    let changes = frame.changes(self.of_feed.n());
                    return Some(changes.unwrap_or_else(|| self.top(&frame)));
                }
            }
        }
    }

    /// Returns the beginning of the event with a top, and keeps the rest.
    fn top(&mut self, frame: &Frame) -> Bytes {
        let (event, rest) = frame.board(self.of_feed.n());
        self.rest = rest;
        event
    }
}

/// Returns the first event of a stream: how long to wait before connecting again.
fn begin() -> Bytes {
    let (min, max) = (*RETRY_MS.start(), *RETRY_MS.end());
    let drawn = getrandom::u32().expect("the system has random bytes");
    let retry_ms = min + drawn % (max - min + 1);
    Bytes::from(format!("retry: {retry_ms}\n\n"))
}

impl Sent {
    /// Returns what the signal has that was not sent yet, and records it as sent.
    fn news(&mut self, signal: &Signal) -> News {
        let Signal { frame, beats, end } = signal;
        if let Some(end) = end {
            self.has_ended = true;
            return News::Event(end.clone());
        }
        if frame.number == self.number {
            let is_due = self.beats != *beats;
            self.beats = *beats;
            return if is_due {
                News::Event(BEAT)
            } else {
                News::None
            };
        }
        let follows = frame.number == self.number + 1 && self.number > 0;
        self.metrics.frames.inc();
        if self.number > 0 && !follows {
            let skipped = frame.number.saturating_sub(self.number + 1);
            self.metrics.skipped.inc_by(skipped);
        }
        self.number = frame.number;
        self.beats = *beats;
        if self.changes && follows {
            News::Moves(frame.clone())
        } else {
            News::Top(frame.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;

    use futures::{FutureExt as _, StreamExt as _};
    use tokio::sync::Semaphore;

    use super::*;

    /// Events, by the numbers of their frames.
    const BOARDS: [&str; 5] = ["", "board 1", "board 2", "board 3", "board 4"];
    const CHANGES: [&str; 5] = ["", "", "changes 2", "changes 3", "changes 4"];

    /// One reader of a feed.
    struct Seen {
        signals: watch::Sender<Signal>,
        events: Pin<Box<dyn Stream<Item = Result<Bytes, Infallible>> + Send>>,
        flow: Arc<Backpressure>,
        metrics: Arc<Streams>,
    }

    impl Seen {
        /// A reader that has been sent the first frame.
        fn begun(changes: bool) -> Self {
            let (signals, receiver) = watch::channel(Signal {
                frame: Arc::new(Frame::bare(1, BOARDS[1], None)),
                beats: 0,
                end: None,
            });
            let permit = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
            let subscription = Subscription {
                signals: receiver,
                reader: FeedReader::alone(10),
                permit,
            };
            let (flow, metrics) = (Arc::<Backpressure>::default(), Arc::<Streams>::default());
            let reader = Reader::at(subscription, changes, Some(flow.clone()), metrics.clone());
            let mut seen = Self {
                signals,
                events: reader.events().boxed(),
                flow,
                metrics,
            };
            assert!(RETRY_MS.contains(&retry_ms(&seen.next().unwrap())));
            assert_eq!(seen.next().as_deref(), Some("board 1"));
            seen
        }

        /// Publishes the frame of this number, with its changes.
        fn publish(&self, number: usize) {
            let frame = Frame::bare(number as u64, BOARDS[number], Some(CHANGES[number]));
            self.signals
                .send_modify(|signal| signal.frame = Arc::new(frame));
        }

        /// Returns the event that can be sent now; `None` if there is none yet.
        fn next(&mut self) -> Option<String> {
            let event = self.events.next().now_or_never()?;
            let bytes = event.expect("the stream goes on").unwrap();
            Some(String::from_utf8(bytes.to_vec()).unwrap())
        }
    }

    /// Returns how long the first event of a stream asks to wait.
    fn retry_ms(begin: &str) -> u32 {
        let retry = begin.strip_prefix("retry: ").unwrap();
        retry.strip_suffix("\n\n").unwrap().parse().unwrap()
    }

    #[test]
    fn clients_do_not_connect_again_all_at_once() {
        let drawn = (0..1_000).map(|_| retry_ms(std::str::from_utf8(&begin()).unwrap()));
        let drawn: Vec<u32> = drawn.collect();
        assert!(drawn.iter().all(|retry_ms| RETRY_MS.contains(retry_ms)));
        // The probability that a thousand of them leave a quarter of the range empty is 10^-125.
        for quarter in 0..4 {
            let from = 500 + quarter * 500;
            let is_there = |retry_ms: &u32| (from..=from + 500).contains(retry_ms);
            assert!(drawn.iter().any(is_there), "from {from} ms");
        }
    }

    #[test]
    fn each_frame_is_sent_once_in_the_form_that_was_asked_for() {
        for (changes, second) in [(false, "board 2"), (true, "changes 2")] {
            let mut seen = Seen::begun(changes);
            assert_eq!(seen.next(), None);
            seen.publish(2);
            assert_eq!(seen.next().as_deref(), Some(second));
            assert_eq!(seen.next(), None);
        }
    }

    #[test]
    fn a_reader_that_missed_frames_is_sent_the_newest_board_whole() {
        let mut seen = Seen::begun(true);
        for number in 2..=4 {
            seen.publish(number);
        }
        assert_eq!(seen.next().as_deref(), Some("board 4"));
        assert_eq!(seen.next(), None);
        assert_eq!(
            (seen.metrics.frames.get(), seen.metrics.skipped.get()),
            (2, 2)
        );
    }

    #[test]
    fn a_frame_without_changes_is_sent_whole() {
        let mut seen = Seen::begun(true);
        let turned = Frame::bare(2, "board of the next window", None);
        seen.signals
            .send_modify(|signal| signal.frame = Arc::new(turned));
        assert_eq!(seen.next().as_deref(), Some("board of the next window"));
        seen.publish(3);
        assert_eq!(seen.next().as_deref(), Some("changes 3"));
    }

    #[test]
    fn a_beat_without_a_frame_is_a_comment() {
        let mut seen = Seen::begun(true);
        seen.signals.send_modify(|signal| signal.beats += 1);
        assert_eq!(seen.next().as_deref(), Some(":\n\n"));
        assert_eq!(seen.next(), None);
        seen.signals.send_modify(|signal| signal.beats += 1);
        seen.publish(2);
        assert_eq!(seen.next().as_deref(), Some("changes 2"));
        assert_eq!(seen.next(), None);
    }

    #[test]
    fn nothing_is_sent_after_the_end() {
        let mut seen = Seen::begun(false);
        seen.publish(2);
        let end = Some(Bytes::from_static(b"why"));
        seen.signals.send_modify(|signal| signal.end = end);
        assert_eq!(seen.next().as_deref(), Some("why"));
        assert_eq!(seen.events.next().now_or_never(), Some(None));
    }

    #[test]
    fn the_end_of_the_feed_ends_the_stream() {
        let Seen {
            signals,
            mut events,
            ..
        } = Seen::begun(false);
        drop(signals);
        assert_eq!(events.next().now_or_never(), Some(None));
    }

    #[tokio::test]
    async fn a_slow_reader_is_sent_the_newest_frame() {
        let mut seen = Seen::begun(true);
        seen.flow.block();
        seen.publish(2);
        assert_eq!(seen.next(), None);
        seen.publish(3);
        assert_eq!(seen.next(), None);
        let Seen {
            signals,
            mut events,
            flow,
            ..
        } = seen;
        let waiting = tokio::spawn(async move { events.next().await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        flow.free();
        assert_eq!(waiting.await.unwrap(), Some(Ok(Bytes::from(BOARDS[3]))));
        drop(signals);
    }
}
