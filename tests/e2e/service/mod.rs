//! What holds for every path: many clients, slow ones, methods, paths and bodies that are none.

mod bodies;
mod clients;
mod connections;
mod memory;
mod protocol;
mod requests;
mod traces;
