//! Runs one target, whose name is in `FUZZ_TARGET`, under libFuzzer: `fuzz/run`.

#![no_main]

use std::sync::LazyLock;

use fuzz::{TARGETS, Target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").expect("FUZZ_TARGET names a target");
    let target = TARGETS.iter().find(|target| target.name == name);
    target.expect("FUZZ_TARGET names a target")
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| (TARGET.run)(data));
