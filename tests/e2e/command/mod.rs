//! The command line: the configuration and the stop of `serve`, and the other commands.

mod configuration;
mod demo;
mod export;
mod greeting;
mod growing;
mod import;
mod load;
mod pages;
mod spreadsheets;
mod stop;
mod unreachable;
mod watch;

testkit::calls!(
    add,
    configuration,
    export,
    growing,
    import,
    json,
    lists,
    load,
    member,
    moved,
    probes,
    top,
    unreachable,
    verify,
);
