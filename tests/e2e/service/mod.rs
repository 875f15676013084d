//! All paths: many and slow clients, unknown methods and paths, invalid bodies.

mod bodies;
mod clients;
mod connections;
mod memory;
mod protocol;
mod requests;
mod traces;

testkit::calls!(bodies, protocol, requests);
