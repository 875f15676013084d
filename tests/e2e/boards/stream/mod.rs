//! `GET .../stream`: the top as server-sent events.

mod changes;
mod comments;
mod ends;
mod many_readers;

testkit::calls!(board_events, ends, outages, own_position);
