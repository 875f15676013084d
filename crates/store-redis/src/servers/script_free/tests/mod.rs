//! The two libraries that Redis gives its Lua, held against those of a real one; and calls without
//! scripts, under losses and beside other writers.

mod libraries;
