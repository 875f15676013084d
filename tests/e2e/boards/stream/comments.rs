//! Comments of a stream without changes.

use testkit::Events;

use super::super::{ladder, on_a};

#[test]
fn comments_are_sent_without_changes() {
    // They come every 15 seconds.
    testkit::sampled!(comments_are_sent_without_changes);
    let server = ladder(1);
    let mut events = Events::of(&server, &on_a("/stream?n=3"));
    events.event();
    assert_eq!(events.comment(), ":");
}
