//! [`Meaning`]: a digest of what the standings of a kind's boards mean.
//!
//! Two kinds with the same meaning fold and order standings alike, and begin windows at the same
//! times: what was read under one may be written to a board of the other. Settings that may change
//! while a kind has boards (`change`) are not part of it. Dense ranks are: a store counts distinct
//! fields only on boards of such kinds.
//!
//! A board's record carries the meaning of its kind. The router and the merger compare it with that
//! of the kind they use, and a store rejects a batch of another meaning. So no server reads or
//! writes a board by outdated rules.

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use crate::kind::{KindSpec, RankStyle};

/// Digest of a kind's rules, calendar and `retain`, and of whether its ranks are dense. Stores
/// persist it: it does not depend on the machine, and the declaration order of the variants it
/// covers is part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub struct Meaning(pub u64);

impl Meaning {
    pub(crate) fn of(spec: &KindSpec) -> Self {
        let rules = &spec.rules;
        let mut bytes = vec![rules.mode() as u8, rules.ties() as u8];
        for field in rules.fields() {
            bytes.extend([field.order as u8, field.op as u8]);
            bytes.extend(field.name.as_str().as_bytes());
            // No name contains this byte: it marks the end.
            bytes.push(0);
        }
        let calendar = &spec.calendar;
        let (zone, day) = (calendar.time_zone(), calendar.day_start());
        let week = calendar.week_start() as u8;
        let weeks_from = calendar.weeks_from().map(|from| from.to_string());
        let weeks_from = weeks_from.unwrap_or_default();
        // No time zone's name contains a space.
        bytes.extend(format!("{zone} {day} {week} {weeks_from}").as_bytes());
        if let Some(retain) = &spec.retain {
            // No time zone's name contains this byte.
            bytes.push(0);
            bytes.extend(retain.keep.to_le_bytes());
            bytes.extend(retain.trim_at.to_le_bytes());
            bytes.push(u8::from(retain.approximate));
        }
        if let Some(packing) = rules.packing() {
            // Marks `retain`: no number of it begins like this.
            bytes.extend([0, u8::MAX]);
            bytes.extend(packing.max.to_le_bytes());
            bytes.extend(packing.unit_us().to_le_bytes());
            let base = packing.span.map_or(0, |(from, _)| from.micros());
            bytes.extend(base.to_le_bytes());
        }
        if spec.rank == RankStyle::Dense {
            // Shorter than `retain` and `packed`, which begin with the same byte.
            bytes.extend([0, u8::MAX - 1]);
        }
        Self(XxHash3_64::oneshot(&bytes))
    }
}
