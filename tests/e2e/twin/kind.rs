//! Random kinds, and the meaning of their settings.

use serde_json::{Map, Value, json};
use testkit::dice::Dice;

use super::time::{DAY_US, HOUR_US, date, rfc3339};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Sum,
    Max,
    Min,
    Last,
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) is_asc: bool,
    pub(super) op: Op,
}

/// A window: a period of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) name: String,
    /// When it closes.
    pub(super) closes_at: Option<i64>,
    /// When it is past its retention.
    pub(super) gone_at: Option<i64>,
}

impl Window {
    pub(super) fn is_closed(&self, now: i64) -> bool {
        self.closes_at.is_some_and(|closes_at| now >= closes_at)
    }

    pub(super) fn is_gone(&self, now: i64) -> bool {
        self.gone_at.is_some_and(|gone_at| now >= gone_at)
    }
}

/// A period that the kind has windows of.
#[derive(Clone, Debug)]
struct Period {
    name: &'static str,
    /// How late its windows close; `None`: never.
    close_us: Option<i64>,
    /// How long they are kept; `None`: forever.
    keep_us: Option<i64>,
}

#[derive(Clone, Debug)]
pub(super) struct Packed {
    pub(super) most: i64,
    pub(super) unit_ms: i64,
    pub(super) from: i64,
    pub(super) until: i64,
}

#[derive(Clone, Debug)]
pub(super) struct Kind {
    pub(super) name: String,
    pub(super) mode: &'static str,
    pub(super) fields: Vec<Field>,
    pub(super) ties: &'static str,
    /// `ordinal`, `competition` or `dense`.
    pub(super) rank: &'static str,
    periods: Vec<Period>,
    pub(super) shards: u64,
    pub(super) shards_max: u64,
    pub(super) top: usize,
    pub(super) keep: Option<usize>,
    pub(super) packed: Option<Packed>,
    /// Whether tops are merged for each request.
    pub(super) is_never_stale: bool,
    /// The number of members of its boards.
    pub(super) members: usize,
    /// How much later than its end a window or a board is final, in microseconds.
    pub(super) final_late_us: i64,
}

const NAMES: [&str; 3] = ["points", "laps", "seconds"];

impl Kind {
    pub(super) fn drawn(number: usize, now: i64, final_late_us: i64, dice: &mut Dice) -> Self {
        let mode = *dice.pick(&["accumulate", "accumulate", "best", "latest"]);
        let packed = (dice.below(5) == 0).then(|| Packed {
            most: 15,
            unit_ms: *dice.pick(&[1, 100, 1000]),
            from: (now - 60 * DAY_US) / DAY_US * DAY_US,
            until: (now + 6000 * DAY_US) / DAY_US * DAY_US,
        });
        let listed = packed.is_none() && dice.below(4) == 0;
        let mut fields = Vec::new();
        for name in &NAMES[..if packed.is_some() {
            1
        } else {
            1 + dice.below(3)
        }] {
            let op = match mode {
                "accumulate" => *dice.pick(&[Op::Sum, Op::Sum, Op::Max, Op::Min, Op::Last]),
                _ => Op::Sum,
            };
            let is_asc = dice.below(2) == 0;
            fields.push(Field { name, is_asc, op });
        }
        let mut kind = Self {
            name: format!("k{number}"),
            mode,
            fields,
            ties: *dice.pick(&["earliest", "latest", "member"]),
            rank: *dice.pick(&["ordinal", "competition", "dense"]),
            periods: Self::drawn_periods(dice),
            shards: *dice.pick(&[1, 2, 16]),
            shards_max: 16,
            top: *dice.pick(&[3, 1000]),
            keep: None,
            packed,
            is_never_stale: dice.below(2) == 0,
            members: *dice.pick(&[6, 12, 12, 300]),
            final_late_us,
        };
        if kind.packed.is_some() && kind.ties == "member" {
            kind.ties = "earliest";
        }
        if listed {
            kind.make_exact_list(dice);
        }
        // Servers that share a store have one on Redis.
        let is_local = final_late_us == 0;
        if kind.is_dense() && (kind.packed.is_some() || listed && !is_local) {
            kind.rank = "competition";
        }
        if kind.is_dense() && !is_local {
            (kind.shards, kind.shards_max) = (1, 1);
        }
        kind
    }

    fn drawn_periods(dice: &mut Dice) -> Vec<Period> {
        let bounded = |name, dice: &mut Dice| Period {
            name,
            close_us: *dice.pick(&[None, Some(0), Some(0), Some(1_500_000), Some(HOUR_US)]),
            keep_us: *dice.pick(&[None, Some(0), Some(2 * HOUR_US), Some(5 * DAY_US)]),
        };
        let all = Period {
            name: "all",
            close_us: None,
            keep_us: None,
        };
        match dice.below(5) {
            0 => vec![all],
            1 => vec![bounded("day", dice), all],
            2 => vec![bounded("hour", dice), bounded("day", dice)],
            3 => vec![bounded("hour", dice)],
            _ => vec![all, bounded("month", dice), bounded("hour", dice)],
        }
    }

