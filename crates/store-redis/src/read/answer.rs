//! Reads replies of `read.lua` into readings.

use board::{Incarnation, Rules, Standing, Window};
use twox_hash::XxHash3_64;

use crate::boards::keys::window_named;
use crate::boards::packed::Packed;
use crate::boards::standing::{entry_of, needs_scores, standing_of};
use crate::boards::wire::{Garbled, Unpack};
use shard_store::{
    Anchor, BoardRecord, Group, Groups, RangeAsk, RangePart, ShardEntry, ShardReading, ShardVersion,
};

use super::joined::Asked;

/// Returns the windows that `windows` names.
pub(super) fn windows(answer: &[u8]) -> Result<Vec<Window>, Garbled> {
    let mut names = Unpack::new(answer);
    let count = names.array()?;
    let windows = (0..count).map(|_| {
        let window = window_named(names.text()?);
        window.ok_or(Garbled("no window has such a name"))
    });
    windows.collect()
}

/// Returns the next reading of an answer that has one for each shard, and whether it is of a list that may lack
/// members.
pub(super) fn reading(
    rules: &Rules,
    board: &BoardRecord,
    asked: Asked<'_>,
    epoch: u64,
    answer: &mut Unpack<'_>,
) -> Result<(ShardReading, bool), Garbled> {
    let Asked { query, unless, .. } = asked;
    let ranges = &query.ranges;
    let parts = answer.array()?.checked_sub(3);
    let parts = parts.ok_or(Garbled("no reading"))?;
    let version = version_of(board.incarnation, epoch, answer.text()?)?;
    let members = answer.count()?;
    let is_short = answer.count()? == 1;
    let is_same = unless.is_some_and(|known| known.counter == version.counter);
    if parts != if is_same { 0 } else { ranges.len() } {
        return Err(Garbled("not as many parts as were asked for"));
    }
    let parts = if is_same {
        None
    } else {
        let parts = ranges
            .iter()
            .map(|ask| part(rules, (query.window, query.groups), ask, answer));
        Some(parts.collect::<Result<_, _>>()?)
    };
    let reading = ShardReading {
        version,
        members,
        parts,
    };
    Ok((reading, is_short))
}

/// Returns the version of `COUNTER SESSION SEQ`; that of an empty window if it never changed.
fn version_of(incarnation: Incarnation, epoch: u64, text: &str) -> Result<ShardVersion, Garbled> {
    if text.is_empty() {
        return Ok(ShardVersion {
            epoch,
            ..ShardVersion::default()
        });
    }
    let (counter, last) = text.split_once(' ').ok_or(Garbled("no version"))?;
    Ok(ShardVersion {
        epoch,
        counter: counter.parse().map_err(|_| Garbled("no counter"))?,
        digest: XxHash3_64::oneshot_with_seed(incarnation.0, last.as_bytes()),
    })
}

fn part(
    rules: &Rules,
    (window, groups): (Window, Groups),
    ask: &RangeAsk,
    answer: &mut Unpack<'_>,
) -> Result<RangePart, Garbled> {
    let counts = groups == Groups::Count;
    if answer.array()? != if counts { 8 } else { 6 } {
        return Err(Garbled("no part"));
    }
    let anchor = answer.int()?;
    let (start, group_start) = (answer.count()?, answer.count()?);
    let mut ranked = Vec::new();
    for _ in 0..answer.array()? / 2 {
        ranked.push((answer.raw()?, answer.text()?));
    }
    let standings = answer.array()?;
    if standings != if needs_scores(rules) { ranked.len() } else { 0 } {
        return Err(Garbled("not as many standings as members"));
    }
    let packed = Packed::of(rules, window);
    let entry = |(bytes, score): (&[u8], &str)| -> Result<ShardEntry, Garbled> {
        if let Some(packed) = &packed {
            return packed.entry(score, bytes);
        }
        let kept = if needs_scores(rules) {
            Some(answer.raw()?).filter(|kept| !kept.is_empty())
        } else {
            None
        };
        entry_of(rules, score, bytes, kept)
    };
    let entries: Vec<ShardEntry> = ranked.into_iter().map(entry).collect::<Result<_, _>>()?;
    let own = answer.raw()?;
    let group = if counts {
        Group {
            better: answer.count()?,
            members: answer.count()?,
        }
    } else {
        Group::default()
    };
    let anchor = u64::try_from(anchor).ok();
    let standing = match anchor {
        Some(anchor) if packed.is_some() => {
            packed_standing(rules, ask, anchor.saturating_sub(start), &entries)
        }
        _ if own.is_empty() => None,
        _ => Some(standing_of(rules, own)?),
    };
    let unlisted = match (anchor, &standing) {
        (None, Some(standing)) => Some(unlisted(rules, ask, standing)?),
        _ => None,
    };
    Ok(RangePart {
        anchor,
        start,
        group_start,
        group,
        entries,
        unlisted,
        standing,
    })
}

/// Returns the standing of a packed member, which is contained in its entry.
fn packed_standing(
    rules: &Rules,
    ask: &RangeAsk,
    place: u64,
    entries: &[ShardEntry],
) -> Option<Standing> {
    let is_wanted = ask.after > 0 && matches!(ask.anchor, Anchor::Member(_));
    let entry = entries
        .get(usize::try_from(place).ok()?)
        .filter(|_| is_wanted)?;
    Some(rules.standing_of(&rules.values_of(&entry.key.words), entry.reached_at))
}

/// Returns the entry of a member that is off the list, by its standing.
fn unlisted(rules: &Rules, ask: &RangeAsk, standing: &Standing) -> Result<ShardEntry, Garbled> {
    let Anchor::Member(member) = &ask.anchor else {
        return Err(Garbled("a standing without a member"));
    };
    Ok(ShardEntry {
        key: rules.rank_key(rules.rank_words_of(standing), member.clone()),
        reached_at: rules.reached_at(standing),
    })
}

/// Returns the counts, one for each window.
pub(crate) fn counts(payload: &[u8], len: usize) -> Result<Vec<u64>, Garbled> {
    let mut answer = Unpack::new(payload);
    if answer.array()? != len {
        return Err(Garbled("not as many counts as were asked for"));
    }
    (0..len).map(|_| answer.count()).collect()
}
