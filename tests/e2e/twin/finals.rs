//! Answers that were final, kept to be asked for again: [`Finals`].

use serde_json::Value;

use super::compare::settled;
use super::kind::Window;
use super::world::World;

/// Answers that are kept, of each kind of server.
const KEPT_MAX: usize = 2000;

#[derive(Default)]
pub(super) struct Finals(Vec<Final>);

struct Final {
    path: String,
    body: Value,
    ruled: usize,
    subject: &'static str,
    window: Window,
    /// Which board it was, and what had been done to it and its kind.
    incarnation: u64,
    changes: u64,
}

impl World {
    /// Keeps an answer if it is final.
    pub(super) fn note_final(
        &self,
        path: &str,
        body: &Value,
        (ruled, subject): (usize, &'static str),
        window: &Window,
    ) {
        let mut finals = self.finals.borrow_mut();
        // The change that is made now depends on the time.
        if body["final"] != true || path.contains("target=") || finals.0.len() >= KEPT_MAX {
            return;
        }
        let of = &self.kinds[ruled];
        let Some(incarnation) = of.boards[subject].incarnation(&of.kind, self.time.now()) else {
            return;
        };
        finals.0.push(Final {
            path: path.to_owned(),
            body: settled(body.clone()),
            ruled,
            subject,
            window: window.clone(),
            incarnation,
            changes: of.changes_of(subject),
        });
    }

    /// Asks for all of them again. Says how many there still were.
    pub(super) fn ask_finals_again(&self) -> usize {
        let mut asked = 0;
        for held in &self.finals.borrow().0 {
            let of = &self.kinds[held.ruled];
            let now = self.time.now();
            let is_on =
                of.boards[held.subject].incarnation(&of.kind, now) == Some(held.incarnation);
            let is_changed = of.changes_of(held.subject) != held.changes;
            if !is_on || is_changed || held.window.is_gone(now) {
                continue;
            }
            let answer = self.server.get(&held.path);
            assert_eq!(answer.status, 200, "{}: {}", held.path, answer.body);
            let shown = settled(answer.value());
            assert_eq!(shown, held.body, "{}: it was final", held.path);
            asked += 1;
        }
        asked
    }
}
