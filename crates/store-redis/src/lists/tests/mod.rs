//! What Redis holds of lists: how long they get, what is marked and healed, what verifying says of them.

mod given;
mod healing;
mod memory;
mod refills;
mod trimming;
mod verifying;
