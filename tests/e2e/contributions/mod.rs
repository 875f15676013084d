//! `POST /v1/contributions`, and writes to one member: `PUT` and `DELETE .../members/{member}`.

mod arrival;
mod batches;
mod refusals;
mod shapes;
mod streams;

testkit::calls!(
    arrival, batches, events, ids, member, modes, one_window, refusals, removals, returned, shapes,
    streams, values,
);
