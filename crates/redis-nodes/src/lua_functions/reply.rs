//! Converts replies into values of Redis's Lua: [`to_lua`], for those of RESP3.

use mlua::{Lua, Result, Value};

use super::command::Command;
use crate::redis_link::Reply;

/// Converts a reply into what a function sees: as in Redis, where functions get replies of RESP2.
/// Null is `false`, maps and lists of pairs are flat, a double is its text.
pub(crate) fn to_lua(lua: &Lua, command: &Command, reply: &Reply) -> Result<Value> {
    match reply {
        Reply::Array { data, .. } if command.is_range() => range(lua, data, command.wants_scores()),
        reply => plain(lua, reply),
    }
}

/// Members followed by their scores, or without.
fn range(lua: &Lua, entries: &[Reply], with_scores: bool) -> Result<Value> {
    let flat = lua.create_table()?;
    for entry in entries {
        let Reply::Array { data, .. } = entry else {
            return Err(mlua::Error::runtime("an entry is not a pair"));
        };
        let wanted = if with_scores { 2 } else { 1 };
        for part in data.iter().take(wanted) {
            flat.raw_push(plain(lua, part)?)?;
        }
    }
    Ok(Value::Table(flat))
}

fn plain(lua: &Lua, reply: &Reply) -> Result<Value> {
    Ok(match reply {
        Reply::Null => Value::Boolean(false),
        Reply::BlobString { data, .. } | Reply::VerbatimString { data, .. } => {
            Value::String(lua.create_string(data)?)
        }
        Reply::SimpleString { data, .. } => {
            let status = lua.create_table()?;
            status.raw_set("ok", lua.create_string(data)?)?;
            Value::Table(status)
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "numbers in Redis's Lua are doubles, too"
        )]
        Reply::Number { data, .. } => Value::Number(*data as f64),
        Reply::Double { data, .. } => Value::String(lua.create_string(number_text(*data))?),
        Reply::Array { data, .. } => list(lua, data.iter())?,
        Reply::Set { data, .. } => list(lua, data.iter())?,
        Reply::Map { data, .. } => list(lua, data.iter().flat_map(|(key, value)| [key, value]))?,
        _ => return Err(mlua::Error::runtime("unsupported type of reply")),
    })
}

fn list<'a>(lua: &Lua, items: impl Iterator<Item = &'a Reply>) -> Result<Value> {
    let list = lua.create_table()?;
    for (place, item) in items.enumerate() {
        list.raw_seti(place + 1, plain(lua, item)?)?;
    }
    Ok(Value::Table(list))
}

/// Returns a number as an argument of a command: with every digit, and without a fraction if it has
/// none.
pub(crate) fn number_text(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    // Integral numbers are shown without a point, others by the shortest text that is read as the
    // same number.
    number.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_every_digit() {
        for (number, text) in [
            (-0.0, "0"),
            (9_007_199_254_740_991.0, "9007199254740991"),
            (-9_007_199_254_740_992.0, "-9007199254740992"),
            (2_500.994_707_057_989, "2500.994707057989"),
            (1.5, "1.5"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(number_text(number), text);
        }
    }
}
