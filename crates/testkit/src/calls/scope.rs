//! What stands for texts in braces: [`Scope`].

use std::collections::BTreeMap;

use serde_json::Value;

use crate::clock::{DAY_MS, HOUR_MS, MINUTE_MS, rfc3339};
use crate::encoded;

/// The variables of a section. In braces can be:
///
/// - a variable, as text, and `a+2`, a number and 2; `key:name`, a key, and `lines:name`, its lines of
///   the configuration; `server`, `redis` and `redis:address`, their addresses;
///   `folder`, that of the server;
/// - `now`, `now-3d`, `now+1h`: milliseconds, before or after the begin of the section; with `rfc:`,
///   `day:` (2026-11-20) and `month:` (2026-11) as text;
/// - `url:text`: percent-encoded; `x*129`: repeated;
/// - `ladder:30`: `m01 100, m02 99` and so on, 30 members with their points; `up:30`: m30 has the most;
///   `list:30`: their names in JSON;
///   `boards:16`: so many boards in JSON.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    now_ms: i64,
    variables: BTreeMap<String, Value>,
}

impl Scope {
    pub(super) const fn new(now_ms: i64) -> Self {
        Self {
            now_ms,
            variables: BTreeMap::new(),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.variables.get(name)
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        self.variables.insert(name.to_owned(), value);
    }

    /// Replaces what is in braces. Braces with other content, such as those of JSON, stay.
    pub(super) fn fill(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some(begin) = rest.find('{') {
            filled += &rest[..begin];
            rest = &rest[begin..];
            let end = rest
                .find('}')
                .filter(|end| !rest[1..*end].contains(['{', '"']));
            if let Some((end, value)) = end.and_then(|end| Some((end, self.value(&rest[1..end])?)))
            {
                filled += &value;
                rest = &rest[end + 1..];
            } else {
                filled.push('{');
                rest = &rest[1..];
            }
        }
        filled + rest
    }

    fn value(&self, name: &str) -> Option<String> {
        if let Some(value) = self.variables.get(name) {
            return Some(
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned),
            );
        }
        if let Some((number, more)) = name.split_once('+')
            && let Some(number) = self.variables.get(number).and_then(Value::as_i64)
        {
            return Some((number + more.parse::<i64>().ok()?).to_string());
        }
        if let Some(text) = name.strip_prefix("url:") {
            return Some(encoded(text));
        }
        if let Some((list @ ("ladder" | "up" | "list" | "boards"), count)) = name.split_once(':') {
            let item = |n: i64| match list {
                "ladder" => format!("m{n:02} {}", 101 - n),
                "up" => format!("m{n} {n}"),
                "list" => format!("\"m{n:02}\""),
                _ => format!("\"gifts/b{n}\""),
            };
            let items = (1..=count.parse().ok()?).map(item);
            return Some(items.collect::<Vec<_>>().join(", "));
        }
        if let Some((text, count)) = name.split_once('*') {
            return Some(text.repeat(count.parse().ok()?));
        }
        let (form, moment) = name.split_once(':').unwrap_or(("", name));
        let ms = self.moment(moment)?;
        Some(match form {
            "" => ms.to_string(),
            "rfc" => rfc3339(ms),
            "day" => rfc3339(ms)[..10].to_owned(),
            "month" => rfc3339(ms)[..7].to_owned(),
            _ => return None,
        })
    }

    fn moment(&self, text: &str) -> Option<i64> {
        let offset = text.strip_prefix("now")?;
        if offset.is_empty() {
            return Some(self.now_ms);
        }
        let number = offset.trim_end_matches(char::is_alphabetic);
        let unit = match &offset[number.len()..] {
            "ms" => 1,
            "s" => 1_000,
            "m" => MINUTE_MS,
            "h" => HOUR_MS,
            "d" => DAY_MS,
            _ => return None,
        };
        Some(self.now_ms + unit * number.parse::<i64>().ok()?)
    }
}
