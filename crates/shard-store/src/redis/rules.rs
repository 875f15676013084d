//! A kind's rules as functions are told them.

use board::{Direction, Mode, Op, Rules, Ties};
use bytes::Bytes;

/// Mode, ties, then order and op of each field, a letter each: `aeds`. `standings.lua` reads it.
pub(super) fn spec(rules: &Rules) -> Bytes {
    let mode = match rules.mode() {
        Mode::Accumulate => b'a',
        Mode::Best => b'b',
        Mode::Latest => b'l',
    };
    let ties = match rules.ties() {
        Ties::Earliest => b'e',
        Ties::Latest => b'l',
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
    [mode, ties].into_iter().chain(fields).collect()
}
