//! `POST /v1/contributions`, and writes to one member: `PUT` and `DELETE .../members/{member}`.

mod arrival;
mod batches;
mod events;
mod ids;
mod member;
mod modes;
mod one_window;
mod refusals;
mod removals;
mod returned;
mod shapes;
mod streams;
mod values;
