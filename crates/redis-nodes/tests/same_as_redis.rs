//! The two libraries that Redis provides to its Lua, compared with those of a real one: the same
//! Lua, run by Redis and here, returns the same.

#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use testkit::redis::{Pooled, RedisServer, RedisWire, Reply};

use redis_nodes::lua_functions::Interpreter;

/// The number of values of each sort.
const CASES: u32 = 300;

/// Shows any values, numbers by every digit and tables in the order of their keys.
const SHOW: &str = "
local function show(value)
    if type(value) == 'number' then return string.format('%.17g', value) end
    if type(value) == 'string' then return '<' .. value .. '>' end
    if type(value) ~= 'table' then return tostring(value) end
    local shown = {}
    for key, held in pairs(value) do shown[#shown + 1] = show(key) .. '=' .. show(held) end
    table.sort(shown)
    return '{' .. table.concat(shown, ' ') .. '}'
end
local function all(...)
    local shown = {}
    for place = 1, select('#', ...) do shown[place] = show((select(place, ...))) end
    return table.concat(shown, ';')
end
";

struct Both {
    redis: RedisWire,
    _server: Pooled<RedisServer>,
    here: Interpreter,
}

impl Both {
    fn new() -> Self {
        let server = RedisServer::shared();
        Self {
            redis: server.connect(),
            _server: server,
            here: Interpreter::new("").unwrap(),
        }
    }

    /// Runs it on both; `None` if both reject it.
    fn run(&mut self, source: &str) -> Option<Vec<u8>> {
        let source = format!("{SHOW} return {source}");
        let there = match self.redis.command(&["EVAL", &source, "0"]) {
            Reply::Bulk(bytes) => Some(bytes),
            Reply::Error(_) => None,
            other => panic!("{source}: {other:?}"),
        };
        let here = self.here.eval(&source).ok().map(|bytes| bytes.to_vec());
        assert_eq!(here, there, "{source}");
        here
    }
}

/// A Lua string of these bytes.
fn quoted(bytes: &[u8]) -> String {
    let escaped: Vec<String> = bytes.iter().map(|byte| format!("\\{byte:03}")).collect();
    format!("'{}'", escaped.concat())
}

fn numbers() -> impl Strategy<Value = String> {
    let whole = prop_oneof![
        any::<i8>().prop_map(i64::from),
        any::<i16>().prop_map(i64::from),
        any::<i32>().prop_map(i64::from),
        -9_007_199_254_740_992..=9_007_199_254_740_992_i64,
        any::<i64>(),
        any::<u32>().prop_map(i64::from),
    ];
    let near = (any::<bool>(), 0..64_u32, -2..=2_i64).prop_map(|(negative, bits, off)| {
        let sign = if negative { '-' } else { ' ' };
        format!("({sign}2^{bits} + {off})")
    });
    prop_oneof![
        whole.prop_map(|number| format!("({number})")),
        near,
        (any::<i32>(), 1..1000_i32).prop_map(|(a, b)| format!("({a} / {b})")),
        (any::<i16>(), -300..300_i32).prop_map(|(a, b)| format!("({a}e{b})")),
        Just("(-0)".to_owned()),
        Just("(1/0)".to_owned()),
    ]
}

fn strings() -> impl Strategy<Value = String> {
    let bytes = proptest::collection::vec(any::<u8>(), 0..40);
    let long = (
        any::<u8>(),
        prop_oneof![Just(255), Just(256), Just(65535), Just(65536)],
    );
    prop_oneof![
        9 => bytes.prop_map(|bytes| quoted(&bytes)),
        1 => long.prop_map(|(byte, len): (u8, usize)| format!("({}):rep({len})", quoted(&[byte]))),
    ]
}

/// Values, including nested tables. A map has one entry, since the order of several is undefined.
fn values() -> impl Strategy<Value = String> {
    let leaves = prop_oneof![
        4 => numbers(),
        4 => strings(),
        1 => Just("nil".to_owned()),
        1 => Just("true".to_owned()),
        1 => Just("false".to_owned()),
    ];
    leaves.prop_recursive(6, 60, 20, |inner| {
        let map =
            (strings(), inner.clone()).prop_map(|(key, value)| format!("{{[{key}] = {value}}}"));
        let list = proptest::collection::vec(inner, 0..20);
        prop_oneof![3 => list.prop_map(|items| format!("{{{}}}", items.join(", "))), 1 => map]
    })
}

fn hold(strategy: &impl Strategy<Value = String>) {
    let mut both = Both::new();
    let mut runner = TestRunner::default();
    for _ in 0..CASES {
        let source = strategy.new_tree(&mut runner).unwrap().current();
        both.run(&source);
    }
}

#[test]
fn values_are_packed_to_the_same_bytes() {
    let values = proptest::collection::vec(values(), 1..4);
    hold(&values.prop_map(|values| format!("cmsgpack.pack({})", values.join(", "))));
}

#[test]
fn packed_values_are_unpacked_alike() {
    let values = proptest::collection::vec(values(), 1..4);
    hold(&values.prop_map(|values| {
        let packed = format!("cmsgpack.pack({})", values.join(", "));
        format!("all(cmsgpack.unpack({packed}))")
    }));
}

#[test]
fn any_bytes_are_unpacked_alike_or_refused() {
    let bytes = proptest::collection::vec(any::<u8>(), 0..12);
    // If a key is nil or not a number, Lua's own error differs from that of the library.
    hold(&bytes.prop_map(|bytes| format!("all(cmsgpack.unpack({}))", quoted(&bytes))));
}

#[test]
fn integers_and_texts_are_packed_to_the_same_bytes() {
    let time = 0..36_028_797_018_963_968_i64;
    let sums = (any::<i32>(), time.clone())
        .prop_map(|(value, time)| format!("struct.pack('>i4I7', {value}, {time})"));
    let words = (-9_007_199_254_740_992..=9_007_199_254_740_992_i64)
        .prop_map(|number| format!("struct.pack('>Bi7i8', 127, {number}, {number})"));
    let entries = (time.clone(), strings())
        .prop_map(|(time, name)| format!("struct.pack('>BI7c0', 128, {time}, {name})"));
    let ids = (0..281_474_976_710_656_i64).prop_map(|time| format!("struct.pack('>I6', {time})"));
    hold(&prop_oneof![sums, words, entries, ids]);
}

#[test]
fn bytes_are_unpacked_to_the_same_integers() {
    let formats = ["i4I7", "i8I7", "I6", "i4i4I7", "Bi7", "i1I2I3i5"];
    let bytes = proptest::collection::vec(any::<u8>(), 10..24);
    hold(&(0..formats.len(), bytes).prop_map(move |(place, bytes)| {
        let (format, bytes) = (formats[place], quoted(&bytes));
        format!("all(struct.unpack('>{format}', {bytes}))")
    }));
}
