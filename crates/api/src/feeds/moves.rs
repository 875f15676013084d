//! [`Moves`]: the members that have entered, left, climbed, fallen or changed between two tops.
//!
//! They are found once, in the most entries that any reader is sent. Those of the first `n` follow from them: a member
//! that climbs past the end of these has entered, and one that falls past it has left. Only entries that differ are
//! parsed.

use std::cmp::Ordering;
use std::collections::HashMap;

use merger::Rendered;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The members that differ between two tops. Positions are counted from 1.
#[derive(Debug, Default)]
pub(super) struct Moves {
    /// By their position now.
    present: Vec<PresentMember>,
    /// Those who are no longer where they were, nor above, by the position there.
    fallen: Vec<FallenMember>,
}

/// A member whose position or entry is another one than before.
#[derive(Debug)]
struct PresentMember {
    position: usize,
    was: Option<usize>,
    /// Whether the entry shows its position.
    is_shown: bool,
}

/// A member that has fallen, or is not in the top any more.
#[derive(Debug)]
struct FallenMember {
    was: usize,
    position: Option<usize>,
    /// As JSON.
    name: Box<str>,
}

/// The member of an entry, as JSON, and its position, if it has one of its own. Entries are rendered in one way, so equal
/// members have equal texts.
#[derive(Deserialize)]
struct EntryMember<'a> {
    #[serde(borrow)]
    member: &'a RawValue,
    position: Option<usize>,
}

fn parsed(entry: &[u8]) -> Option<EntryMember<'_>> {
    serde_json::from_slice(entry).ok()
}

/// Returns the entry at an index.
fn entry(rendered: &Rendered, index: usize) -> Option<&[u8]> {
    let end = *rendered.ends.get(index)? as usize;
    // After the comma.
    let begin = index
        .checked_sub(1)
        .map_or(0, |before| rendered.ends[before] as usize + 1);
    rendered.bytes.get(begin..end)
}

impl Moves {
    /// Compares two tops. `None` if the entries are not as expected: then the whole top is to be sent.
    pub(super) fn between(before: &Rendered, now: &Rendered) -> Option<Self> {
        let count = before.ends.len().max(now.ends.len());
        let differing = (0..count).filter(|index| entry(before, *index) != entry(now, *index));
        let differing: Vec<usize> = differing.collect();
        let mut gone = HashMap::with_capacity(differing.len());
        for index in &differing {
            if let Some(entry) = entry(before, *index) {
                gone.insert(parsed(entry)?.member.get(), index + 1);
            }
        }
        let mut moves = Self::default();
        for index in &differing {
            let Some(entry) = entry(now, *index) else {
                break;
            };
            let EntryMember {
                member,
                position: shown,
            } = parsed(entry)?;
            let (name, position) = (member.get(), index + 1);
            let was = gone.remove(name);
            moves.present.push(PresentMember {
                position,
                was,
                is_shown: shown.is_some(),
            });
            if let Some(was) = was.filter(|was| *was < position) {
                moves.add_fallen(was, Some(position), name);
            }
        }
        for (name, was) in gone {
            moves.add_fallen(was, None, name);
        }
        moves.fallen.sort_unstable_by_key(|member| member.was);
        Some(moves)
    }

    fn add_fallen(&mut self, was: usize, position: Option<usize>, name: &str) {
        self.fallen.push(FallenMember {
            was,
            position,
            name: name.into(),
        });
    }