    /// Makes it an exact top list, whose standings never fall by a contribution.
    fn make_exact_list(&mut self, dice: &mut Dice) {
        let keep = *dice.pick(&[1, 3, 8, 40]);
        (self.keep, self.top) = (Some(keep), keep.min(self.top));
        if self.mode == "latest" {
            self.mode = "best";
        }
        if self.ties == "latest" {
            self.ties = "earliest";
        }
        for field in &mut self.fields {
            field.op = match (self.mode, field.is_asc) {
                ("accumulate", false) => Op::Max,
                ("accumulate", true) => Op::Min,
                _ => Op::Sum,
            };
        }
    }

    /// Returns the settings as `PUT /v1/kinds/{kind}` accepts them.
    pub(super) fn settings(&self) -> Value {
        let fields = self.fields.iter().map(|field| {
            let mut shape = json!({
                "name": field.name,
                "order": if field.is_asc { "asc" } else { "desc" },
            });
            if self.mode == "accumulate" {
                shape["op"] = json!(format!("{:?}", field.op).to_lowercase());
            }
            shape
        });
        let periods = self.periods.iter().map(|period| period.name);
        let bounded = || self.periods.iter().filter(|period| period.name != "all");
        let keep = bounded().map(|period| {
            let keep = period.keep_us.map_or("forever".to_owned(), span);
            (period.name.to_owned(), json!(keep))
        });
        let close = bounded()
            .filter_map(|period| Some((period.name.to_owned(), json!(span(period.close_us?)))));
        let mut shape = json!({
            "mode": self.mode,
            "fields": fields.collect::<Value>(),
            "ties": self.ties,
            "rank": self.rank,
            "windows": periods.collect::<Value>(),
            "shards": self.shards,
            "top": self.top,
            "keep": Value::Object(keep.collect::<Map<_, _>>()),
            "close": Value::Object(close.collect::<Map<_, _>>()),
            "max_staleness": if self.is_never_stale { "0s" } else { "10m" },
            "dedupe": "7d",
        });
        if let Some(keep) = self.keep {
            shape["retain"] = json!({"keep": keep, "trim_at": keep + 2});
        }
        if let Some(packed) = &self.packed {
            shape["packed"] = json!({"most": packed.most, "unit": format!("{}ms", packed.unit_ms)});
            if self.periods.iter().any(|period| period.name == "all") {
                shape["packed"]["from"] = json!(rfc3339(packed.from));
                shape["packed"]["until"] = json!(rfc3339(packed.until));
            }
        }
        shape
    }

    /// Returns the windows that contain this time, in the kind's order.
    pub(super) fn windows_at(&self, at: i64) -> Vec<Window> {
        let window = |period: &Period| {
            let (name, end) = match period.name {
                "hour" => {
                    let start = at / HOUR_US * HOUR_US;
                    let text = rfc3339(start);
                    (format!("hour:{}+00:00", &text[..13]), Some(start + HOUR_US))
                }
                "day" => {
                    let start = at / DAY_US * DAY_US;
                    (format!("day:{}", date(start)), Some(start + DAY_US))
                }
                "month" => {
                    let month = |at: i64| date(at)[..7].to_owned();
                    let day: i64 = date(at)[8..].parse().unwrap();
                    let mut end = at / DAY_US * DAY_US + (29 - day).max(1) * DAY_US;
                    while month(end) == month(at) {
                        end += DAY_US;
                    }
                    (format!("month:{}", month(at)), Some(end))
                }
                _ => ("all".to_owned(), None),
            };
            let behind = |by: Option<i64>| Some(end? + by?);
            Window {
                name,
                closes_at: behind(period.close_us),
                gone_at: behind(period.keep_us),
            }
        };
        self.periods.iter().map(window).collect()
    }

    /// Returns the time from which no window accepts events of `at`. `None`: a window always does.
    pub(super) fn admits_until(&self, at: i64) -> Option<i64> {
        let windows = self.windows_at(at).into_iter();
        let untils = windows.map(|window| {
            [window.closes_at, window.gone_at]
                .into_iter()
                .flatten()
                .min()
        });
        let untils: Option<Vec<i64>> = untils.collect();
        untils?.into_iter().max()
    }

    pub(super) fn is_dense(&self) -> bool {
        self.rank == "dense"
    }

    pub(super) fn is_by_points(&self) -> bool {
        self.fields.len() == 1 && self.fields[0].name == "points"
    }
}

fn span(us: i64) -> String {
    format!("{}ms", us / 1_000)
}
