//! Files of calls: each form is checked, and what is not as expected fails with its line.

use std::panic::catch_unwind;

#[test]
fn sections_that_fail_are_named_and_the_others_are_run() {
    let failed = catch_unwind(|| testkit::calls::run(file!(), "calls")).unwrap_err();
    let text = failed.downcast::<String>().unwrap();
    let headings = text.lines().filter(|line| line.contains(".calls:"));
    let names = headings.filter_map(|line| line.split(": ").nth(1));
    let wrong = [
        "wrong_status",
        "wrong_value",
        "wrong_entries",
        "wrong_output",
    ];
    assert!(
        names.eq(wrong.map(|name| format!("{name} (memory):"))),
        "{text}"
    );
    assert!(text.contains("top: 1000 instead of 7"), "{text}");
}
