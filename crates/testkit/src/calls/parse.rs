//! Files of calls: [`file()`] reads one.

use serde_json::{Value, json};

use super::scope::Scope;

/// What has an exit status and prints something.
const COMMANDS: [&str; 9] = [
    "RUN", "REFUSED", "FILE", "READ", "LOG", "CONFIG", "REDIS", "WATCH", "CLOSE",
];

/// A file, read.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) stores: Vec<String>,
    /// How many servers there are of each store.
    pub(super) servers: usize,
    /// Names, and flags with further settings.
    pub(super) keys: Vec<(String, String)>,
    pub(super) config: String,
    /// Whether each section has servers of its own.
    pub(super) is_apart: bool,
    /// Whether there is a Redis beside the server.
    pub(super) has_redis: bool,
    pub(super) sections: Vec<Section>,
}

/// The steps below one heading.
#[derive(Debug, Default)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) steps: Vec<Step>,
    /// The number of steps before `KEPT`.
    pub(super) kept: Option<usize>,
}

/// A call, for each row if there are some. What is in braces is not yet filled in.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) line: usize,
    text: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// A request, and what is expected of its response.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) verb: String,
    /// The number of the server, from 1.
    pub(super) server: usize,
    pub(super) key: Option<String>,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) media_type: &'static str,
    pub(super) body: String,
    /// The status, and the pattern or problem.
    pub(super) expected: Option<(String, String)>,
    pub(super) response_headers: Vec<(String, String)>,
    /// The expected entries, and whether with ranks and points.
    pub(super) entries: Option<(bool, String)>,
    /// Texts in the body, and whether it has or lacks them.
    pub(super) texts: Vec<(bool, String)>,
    pub(super) waits: bool,
}

/// Reads a file. Panics with the line that is wrong.
pub(super) fn file(text: &str) -> File {
    let mut file = File::default();
    for (number, line) in (1..).zip(text.lines()) {
        let is_comment = line.starts_with("# ") || line.trim().is_empty();
        if let Some(name) = line.strip_prefix("## ") {
            file.sections.push(Section {
                name: name.trim().to_owned(),
                line: number,
                ..Section::default()
            });
        } else if let Some(section) = file.sections.last_mut() {
            if !is_comment {
                section.read(number, line);
            }
        } else if let Some(stores) = line.strip_prefix("stores: ") {
            file.stores = stores.split(' ').map(str::to_owned).collect();
        } else if let Some(servers) = line.strip_prefix("servers: ") {
            file.servers = servers.parse().expect(line);
        } else if let Some(key) = line.strip_prefix("key: ") {
            let (name, flags) = key.split_once(' ').expect("a name and flags");
            file.keys.push((name.to_owned(), flags.to_owned()));
        } else if line == "apart: yes" {
            file.is_apart = true;
        } else if line == "with: redis" {
            file.has_redis = true;
        } else if !is_comment {
            file.config.extend([line, "\n"]);
        }
    }
    if file.stores.is_empty() {
        file.stores.push("memory".to_owned());
    }
    file
}

impl Section {
    /// Returns whether the servers cannot be used for another section.
    pub(super) fn is_disruptive(&self) -> bool {
        let begins = |step: &Step, word| step.text[0].starts_with(word);
        let mut steps = self.steps.iter();
        steps.any(|step| begins(step, "CONFIG") || begins(step, "REDIS kill"))
    }

    fn read(&mut self, number: usize, line: &str) {
        let Some(detail) = line.strip_prefix("  ") else {
            if line == "KEPT" {
                self.kept = Some(self.steps.len());
                return;
            }
            let text = vec![line.to_owned()];
            let rows = Vec::new();
            self.steps.push(Step {
                line: number,
                text,
                rows,
            });
            return;
        };
        let mut step = self.steps.pop().expect("a call before its details");
        if detail == "| as before" {
            let mut earlier = self.steps.iter().rev().map(|step| &step.rows);
            let earlier = earlier.find(|rows| !rows.is_empty());
            step.rows
                .clone_from(earlier.expect("an earlier call with rows"));
        } else if let Some(times) = detail.strip_prefix("x ") {
            let times = 1..=times.parse().expect(line);
            step.rows = times.map(|number: u32| vec![number.to_string()]).collect();
        } else if let Some(row) = detail.strip_prefix('|') {
            // Cells can be empty.
            let row = format!("{row} ").replace("| |", "|  |");
            let cells = row.split(" | ").map(|cell| cell.trim().to_owned());
            step.rows.push(cells.collect());
        } else {
            step.text.push(detail.to_owned());
        }
        self.steps.push(step);
    }
}

