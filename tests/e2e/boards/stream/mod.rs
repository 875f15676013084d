//! `GET .../stream`: the top as server-sent events.

mod changes;
mod crowd;
mod ends;
mod own_place;
mod whole;
