//! `/v1/kinds`: kinds at run time.

mod settings_and_deletion;

testkit::calls!(changes, if_match, refusals, settings_and_deletion);
