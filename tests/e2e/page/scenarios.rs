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
    any_order_can_change_into_any_other: "any order can change into any other",
    reduced_motion: "rows do not move if the user prefers reduced motion",
    links: "a link restores the view",
    copying: "a command is copied, or selected without a clipboard",
    the_first_board: "the first board is shown by default",
    hostile_names: "hostile names are shown as text",
    profiles: "the name and the image of a profile are shown, as text and as an image",
    large_integers: "the largest integers are shown exactly",
    several_fields: "each field of a kind is shown with its order",
    finding: "a member can be found with the keyboard",
    absent_members: "an absent member is reported as absent until it is on the board",
    tab_order: "all controls are reachable with Tab and show their focus",
    focus_on_a_row: "the focus stays on a row that moves",
    focus_after_a_row_left: "the focus moves to another row when its row leaves",
    long_lists: "all boards of a long list are reachable",
    choosing_a_board: "a board can be chosen with the keyboard",
    announcements: "a new leader is announced, at most every ten seconds",
    accessible_desktop: "axe finds no serious fault on a desktop, in dark and light mode",
    accessible_phone: "axe finds no serious fault on a phone, in dark and light mode",
    numbers_are_not_truncated: "numbers are not truncated with any number of fields",
    the_chosen_scheme: "the chosen colour scheme is remembered",
    keys_and_tokens: "a key is requested, kept for the tab, and exchanged for tokens",
    the_contract: "each group of the contract has a page with all its operations",
    the_contracts_addresses: "an address of an operation opens its group",
    the_contracts_descriptions: "an operation is described completely",
    the_contracts_commands: "a command of the contract's page works",
    the_contracts_schemas: "schemas and nested schemas can be opened",
    searching_the_contract: "operations are found by English words",
    searching_with_the_keyboard: "the search box is used with the keyboard",
    trying_operations: "operations are tried on the contract's page",
    trying_keeps_numbers: "numbers of a tried operation are shown as they were written",
    trying_shows_problems: "problems and failures of a tried operation are shown",
    trying_changes_asks_first: "a tried operation that changes data asks first",
    trying_streams: "a tried stream shows its events until it is stopped",
    trying_has_limits: "long responses and streams of a tried operation are cut",
    trying_with_a_key: "the key of the tab is sent by a tried operation",
    accessible_contract: "axe finds no serious fault in the contract's page",
    the_example: "the example shows a live board of another origin",
    the_examples_fields: "the example has a column for each field of a kind",
    the_examples_refusals: "the example shows why a board is refused",
    accessible_example: "axe finds no serious fault in the example",
    the_examples_outages: "the example shows an outage and reconnects with a new token",
    dead_connections: "a dead connection is detected",
    hidden_tabs: "a hidden tab closes its connection",
    lost_connections: "a lost connection is restored",
    server_unavailable_at_load: "a page waits for an unavailable server",
    final_boards: "a board that has ended is shown as final",
    unknown_kinds: "a deleted kind is reported and not requested again",
    no_requests_to_other_hosts: "no page made a request to another host",
    no_errors: "no page logged an error, violated its policy or opened a dialog",
}
