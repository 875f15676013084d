//! The complete visible state of a server: [`ServerState`], to compare servers.

use std::collections::BTreeMap;

use serde_json::Value;
use testkit::{Server, encoded};

/// Kinds, boards and standings, with their versions.
#[derive(Debug)]
pub(super) struct ServerState {
    /// Responses by path, without times and versions.
    pub(super) content: BTreeMap<String, Value>,
    /// Version and `ETag` of each window's top, by path.
    pub(super) tags: BTreeMap<String, (String, String)>,
}

impl ServerState {
    /// Reads all kinds and boards of a server, with up to 1,000 boards per kind and members per
    /// window.
    #[track_caller]
    pub(super) fn of(server: &Server) -> Self {
        let mut state = Self {
            content: BTreeMap::new(),
            tags: BTreeMap::new(),
        };
        let kinds = state.look(server, "/v1/kinds".to_owned());
        for kind in kinds["kinds"].as_array().unwrap() {
            let kind = kind["kind"].as_str().unwrap();
            let boards = state.look(server, format!("/v1/boards?kind={kind}&limit=1000"));
            assert_eq!(boards["next"], Value::Null, "{boards}");
            for board in boards["boards"].as_array().unwrap() {
                let name = board["board"].as_str().or(board.as_str());
                state.board(server, name.unwrap_or_else(|| panic!("{boards}")));
            }
        }
        state
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
            let response = server.get(&top);
            let version = response.ok()["version"].as_str().unwrap().to_owned();
            let tag = response.header("etag").to_owned();
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

    /// Asserts that all tops are unchanged (304 for the same `ETag`).
    #[track_caller]
    pub(super) fn assert_unchanged(&self, server: &Server) {
        for (path, (_, tag)) in &self.tags {
            let response = server.get_with(path, &[("if-none-match", tag)]);
            assert_eq!(response.status, 304, "{path} {tag}: {response:?}");
        }
    }

    /// Asserts that the standings are the same and all versions are new.
    #[track_caller]
    pub(super) fn assert_same_in_another_epoch(&self, before: &Self) {
        assert_eq!(self.content, before.content);
        for (path, (version, tag)) in &self.tags {
            let (old_version, old_tag) = &before.tags[path];
            assert!(version != old_version && tag != old_tag, "{path} {version}");
        }
    }
}
