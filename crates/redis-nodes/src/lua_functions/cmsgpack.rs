//! `cmsgpack`, as Redis provides it to Lua: the same bytes.
//!
//! An integral number is an integer, any other a float if that loses nothing. A table whose keys
//! are 1 to n is a list, any other a map; a table that is nested too deeply is nil.

use mlua::{Error, Lua, MultiValue, Result, Table, Value};
use rmp::{Marker, decode, encode};

/// The maximum nesting of tables. Deeper ones are packed as nil, and rejected when they are
/// unpacked.
const NESTING_MAX: usize = 16;

/// 2^63: this and greater numbers are not 64-bit integers.
const INTEGER_END: f64 = 9_223_372_036_854_775_808.0;

/// Returns the library of that name.
pub(crate) fn library(lua: &Lua) -> Result<Table> {
    let library = lua.create_table()?;
    let pack = lua.create_function(|lua, values: MultiValue| {
        let mut bytes = Vec::new();
        for value in &values {
            write(&mut bytes, value, 0)?;
        }
        lua.create_string(bytes)
    })?;
    library.raw_set("pack", pack)?;
    let unpack = lua.create_function(|lua, text: mlua::LuaString| {
        let bytes = text.as_bytes();
        let mut rest: &[u8] = &bytes;
        let mut values = Vec::new();
        while !rest.is_empty() {
            values.push(read(lua, &mut rest, 0)?);
        }
        Ok(MultiValue::from(values))
    })?;
    library.raw_set("unpack", unpack)?;
    Ok(library)
}

fn write(bytes: &mut Vec<u8>, value: &Value, depth: usize) -> Result<()> {
    match value {
        Value::Boolean(value) => encode::write_bool(bytes, *value).map_err(Error::external),
        Value::Integer(number) => write_integer(bytes, *number),
        Value::Number(number) => write_number(bytes, *number),
        Value::String(text) => {
            encode::write_str_len(bytes, len_of(text.as_bytes().len())?)
                .map_err(Error::external)?;
            bytes.extend_from_slice(&text.as_bytes());
            Ok(())
        }
        Value::Table(table) if depth < NESTING_MAX => write_table(bytes, table, depth),
        _ => encode::write_nil(bytes).map_err(Error::external),
    }
}

fn write_integer(bytes: &mut Vec<u8>, number: i64) -> Result<()> {
    let written = encode::write_sint(bytes, number);
    written.map(drop).map_err(Error::external)
}

fn write_number(bytes: &mut Vec<u8>, number: f64) -> Result<()> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "that is what is looked for"
    )]
    let (whole, short) = (number as i64, number as f32);
    #[expect(
        clippy::float_cmp,
        reason = "whether it is the very number is the question"
    )]
    if (-INTEGER_END..INTEGER_END).contains(&number) && number.trunc() == number {
        write_integer(bytes, whole)
    } else if f64::from(short) == number {
        encode::write_f32(bytes, short).map_err(Error::external)
    } else {
        encode::write_f64(bytes, number).map_err(Error::external)
    }
}

fn write_table(bytes: &mut Vec<u8>, table: &Table, depth: usize) -> Result<()> {
    if let Some(len) = list_len(table)? {
        encode::write_array_len(bytes, len_of(len)?).map_err(Error::external)?;
        for place in 1..=len {
            write(bytes, &table.raw_get(place)?, depth + 1)?;
        }
        return Ok(());
    }
    let len = table.pairs::<Value, Value>().count();
    encode::write_map_len(bytes, len_of(len)?).map_err(Error::external)?;
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair?;
        write(bytes, &key, depth + 1)?;
        write(bytes, &value, depth + 1)?;
    }
    Ok(())
}

/// Returns the length of a list; `None` if the table is not a list.
fn list_len(table: &Table) -> Result<Option<usize>> {
    let (mut count, mut greatest) = (0, 0);
    for pair in table.pairs::<Value, Value>() {
        let (Value::Integer(place), _) = pair? else {
            return Ok(None);
        };
        let Ok(place) = usize::try_from(place) else {
            return Ok(None);
        };
        if place == 0 {
            return Ok(None);
        }
        (count, greatest) = (count + 1, greatest.max(place));
    }
    Ok((count == greatest).then_some(count))
}

fn len_of(len: usize) -> Result<u32> {
    u32::try_from(len).map_err(|_| Error::runtime("too long to be packed"))
}

fn read(lua: &Lua, rest: &mut &[u8], depth: usize) -> Result<Value> {
    let marker = decode::read_marker(&mut &**rest).map_err(|_| missing())?;
    Ok(match marker {
        Marker::Null => {
            decode::read_nil(rest).map_err(|_| missing())?;
            Value::Nil
        }
        Marker::True | Marker::False => {
            Value::Boolean(decode::read_bool(rest).map_err(|_| missing())?)
        }
        // The Lua of Redis reads the bits as a signed integer.
        #[expect(clippy::cast_precision_loss, reason = "numbers of Lua are doubles")]
        Marker::U64 => {
            let bits = decode::read_u64(rest).map_err(|_| missing())?;
            Value::Number(bits.cast_signed() as f64)
        }
        Marker::F32 => Value::Number(decode::read_f32(rest).map_err(|_| missing())?.into()),
        Marker::F64 => Value::Number(decode::read_f64(rest).map_err(|_| missing())?),
        Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 => {
            let len = decode::read_str_len(rest).map_err(|_| missing())?;
            let (text, left) = rest.split_at_checked(len as usize).ok_or_else(missing)?;
            *rest = left;
            Value::String(lua.create_string(text)?)
        }
        Marker::FixArray(_) | Marker::Array16 | Marker::Array32 => {
            let len = decode::read_array_len(rest).map_err(|_| missing())?;
            Value::Table(read_list(lua, rest, len, deeper(depth)?)?)
        }
        Marker::FixMap(_) | Marker::Map16 | Marker::Map32 => {
            let len = decode::read_map_len(rest).map_err(|_| missing())?;
            Value::Table(read_map(lua, rest, len, deeper(depth)?)?)
        }
        Marker::Reserved
        | Marker::Bin8
        | Marker::Bin16
        | Marker::Bin32
        | Marker::FixExt1
        | Marker::FixExt2
        | Marker::FixExt4
        | Marker::FixExt8
        | Marker::FixExt16
        | Marker::Ext8
        | Marker::Ext16
        | Marker::Ext32 => return Err(Error::runtime("Bad data format in input.")),
        _ => Value::Integer(decode::read_int(rest).map_err(|_| missing())?),
    })
}

fn read_list(lua: &Lua, rest: &mut &[u8], len: u32, depth: usize) -> Result<Table> {
    let list = lua.create_table()?;
    for place in 1..=len {
        list.raw_set(place, read(lua, rest, depth)?)?;
    }
    Ok(list)
}

fn read_map(lua: &Lua, rest: &mut &[u8], len: u32, depth: usize) -> Result<Table> {
    let map = lua.create_table()?;
    for _ in 0..len {
        let key = read(lua, rest, depth)?;
        map.raw_set(key, read(lua, rest, depth)?)?;
    }
    Ok(map)
}

fn missing() -> Error {
    Error::runtime("Missing bytes in input.")
}

fn deeper(depth: usize) -> Result<usize> {
    if depth == NESTING_MAX {
        return Err(Error::runtime("Tables are nested too deep in input."));
    }
    Ok(depth + 1)
}
