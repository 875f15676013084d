//! The durable store from outside: what a server finds that is started where another ended.
//!
//! `restarts` and `kills` end servers, well and badly, `settings` changes what is promised; `folder`
//! copies, shares and verifies what they leave, `damage` breaks it, `trouble` is a disk that fails
//! under a server at work, `memory` has an end, `clock` jumps; `finals` stay, and so does what `names` keep.

mod clock;
mod damage;
mod finals;
mod folder;
mod hidden;
mod kills;
mod memory;
mod names;
mod restarts;
mod seen;
mod settings;
mod trouble;
