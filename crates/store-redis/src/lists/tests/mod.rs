//! Lists in Redis: their length, their marks and refills, and how they are verified.

mod healing;
mod list_board;
mod memory;
mod refills;
mod trimming;
mod verifying;
