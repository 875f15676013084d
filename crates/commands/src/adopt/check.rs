//! Comparing the best entries of the source and of the board: [`compare`].

use std::collections::HashSet;

use board::NameOrder;
use megaboard_client::Entry;

use super::standing::Standing;
use super::target;

/// The maximum number of positions that are compared.
pub(super) const BEST_COUNT: usize = 1_000;

/// Differences between the source and the board.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Differences {
    /// The number of positions that differ.
    pub(super) positions: usize,
    /// The first of them: the position, the member in the source, and the member on the board, if there is one.
    pub(super) first: Option<(usize, String, Option<String>)>,
    /// Indices of the source's standings that the board does not have at the same position.
    pub(super) indices: Vec<usize>,
    /// Members of the board that are not among the source's best.
    pub(super) only_on_board: Vec<String>,
}

/// Compares the source's list, best first, with the beginning of the board's.
pub(super) fn compare(source: &[Standing], board: &[Entry], fields: &[String]) -> Differences {
    let mut differences = Differences::default();
    for (index, standing) in source.iter().enumerate() {
        let ranked = board.get(index);
        if ranked.is_some_and(|ranked| target::is(ranked, standing, fields)) {
            continue;
        }
        differences.positions += 1;
        differences.indices.push(index);
        let on_board = ranked.map(|ranked| ranked.member.clone());
        let first = || (index + 1, standing.member.to_string(), on_board);
        differences.first.get_or_insert_with(first);
    }
    if differences.positions > 0 {
        let best: HashSet<&str> = source.iter().map(|it| it.member.as_str()).collect();
        let members = board.iter().map(|ranked| ranked.member.as_str());
        let others = members.filter(|member| !best.contains(member));
        differences.only_on_board = others.map(str::to_owned).collect();
    }
    differences
}

/// Sorts ties of `two-sets` by time, then by member in descending order, since Redis sorts them by member only. If the
/// list is truncated, its last tie is removed, since it may be incomplete.
pub(super) fn order_ties(standings: &mut Vec<Standing>, is_truncated: bool) {
    if let Some(last) = standings.last().filter(|_| is_truncated) {
        let last = last.values.clone();
        standings.retain(|standing| standing.values != last);
    }
    let chunks = standings.chunk_by_mut(|a, b| a.values == b.values);
    for tied in chunks {
        tied.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| b.member.cmp(&a.member)));
    }
}

/// Sorts members with equal values and times in the board's order of names. If the list is truncated, the last ones are
/// removed, since they may be incomplete.
pub(super) fn order_names(standings: &mut Vec<Standing>, is_truncated: bool, names: NameOrder) {
    let is_equal = |a: &Standing, b: &Standing| a.values == b.values && a.at == b.at;
    if let Some(last) = standings.last().filter(|_| is_truncated).cloned() {
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

    fn board(entries: &[(&str, i64)]) -> Vec<Entry> {
        let entry = |(member, points): &(&str, i64)| {
            let at = "2026-11-20T14:52:22Z";
            let entry = json!({"rank": 1, "member": member, "points": points, "reached_at": at});
            serde_json::from_value(entry).unwrap()
        };
        entries.iter().map(entry).collect()
    }

    #[test]
    fn lists_are_compared_by_member_and_values() {
        let fields = ["points".to_owned()];
        let source = [standing("a", 3, 1), standing("b", 2, 1)];
        let same = compare(&source, &board(&[("a", 3), ("b", 2), ("c", 1)]), &fields);
        assert_eq!(same, Differences::default());
        let other = compare(&source, &board(&[("a", 3), ("c", 2)]), &fields);
        assert_eq!((other.positions, &other.indices), (1, &vec![1]));
        assert_eq!(other.first, Some((2, "b".to_owned(), Some("c".to_owned()))));
        assert_eq!(other.only_on_board, ["c"]);
        let short = compare(&source, &board(&[("a", 4)]), &fields);
        assert_eq!(short.positions, 2);
        let none = compare(&source, &[], &fields);
        assert_eq!(none.first, Some((1, "a".to_owned(), None)));
        assert!(short.only_on_board.is_empty());
    }

    #[test]
    fn equal_members_are_sorted_in_the_order_of_the_board() {
        let all = [
            standing("a", 9, 5),
            standing("b", 9, 5),
            standing("c", 9, 6),
            standing("d", 8, 1),
            standing("e", 8, 1),
        ];
        let ordered = |is_truncated, names| -> String {
            let mut standings = all.to_vec();
            order_names(&mut standings, is_truncated, names);
            standings.iter().map(|it| it.member.as_str()).collect()
        };
        assert_eq!(ordered(false, NameOrder::Higher), "baced");
        assert_eq!(ordered(true, NameOrder::Higher), "bac");
        assert_eq!(ordered(false, NameOrder::Lower), "abcde");
    }

    #[test]
    fn ties_of_two_sets_are_sorted_by_time_and_a_truncated_one_is_removed() {
        let all = [
            standing("c", 9, 5),
            standing("b", 9, 4),
            standing("d", 9, 4),
            standing("a", 8, 1),
        ];
        let members = |standings: &[Standing]| -> String {
            standings.iter().map(|it| it.member.as_str()).collect()
        };
        let mut complete = all.to_vec();
        order_ties(&mut complete, false);
        assert_eq!(members(&complete), "dbca");
        let mut truncated = all.to_vec();
        order_ties(&mut truncated, true);
        assert_eq!(members(&truncated), "dbc");
    }
}
