//! The best of the source held against the best of the board: [`compare`].

use std::collections::HashSet;

use board::NameOrder;

use super::standing::Standing;
use super::target::Ranked;

/// Positions that are held against the source.
pub(super) const BEST_COUNT: usize = 1_000;

/// Where the two do not agree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Differences {
    /// How many positions differ, and the first of them with who is there: in the source, on the board.
    pub(super) positions: usize,
    pub(super) first: Option<(usize, String, String)>,
    /// Places in the source's list of standings that the board has not, or has elsewhere.
    pub(super) indices: Vec<usize>,
    /// Members of the board that are not among the source's best.
    pub(super) strangers: Vec<String>,
}

/// Holds two lists, best first, against each other, as far as the source's goes.
pub(super) fn compare(source: &[Standing], board: &[Ranked], fields: &[String]) -> Differences {
    let mut differences = Differences::default();
    for (index, standing) in source.iter().enumerate() {
        let ranked = board.get(index);
        if ranked.is_some_and(|ranked| ranked.is(standing, fields)) {
            continue;
        }
        differences.positions += 1;
        differences.indices.push(index);
        let there = ranked.map_or("nobody", |ranked| &ranked.member);
        let first = || (index + 1, standing.member.to_string(), there.to_owned());
        differences.first.get_or_insert_with(first);
    }
    if differences.positions > 0 {
        let known: HashSet<&str> = source.iter().map(|it| it.member.as_str()).collect();
        let members = board.iter().map(|ranked| ranked.member.as_str());
        let strangers = members.filter(|member| !known.contains(member));
        differences.strangers = strangers.map(str::to_owned).collect();
    }
    differences
}

/// Puts ties of two sets in order, which Redis does not: the earlier first, then the higher member.
/// A tie that the list may not have whole is left out, when the list is cut.
pub(super) fn order_ties(standings: &mut Vec<Standing>, is_cut: bool) {
    if let Some(last) = standings.last().filter(|_| is_cut) {
        let last = last.values.clone();
        standings.retain(|standing| standing.values != last);
    }
    let chunks = standings.chunk_by_mut(|a, b| a.values == b.values);
    for tied in chunks {
        tied.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| b.member.cmp(&a.member)));
    }
}

/// Puts members that are equal in values and time in the board's order, where Redis has the other.
/// Those that the list may not have whole are left out, when the list is cut.
pub(super) fn order_names(standings: &mut Vec<Standing>, is_cut: bool, names: NameOrder) {
    let is_equal = |a: &Standing, b: &Standing| a.values == b.values && a.at == b.at;
    if let Some(last) = standings.last().filter(|_| is_cut).cloned() {
        standings.retain(|standing| !is_equal(standing, &last));
    }
    for tied in standings.chunk_by_mut(is_equal) {
        tied.sort_by(|a, b| names.compare(b.member.as_bytes(), a.member.as_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use board::{Member, Timestamp};
    use serde_json::json;

    use super::*;

    fn standing(member: &str, points: i64, at: i64) -> Standing {
        Standing {
            member: Member::new(member).unwrap(),
            values: vec![points],
            at: Timestamp::from_millis(at),
        }
    }

    fn board(entries: &[(&str, i64)]) -> Vec<Ranked> {
        let entry = |(member, points): &(&str, i64)| {
            serde_json::from_value(json!({"rank": 1, "member": member, "points": points})).unwrap()
        };
        entries.iter().map(entry).collect()
    }

    #[test]
    fn lists_agree_member_by_member_and_value_by_value() {
        let fields = ["points".to_owned()];
        let source = [standing("a", 3, 1), standing("b", 2, 1)];
        let same = compare(&source, &board(&[("a", 3), ("b", 2), ("c", 1)]), &fields);
        assert_eq!(same, Differences::default());
        let other = compare(&source, &board(&[("a", 3), ("c", 2)]), &fields);
        assert_eq!((other.positions, &other.indices), (1, &vec![1]));
        assert_eq!(other.first, Some((2, "b".to_owned(), "c".to_owned())));
        assert_eq!(other.strangers, ["c"]);
        let short = compare(&source, &board(&[("a", 4)]), &fields);
        assert_eq!(short.positions, 2);
        assert!(short.strangers.is_empty());
    }

    #[test]
    fn equal_members_stand_as_the_board_has_them() {
        let all = [
            standing("a", 9, 5),
            standing("b", 9, 5),
            standing("c", 9, 6),
            standing("d", 8, 1),
            standing("e", 8, 1),
        ];
        let ordered = |is_cut, names| -> String {
            let mut standings = all.to_vec();
            order_names(&mut standings, is_cut, names);
            standings.iter().map(|it| it.member.as_str()).collect()
        };
        assert_eq!(ordered(false, NameOrder::Higher), "baced");
        assert_eq!(ordered(true, NameOrder::Higher), "bac");
        assert_eq!(ordered(false, NameOrder::Lower), "abcde");
    }

    #[test]
    fn ties_of_two_sets_go_by_time_and_a_cut_one_is_left_out() {
        let all = [
            standing("c", 9, 5),
            standing("b", 9, 4),
            standing("d", 9, 4),
            standing("a", 8, 1),
        ];
        let members = |standings: &[Standing]| -> String {
            standings.iter().map(|it| it.member.as_str()).collect()
        };
        let mut whole = all.to_vec();
        order_ties(&mut whole, false);
        assert_eq!(members(&whole), "dbca");
        let mut cut = all.to_vec();
        order_ties(&mut cut, true);
        assert_eq!(members(&cut), "dbc");
    }
}
