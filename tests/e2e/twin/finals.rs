//! Final responses, kept to be requested again: [`Finals`].

use serde_json::Value;
use testkit::Server;

use super::compare::settled;
use super::kind::Window;
use super::kind_state::KindState;
use super::time::Time;

/// The maximum number of responses that are kept.
const KEPT_MAX: usize = 2000;

#[derive(Default)]
pub(super) struct Finals(Vec<Final>);

struct Final {
    path: String,
    body: Value,
    kind_index: usize,
    subject: &'static str,
    window: Window,
    /// The incarnation of the board, and the number of changes to it and its kind.
    incarnation: u64,
    changes: u64,
}

impl Finals {
    /// Keeps a response if it is final.
    pub(super) fn add(
        &mut self,
        (kinds, now): (&[KindState], i64),
        (path, body): (&str, &Value),
        (kind_index, subject): (usize, &'static str),
        window: &Window,
    ) {
        // The change to a target that is made now depends on the time.
        if body["final"] != true || path.contains("target=") || self.0.len() >= KEPT_MAX {
            return;
        }
        let state = &kinds[kind_index];
        let Some(incarnation) = state.boards[subject].incarnation(&state.kind, now) else {
            return;
        };
        self.0.push(Final {
            path: path.to_owned(),
            body: settled(body.clone()),
            kind_index,
            subject,
            window: window.clone(),
            incarnation,
            changes: state.changes_of(subject),
        });
    }

    /// Requests all of them again, and asserts that they are unchanged. Returns how many could
    /// still be compared.
    pub(super) fn read_again(&self, server: &Server, kinds: &[KindState], time: &Time) -> usize {
        let mut compared = 0;
        for kept in &self.0 {
            let state = &kinds[kept.kind_index];
            let now = time.now();
            let incarnation = state.boards[kept.subject].incarnation(&state.kind, now);
            let is_changed = state.changes_of(kept.subject) != kept.changes;
            if incarnation != Some(kept.incarnation) || is_changed || kept.window.is_gone(now) {
                continue;
            }
            let response = server.get(&kept.path);
            assert_eq!(response.status, 200, "{}: {}", kept.path, response.body);
            let shown = settled(response.value());
            assert_eq!(shown, kept.body, "{}: it was final", kept.path);
            compared += 1;
        }
        compared
    }
}
