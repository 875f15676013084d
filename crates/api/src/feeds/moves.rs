//! [`between`]: the members that have entered, left, climbed, fallen or changed between two tops.

use std::borrow::Cow;
use std::collections::HashMap;

use merger::Rendered;
use serde::Deserialize;

/// The member of an entry, and its position, if it has one of its own.
#[derive(Deserialize)]
struct EntryMember<'a> {
    #[serde(borrow)]
    member: Cow<'a, str>,
    position: Option<usize>,
}

/// An entry and its position, from 1.
struct Placed<'a> {
    position: usize,
    /// Whether the entry shows it.
    is_shown: bool,
    json: &'a str,
}

/// Parses the entries, in order. `None` if they are not as expected: then the whole top is to be sent.
fn read(rendered: &Rendered) -> Option<Vec<(Cow<'_, str>, Placed<'_>)>> {
    let text = str::from_utf8(&rendered.bytes).ok()?;
    let mut begin = 0;
    let mut entries = Vec::with_capacity(rendered.ends.len());
    for (index, end) in rendered.ends.iter().enumerate() {
        let end = usize::try_from(*end).ok()?;
        let json = text.get(begin..end)?;
        let parsed: EntryMember<'_> = serde_json::from_str(json).ok()?;
        let position = index + 1;
        let is_shown = parsed.position.is_some();
        let placed = Placed {
            position,
            is_shown,
            json,
        };
        entries.push((parsed.member, placed));
        // After the comma.
        begin = end + 1;
    }
    Some(entries)
}

/// One list of moves, as JSON.
#[derive(Default)]
struct List(String);

impl List {
    fn push(&mut self, json: &str) {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        self.0.push_str(json);
    }

    /// Adds an entry with its position, and its position before.
    fn push_entry(&mut self, placed: &Placed<'_>, was: Option<usize>) {
        let members = placed.json.strip_prefix('{').unwrap_or(placed.json);
        let position = (!placed.is_shown).then(|| format!("\"position\":{},", placed.position));
        let position = position.unwrap_or_default();
        let was = was.map_or_else(String::new, |was| format!("\"was\":{was},"));
        self.push(&format!("{{{position}{was}{members}"));
    }
}

/// Returns `"entered":[..],"left":[..],"up":[..],"down":[..],"changed":[..]`, the members of an object.
pub(super) fn between(before: &Rendered, now: &Rendered) -> Option<String> {
    let mut gone: HashMap<Cow<'_, str>, Placed<'_>> = read(before)?.into_iter().collect();
    let [mut entered, mut left, mut up, mut down, mut changed] =
        std::array::from_fn(|_| List::default());
    for (member, placed) in read(now)? {
        let Some(was) = gone.remove(&member) else {
            entered.push_entry(&placed, None);
            continue;
        };
        match placed.position.cmp(&was.position) {
            std::cmp::Ordering::Less => up.push_entry(&placed, Some(was.position)),
            std::cmp::Ordering::Greater => down.push_entry(&placed, Some(was.position)),
            std::cmp::Ordering::Equal if placed.json != was.json => {
                changed.push_entry(&placed, None);
            }
            std::cmp::Ordering::Equal => {}
        }
    }
    let mut gone: Vec<_> = gone.into_iter().collect();
    gone.sort_unstable_by_key(|(_, was)| was.position);
    for (member, _) in gone {
        left.push(&serde_json::Value::from(member).to_string());
    }
    Some(format!(
        "\"entered\":[{}],\"left\":[{}],\"up\":[{}],\"down\":[{}],\"changed\":[{}]",
        entered.0, left.0, up.0, down.0, changed.0
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(entries: &[(&str, i64)]) -> Rendered {
        let mut rendered = (Vec::new(), Vec::new());
        for (index, (member, points)) in entries.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let member = serde_json::Value::from(*member);
            let rank = index + 1;
            let entry =
                format!("{comma}{{\"rank\":{rank},\"member\":{member},\"points\":{points}}}");
            rendered.0.extend_from_slice(entry.as_bytes());
            rendered.1.push(u32::try_from(rendered.0.len()).unwrap());
        }
        Rendered {
            bytes: rendered.0.into(),
            ends: rendered.1,
        }
    }

    #[test]
    fn every_sort_of_move_is_reported() {
        let before = rendered(&[("a", 9), ("b\"", 8), ("c", 7), ("d", 6), ("e", 5)]);
        let now = rendered(&[("a", 10), ("c", 9), ("b\"", 8), ("x", 7), ("e", 5)]);
        let moves = between(&before, &now).unwrap();
        let moves: serde_json::Value = serde_json::from_str(&format!("{{{moves}}}")).unwrap();
        let wanted = serde_json::json!({
            "entered": [{"position": 4, "rank": 4, "member": "x", "points": 7}],
            "left": ["d"],
            "up": [{"position": 2, "was": 3, "rank": 2, "member": "c", "points": 9}],
            "down": [{"position": 3, "was": 2, "rank": 3, "member": "b\"", "points": 8}],
            "changed": [{"position": 1, "rank": 1, "member": "a", "points": 10}],
        });
        assert_eq!(moves, wanted);
    }

    #[test]
    fn a_position_that_an_entry_shows_is_not_repeated() {
        let of = |text: &str| Rendered {
            bytes: text.to_owned().into(),
            ends: vec![u32::try_from(text.len()).unwrap()],
        };
        let now = of(r#"{"rank":1,"position":1,"member":"a"}"#);
        let moves = between(&of(r#"{"rank":1,"position":1,"member":"b"}"#), &now).unwrap();
        let entered = r#""entered":[{"rank":1,"position":1,"member":"a"}],"left":["b"]"#;
        assert!(moves.starts_with(entered), "{moves}");
    }

    #[test]
    fn empty_tops_have_moves_too() {
        let (empty, one) = (rendered(&[]), rendered(&[("a", 1)]));
        assert!(between(&empty, &one).unwrap().contains("\"entered\":[{"));
        assert!(between(&one, &empty).unwrap().contains("\"left\":[\"a\"]"));
        let nothing = "\"entered\":[],\"left\":[],\"up\":[],\"down\":[],\"changed\":[]";
        assert_eq!(between(&one, &one).unwrap(), nothing);
    }
}
