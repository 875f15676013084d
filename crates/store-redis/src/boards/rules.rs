//! A kind's rules as functions receive them.

use board::{Direction, Mode, NameOrder, Op, Rules, Ties};
use bytes::Bytes;

/// Returns mode, ties, then order and op of each field, one letter each: `aeds`. For packed rules
/// the bits of a time, its unit in microseconds and the largest value follow:
/// `aeds:33:1000000:1000000`. `standings.lua` reads it.
pub(crate) fn spec(rules: &Rules) -> Bytes {
    let mode = match rules.mode() {
        Mode::Accumulate => b'a',
        Mode::Best => b'b',
        Mode::Latest => b'l',
    };
    let ties = match rules.ties() {
        Ties::Earliest => b'e',
        Ties::Latest => b'l',
        Ties::Member if rules.name_order() == NameOrder::Lower => b'n',
        Ties::Member => b'm',
    };
    let fields = rules.fields().iter().flat_map(|field| {
        let order = match field.order {
            Direction::Desc => b'd',
            Direction::Asc => b'a',
        };
        let op = match field.op {
            Op::Sum => b's',
            Op::Max => b'x',
            Op::Min => b'n',
            Op::Last => b'l',
        };
        [order, op]
    });
    let packed = rules.packing().map_or_else(String::new, |packing| {
        let (bits, unit, most) = (packing.time_bits(), packing.unit_us(), packing.max);
        format!(":{bits}:{unit}:{most}")
    });
    let letters = [mode, ties].into_iter().chain(fields);
    letters.chain(packed.into_bytes()).collect()
}
