//! One test for each scenario of the page.

use super::browser::{names_of_run, passed};

macro_rules! scenarios {
    ($($test:ident: $scenario:literal,)*) => {
        $(#[test]
        fn $test() {
            passed($scenario);
        })*

        /// Each scenario must have a test, since a scenario without one is not checked.
        #[test]
        fn every_scenario_has_a_test() {
            let mut tests = vec![$($scenario),*];
            tests.sort_unstable();
            assert_eq!(names_of_run(), tests);
        }
    };
}

scenarios! {
    rows_move: "rows move when contributions arrive",
    any_order_becomes_any_other: "any order becomes any other",
    motion_is_left_out: "who wants no motion sees none",
    links: "a link shows the same",
    copying: "a command is copied, or marked where there is no clipboard",
    the_first_board: "where nothing is asked for the first board is shown",
    hostile_names: "hostile names are text",
    large_integers: "the largest integers are shown exactly",
    several_fields: "a kind with several fields shows each with its order",
    finding: "a keyboard alone finds a member",
    absent_members: "who is not there is said to be absent, until they come",
    tab_order: "everything is reached by Tab, with a focus that is seen",
    focus_on_a_row: "the focus stays on a row that moves",
    focus_of_a_row_that_left: "the focus goes on where a row has left",
    long_lists: "every board of a long list is reached",
    choosing_a_board: "a board is chosen with a keyboard alone",
    announcements: "who leads is told, at most every ten seconds",
    accessible_desktop: "axe finds no serious fault on a desktop, in the dark and in the light",
    accessible_phone: "axe finds no serious fault on a phone, in the dark and in the light",
    nothing_is_cut: "no number is cut, however many fields there are",
    the_chosen_scheme: "the colour scheme that was chosen is remembered",
    keys_and_tokens: "a key is asked for, kept for the tab, and turned into tokens",
    the_contract: "the contract is shown, route by route",
    the_contracts_commands: "what a command of the contract's page says works",
    the_contracts_schemas: "a schema opens, and what it holds too",
    the_contracts_words: "routes are found by words",
    accessible_contract: "axe finds no serious fault in the contract's page",
    the_example: "the example shows a board of another origin as it moves",
    the_examples_fields: "the example has a column for each field of a kind",
    the_examples_refusals: "the example says why there is no such board",
    accessible_example: "axe finds no serious fault in the example",
    the_examples_outages: "the example says what it lost, and comes back with another token",
    dead_connections: "a dead connection is found out",
    hidden_tabs: "a tab that nobody looks at gives its connection up",
    lost_connections: "a lost connection recovers",
    no_server_yet: "a page that finds no server waits for one",
    final_boards: "what is over is said to be final",
    unknown_kinds: "a kind that is gone is told, and left alone",
    no_outside_request: "no page asked anybody else for anything",
    no_complaints: "no page complained, broke its policy or opened a dialog",
}