impl Step {
    /// Returns the call for a row.
    pub(super) fn call(&self, row: &[String], scope: &Scope) -> Call {
        let fill = |line: &String| {
            let cell = |number: usize| row.get(number - 1).map_or("", String::as_str);
            let filled = (1..=9).fold(line.clone(), |line, number| {
                line.replace(&format!("{{{number}}}"), cell(number))
            });
            scope.fill(&filled)
        };
        let mut lines = self.text.iter().map(fill);
        let mut call = Call::of(&lines.next().unwrap_or_default());
        for line in lines {
            call.read(&line);
        }
        call
    }
}

impl Call {
    /// Returns whether it has an exit status, and what is printed.
    pub(super) fn is_command(&self) -> bool {
        COMMANDS.contains(&&*self.verb)
    }

    fn of(line: &str) -> Self {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (verb, key) = verb.split_once('(').unwrap_or((verb, ""));
        let (verb, server) = verb.split_once('@').unwrap_or((verb, "1"));
        let key = key.strip_suffix(')').map(str::to_owned);
        let contributes = ["GIVE", "ADD", "LINES"].contains(&verb);
        let (path, body) = match verb {
            "GIVE" | "ADD" | "LINES" => ("/v1/contributions", rest),
            "NEXT" | "METRIC" => (rest, ""),
            verb if COMMANDS.contains(&verb) => (rest, ""),
            _ => rest.split_once(' ').unwrap_or((rest, "")),
        };
        let mut call = Self {
            verb: if contributes { "POST" } else { verb }.to_owned(),
            server: server.parse().expect(line),
            key,
            path: path.to_owned(),
            body: body.to_owned(),
            media_type: if verb == "LINES" {
                "application/x-ndjson"
            } else {
                "application/json"
            },
            ..Self::default()
        };
        if verb == "GIVE" {
            let items = given(rest);
            call.expected = Some((
                "200".to_owned(),
                json!({"applied": items.len()}).to_string(),
            ));
            call.body = Value::from(items).to_string();
        }
        call
    }

    fn read(&mut self, line: &str) {
        let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
        let header = || {
            let (name, value) = rest.split_once(':').expect(line);
            (name.to_owned(), value.trim().to_owned())
        };
        match mark {
            ">" => self.headers.push(header()),
            "<" => self.response_headers.push(header()),
            "+" if self.body.is_empty() => self.body = format!("{rest}\n"),
            "+" => self.body.extend([rest, "\n"]),
            "*" => {
                let (count, item) = rest.split_once(' ').expect(line);
                let items = (0..count.parse().expect(line))
                    .map(|n: u32| item.replace("{n}", &n.to_string()));
                let items: Vec<String> = items.collect();
                let mut types = self.headers.iter().map(|(_, value)| value.as_str());
                let is_ndjson = |it: &str| it == "application/x-ndjson";
                self.body = if self.is_command() {
                    format!("{}{}\n", self.body, items.join("\n"))
                } else if is_ndjson(self.media_type) || types.any(is_ndjson) {
                    items.join("\n")
                } else {
                    format!("[{}]", items.join(", "))
                };
            }
            "half" => self.body.truncate(self.body.trim_end().len()),
            "has" | "lacks" => self.texts.push((mark == "has", rest.to_owned())),
            "ranked" | "members" => {
                self.entries = Some((mark == "ranked", rest.trim().to_owned()));
                self.expected
                    .get_or_insert_with(|| ("200".to_owned(), String::new()));
            }
            status => {
                self.waits = status.starts_with('~');
                let status = status.trim_start_matches('~').to_owned();
                self.expected = Some((status, rest.trim().to_owned()));
            }
        }
    }
}

/// Reads `gifts/a ann 5, ben 3 at 2026-01-01T00:00:00Z` as contributions.
fn given(text: &str) -> Vec<Value> {
    let (board, text) = text.split_once(' ').expect("a board");
    let (points, at) = text.split_once(" at ").unwrap_or((text, ""));
    let item = |pair: &str| {
        let (member, points) = pair.rsplit_once(' ').expect("a member and points");
        let points: i64 = points.parse().expect(pair);
        let mut item = json!({"board": board, "member": member, "points": points});
        if !at.is_empty() {
            item["at"] = at.parse::<i64>().map_or(json!(at), Value::from);
        }
        item
    };
    points.split(", ").map(item).collect()
}
