//! The durable store from outside: what a restarted server finds.
//!
//! `restarts` and `kills` stop and kill servers; `settings` changes the guarantees; `folder`
//! copies, shares and verifies folders; `damage` damages them; `disk_failure` has a disk that fails
//! under load, `full_disk` one without space; `memory` reaches the limit; `clock` jumps; `finals`
//! checks final responses; `hidden` and `names` check what kinds and names keep.

mod clock;
mod damage;
mod disk_failure;
mod finals;
mod folder;
mod full_disk;
mod hidden;
mod kills;
mod memory;
mod names;
mod restarts;
mod server_state;
mod settings;

testkit::calls!(stops);
