//! One test for each scenario of the page.

use super::browser::{all_names, passes};

macro_rules! scenarios {
    (always { $($test:ident: $scenario:literal,)* } sampled { $($drawn:ident: $long:literal,)* }) => {
        $(#[test]
        fn $test() {
            passes($scenario);
        })*

        $(#[test]
        fn $drawn() {
            testkit::sampled!($drawn);
            passes($long);
        })*

        /// Each scenario must have a test, since a scenario without one is not checked.
        #[test]
        fn every_scenario_has_a_test() {
            let mut tests = vec![$($scenario,)* $($long),*];
            let mut names = all_names();
            tests.sort_unstable();
            names.sort_unstable();
            assert_eq!(names, tests);
        }
    };
}

scenarios! {
always {
    renewed_elements: "elements that are drawn again stay those of their keys, with focus and selection",
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
    beginnings_of_names: "a member is found by the beginning of its id or name, without regard to case",
    typed_texts: "what is typed on the page stays when an answer arrives late",
    names_that_urls_drop: "a link with a name that a URL drops reaches no other route",
    absent_members: "an absent member is reported as absent until it is on the board",
    tab_order: "all controls are reachable with Tab and show their focus",
    focus_on_a_row: "the focus stays on a row that moves",
    focus_after_a_row_left: "the focus moves to another row when its row leaves",
    long_lists: "all boards of a long list are reachable",
    choosing_a_board: "a board can be chosen with the keyboard",
    announcements: "a new leader is announced, at most every ten seconds",
    accessible_desktop: "axe finds no serious fault on a desktop, in dark and light mode",
    the_chosen_scheme: "the chosen colour scheme is remembered",
    first_window_empty: "the shortest window with members is shown if the first has none and the link names none",
    earlier_windows: "earlier windows can be stepped through with the keyboard, and are not shown as live",
    a_window_that_is_over: "another window is shown when the one on the page is over and the next is empty",
    old_links: "a link to a window that is no longer kept leads to the current one",
    named_windows_that_end: "a window that the URL names and that ends while it is shown is not live any more",
    closed_windows: "a closed window is shown as final, and its tab leads back",
    the_feed: "the feed shows who gained and entered, nobody who is gone, and the points per minute",
    the_line_of_a_rank: "a member's rank is drawn over the time that the tab has seen",
    no_boards: "a server without boards shows the command for a first contribution",
    no_kinds: "a server without kinds shows the command for a first kind, and the page goes on by itself",
    the_docs_link: "the page links to the documentation, also without scripts",
    the_words_of_all_languages: "all languages have the same keys and placeholders, and all plural forms",
    every_key_is_used: "every key is used",
    choosing_a_language: "a language can be chosen, and is remembered",
    overlays: "an overlay shows the top of a board as it changes, on no ground",
    battles: "a battle shows two members against each other, each on its side",
    sides_of_battles: "all viewers of a battle see its sides alike, before and after a reload",
    overlays_with_tokens: "an overlay with a token needs no key",
    overlays_without_keys: "an overlay that needs a key says what to do",
    store_unavailable_at_load: "a store that is unavailable at the start is named until it is back",
    stale_boards: "a stale board is shown as stale, not as live",
    the_admin_overview: "the admin page shows whether the server is ready, and what it does",
    the_admin_kinds: "the admin page lists the kinds with their settings, and their boards",
    typed_texts_of_admins: "what is typed on the admin page stays, whatever is drawn again",
    unknown_members_of_admins: "the search of the admin page opens no page for a member that does not exist",
    names_that_urls_drop_for_admins: "a name that a URL drops reaches no other route from the admin page",
    the_admin_boards: "all boards of a kind are reached page by page on the admin page",
    deleting_a_board: "a board is deleted on the admin page after its name was typed",
    refused_changes: "a refused change is shown with its reason on the admin page",
    hiding_a_member: "a member is hidden and shown again on the admin page",
    setting_a_standing: "a standing is set and removed on the admin page",
    setting_several_fields: "a standing of several fields is set on the admin page",
    erasing_a_member: "a member is erased on the admin page after a look at its boards",
    hostile_names_for_admins: "names of others are text on the admin page",
    the_admin_audit_log: "the audit log is read on the admin page, page by page",
    the_admin_keys: "the keys are listed on the admin page without their secrets",
    an_admin_key: "the admin page requests a key, and says if it is not an admin's",
    the_admin_link: "the live page links to the admin page unless all kinds are public and there is no key",
    keys_and_tokens: "a key is requested, kept for the tab, and exchanged for tokens",
    keys_for_one_kind: "a key is requested for a kind that is not public, and may be left out again",
    the_contracts_descriptions: "an operation is described completely",
    the_contracts_commands: "a command of the contract's page works",
    the_contracts_schemas: "schemas and nested schemas can be opened",
    searching_with_the_keyboard: "the search box is used with the keyboard",
    trying_operations: "operations are tried on the contract's page",
    trying_keeps_forms: "what was typed into a form stays while other groups are shown",
    trying_keeps_numbers: "numbers of a tried operation are shown as they were written",
    trying_shows_problems: "problems and failures of a tried operation are shown",
    trying_changes_asks_first: "a tried operation that changes data asks first",
    trying_streams: "a tried stream shows its events until it is stopped",
    trying_has_limits: "long responses and streams of a tried operation are cut",
    trying_with_a_key: "the key of the tab is sent by a tried operation",
    the_example: "the example shows a live board of another origin",
    the_examples_fields: "the example has a column for each field of a kind",
    the_examples_refusals: "the example shows why a board is refused",
    the_examples_outages: "the example shows an outage and reconnects with a new token",
    dead_connections: "a dead connection is detected",
    hidden_tabs: "a hidden tab closes its connection",
    lost_connections: "a lost connection is restored",
    server_unavailable_at_load: "a page waits for an unavailable server",
    final_boards: "a board that has ended is shown as final",
    unknown_kinds: "a deleted kind is reported and not requested again",
}
sampled {
    accessible_wide: "axe finds no serious fault on a wide screen, in dark and light mode",
    accessible_phone: "axe finds no serious fault on a phone, in dark and light mode",
    accessible_overlays: "axe finds no serious fault in an overlay",
    accessible_admin: "axe finds no serious fault in the admin page",
    accessible_contract: "axe finds no serious fault in the contract's page",
    accessible_example: "axe finds no serious fault in the example",
    numbers_are_not_truncated: "numbers are not truncated with any number of fields",
    each_language: "the page is shown in the browser's language, without truncated words",
    the_admin_languages: "the admin page is shown in the browser's language",
    the_contracts_addresses: "an address of an operation opens its group",
    narrow_overlays: "long numbers of an overlay are short where there is little room",
    the_parameters_of_overlays: "the size and the colours of an overlay are parameters, and other values are refused",
    searching_the_contract: "operations are found by English words",
    the_contract: "each group of the contract has a page with all its operations",
}
}
