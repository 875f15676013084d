//! All that a server shows: [`Seen`], to be held against what another one shows.

use std::collections::BTreeMap;

use serde_json::Value;
use testkit::{Server, encoded};

/// Kinds, boards and standings, and what they were called.
#[derive(Debug)]
pub(super) struct Seen {
    /// By path, without what tells moments and versions.
    pub(super) content: BTreeMap<String, Value>,
    /// Version and `ETag` of each window's top, by path.
    pub(super) tags: BTreeMap<String, (String, String)>,
}

impl Seen {
    /// Looks through all kinds and boards of a server; boards and windows of up to 1,000 each.
    #[track_caller]
    pub(super) fn of(server: &Server) -> Self {
        let mut seen = Self {
            content: BTreeMap::new(),
            tags: BTreeMap::new(),
        };
        let kinds = seen.look(server, "/v1/kinds".to_owned());
        for kind in kinds["kinds"].as_array().unwrap() {
            let kind = kind["kind"].as_str().unwrap();
            let boards = seen.look(server, format!("/v1/boards?kind={kind}&limit=1000"));
            assert_eq!(boards["next"], Value::Null, "{boards}");
            for board in boards["boards"].as_array().unwrap() {
                let name = board["board"].as_str().or(board.as_str());
                seen.board(server, name.unwrap_or_else(|| panic!("{boards}")));
            }
        }
        seen
    }

    #[track_caller]
    fn board(&mut self, server: &Server, name: &str) {
        let path = format!("/v1/boards/{name}");
        let board = self.look(server, format!("{path}?window=all&fresh=true"));
        for window in board["windows"].as_array().unwrap() {
            let window = encoded(window["window"].as_str().unwrap());
            self.look(
                server,
                format!("{path}/range?from=1&to=1000&window={window}"),
            );
            let top = format!("{path}/top?fresh=true&window={window}");
            let answer = server.get(&top);
            let version = answer.ok()["version"].as_str().unwrap().to_owned();
            let tag = answer.header("etag").to_owned();
            self.tags.insert(top, (version, tag));
        }
    }

    #[track_caller]
    fn look(&mut self, server: &Server, path: String) -> Value {
        let mut shown = server.get(&path).ok();
        let members = shown.as_object_mut().unwrap();
        for moment in ["as_of", "version"] {
            members.remove(moment);
        }
        self.content.insert(path, shown.clone());
        shown
    }

    /// What is shown under these tags is what was shown: 304 to whoever has it.
    #[track_caller]
    pub(super) fn is_still_held_by(&self, server: &Server) {
        for (path, (_, tag)) in &self.tags {
            let answer = server.get_with(path, &[("if-none-match", tag)]);
            assert_eq!(answer.status, 304, "{path} {tag}: {answer:?}");
        }
    }

    /// The same standings, and no version of before: clients take it for something new.
    #[track_caller]
    pub(super) fn is_the_same_in_another_epoch(&self, before: &Self) {
        assert_eq!(self.content, before.content);
        for (path, (version, tag)) in &self.tags {
            let (old_version, old_tag) = &before.tags[path];
            assert!(version != old_version && tag != old_tag, "{path} {version}");
        }
    }
}
