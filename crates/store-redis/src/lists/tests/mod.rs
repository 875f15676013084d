//! What Redis holds of lists: how long they get, what is marked and healed, what verifying says of them.

mod healing;
mod list_board;
mod memory;
mod refills;
mod trimming;
mod verifying;
