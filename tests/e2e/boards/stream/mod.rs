//! `GET .../stream`: the top as server-sent events.

mod board_events;
mod changes;
mod ends;
mod many_readers;
mod own_position;

testkit::calls!(ends);
