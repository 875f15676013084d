//! The Lua of all functions, as the interpreter of `lua_functions` runs it.

use redis_nodes::lua_functions::{Command, Interpreter, Step};

use super::library;

#[test]
fn our_library_is_loaded() {
    let interpreter = Interpreter::new(library().lua()).unwrap();
    let ping = library().function("ping");
    let mut run = interpreter.begin(&ping, &[], &[]).unwrap();
    assert!(matches!(run.step(), Ok(Step::Says(said)) if said == "R"));
}

#[test]
fn every_command_of_our_lua_is_known() {
    let source = library().lua();
    let mut seen = 0;
    for opening in ["call('", "in_groups('"] {
        for (at, _) in source.match_indices(opening) {
            let rest = &source[at + opening.len()..];
            let name = rest.split('\'').next().unwrap();
            // The interpreter makes it of two that are safe to be asked.
            let is_known = Command::of(name.as_bytes(), Vec::new()).is_some();
            assert!(is_known || name == "ZRANGEBYLEX", "{name}");
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen} calls");
}