    /// Returns the bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        let names: usize = self.fallen.iter().map(|member| member.name.len()).sum();
        size_of_val(&*self.present) + size_of_val(&*self.fallen) + names
    }

    /// Returns those of the first `n` entries, `{"entered":[..],"left":[..],"up":[..],"down":[..],"changed":[..]}`.
    /// `now` is the later top.
    pub(super) fn json(&self, now: &Rendered, n: usize) -> Option<String> {
        let [mut entered, mut left, mut up, mut down, mut changed] =
            std::array::from_fn(|_| List::default());
        for member in &self.present {
            if member.position > n {
                break;
            }
            let entry = str::from_utf8(entry(now, member.position - 1)?).ok()?;
            let was = member.was.filter(|was| *was <= n);
            let (list, was) = match was.map(|was| member.position.cmp(&was)) {
                None => (&mut entered, None),
                Some(Ordering::Less) => (&mut up, was),
                Some(Ordering::Greater) => (&mut down, was),
                Some(Ordering::Equal) => (&mut changed, None),
            };
            let position = (!member.is_shown).then_some(member.position);
            list.push_entry(entry, position, was);
        }
        for member in self.fallen.iter().take_while(|member| member.was <= n) {
            if member.position.is_none_or(|position| position > n) {
                left.push(&member.name);
            }
        }
        Some(format!(
            "{{\"entered\":[{}],\"left\":[{}],\"up\":[{}],\"down\":[{}],\"changed\":[{}]}}",
            entered.0, left.0, up.0, down.0, changed.0
        ))
    }
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

    /// Adds an entry with its position, unless it shows that itself, and its position before.
    fn push_entry(&mut self, entry: &str, position: Option<usize>, was: Option<usize>) {
        let members = entry.strip_prefix('{').unwrap_or(entry);
        let member = |name: &str, value: Option<usize>| {
            value.map_or_else(String::new, |value| format!("\"{name}\":{value},"))
        };
        let (position, was) = (member("position", position), member("was", was));
        self.push(&format!("{{{position}{was}{members}"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn entries(top: &[(&str, i64)]) -> Vec<Value> {
        let entry = |(index, (member, points)): (usize, &(&str, i64))| json!({"rank": index + 1, "member": member, "points": points});
        top.iter().enumerate().map(entry).collect()
    }

    fn rendered(top: &[(&str, i64)]) -> Rendered {
        let mut bytes = Vec::new();
        let mut ends = Vec::new();
        for entry in entries(top) {
            if !bytes.is_empty() {
                bytes.push(b',');
            }
            bytes.extend_from_slice(entry.to_string().as_bytes());
            ends.push(u32::try_from(bytes.len()).unwrap());
        }
        let bytes = bytes.into();
        Rendered { bytes, ends }
    }

    fn moves(before: &[(&str, i64)], now: &[(&str, i64)], n: usize) -> Value {
        let now = rendered(now);
        let moves = Moves::between(&rendered(before), &now).unwrap();
        let json = moves.json(&now, n).unwrap();
        serde_json::from_str(&json).unwrap()
    }

    /// The same, by comparing each member of the first `n` with each.
    fn naive(before: &[(&str, i64)], now: &[(&str, i64)], n: usize) -> Value {
        let [before, now] = [before, now].map(|top| entries(&top[..n.min(top.len())]));
        let position = |top: &[Value], member: &Value| {
            let mut all = top.iter();
            all.position(|entry| entry["member"] == *member)
        };
        let mut lists = json!({"entered": [], "left": [], "up": [], "down": [], "changed": []});
        for (index, entry) in now.iter().enumerate() {
            let was = position(&before, &entry["member"]);
            let mut shown = entry.clone();
            shown["position"] = json!(index + 1);
            let list = match was {
                None => "entered",
                Some(was) if was == index && before[was] == *entry => continue,
                Some(was) if was == index => "changed",
                Some(was) => {
                    shown["was"] = json!(was + 1);
                    if index < was { "up" } else { "down" }
                }
            };
            lists[list].as_array_mut().unwrap().push(shown);
        }
        let left = before.iter().map(|entry| &entry["member"]);
        let left = left.filter(|member| position(&now, member).is_none());
        lists["left"] = left.cloned().collect();
        lists
    }

    #[test]
    fn every_sort_of_move_is_reported() {
        let before = [("a", 9), ("b\"", 8), ("c", 7), ("d", 6), ("e", 5)];
        let now = [("a", 10), ("c", 9), ("b\"", 8), ("x", 7), ("e", 5)];
        let expected = json!({
            "entered": [{"position": 4, "rank": 4, "member": "x", "points": 7}],
            "left": ["d"],
            "up": [{"position": 2, "was": 3, "rank": 2, "member": "c", "points": 9}],
            "down": [{"position": 3, "was": 2, "rank": 3, "member": "b\"", "points": 8}],
            "changed": [{"position": 1, "rank": 1, "member": "a", "points": 10}],
        });
        assert_eq!(moves(&before, &now, 5), expected);
        assert_eq!(naive(&before, &now, 5), expected);
        // In the first two, one has entered, and the other has left.
        let two = moves(&before, &now, 2);
        assert_eq!(two["entered"][0]["member"], "c");
        assert_eq!(two["left"], json!(["b\""]));
    }

    #[test]
    fn the_moves_of_every_part_follow_from_those_of_the_whole() {
        const NAMES: [&str; 12] = [
            "a", "b\"", "c", "d", "é", "f", "g", "h", "i\\", "j", "k", "l",
        ];
        // The same tops in every run.
        let mut state = 1_u64;
        let mut dice = move |sides: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from((state >> 33) % sides).unwrap()
        };
        let mut draw = || {
            let mut names = NAMES;
            for end in (1..names.len()).rev() {
                // Mostly as it was.
                if dice(3) == 0 {
                    names.swap(end, dice(end as u64 + 1));
                }
            }
            let shown = dice(NAMES.len() as u64 + 1);
            let top: Vec<(&str, i64)> = names[..shown]
                .iter()
                .map(|name| (*name, i64::from(dice(2) == 1)))
                .collect();
            top
        };
        for _ in 0..500 {
            let (before, now) = (draw(), draw());
            for n in 1..=NAMES.len() + 1 {
                let expected = naive(&before, &now, n);
                assert_eq!(
                    moves(&before, &now, n),
                    expected,
                    "{n} of {before:?} and {now:?}"
                );
            }
        }
    }

    #[test]
    fn a_position_that_an_entry_shows_is_not_repeated() {
        let of = |text: &'static str| Rendered {
            bytes: text.into(),
            ends: vec![u32::try_from(text.len()).unwrap()],
        };
        let before = of(r#"{"rank":1,"position":1,"member":"b"}"#);
        let now = of(r#"{"rank":1,"position":1,"member":"a"}"#);
        let json = Moves::between(&before, &now)
            .unwrap()
            .json(&now, 1)
            .unwrap();
        let entered = r#"{"entered":[{"rank":1,"position":1,"member":"a"}],"left":["b"]"#;
        assert!(json.starts_with(entered), "{json}");
    }

    #[test]
    fn only_entries_that_differ_are_parsed() {
        let top = |text: &'static str| Rendered {
            bytes: text.into(),
            ends: vec![6, 27],
        };
        let before = top(r#"broken,{"member":"a","p":1}"#);
        let now = top(r#"broken,{"member":"a","p":2}"#);
        let moves = Moves::between(&before, &now).unwrap();
        let json = moves.json(&now, 2).unwrap();
        assert!(
            json.contains(r#""changed":[{"position":2,"member":"a","p":2}]"#),
            "{json}"
        );
        let other = top(r#"Broken,{"member":"a","p":2}"#);
        assert!(Moves::between(&before, &other).is_none());
    }
}
