//! `struct`, as Redis provides it to Lua: the formats that our functions use, with the same bytes.
//!
//! A format is `>`, for big-endian, and then any number of `B` (a byte), `I` and `i` with 1 to 8
//! (an unsigned or signed integer of so many bytes), and `c0` (a whole string, only packed).

use mlua::{Error, Lua, MultiValue, Result, Table, Value};

/// Bytes of the longest integer.
const WIDTH_MAX: usize = 8;

/// One value of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Integer { width: usize, signed: bool },
    Text,
}

/// Returns the library of that name.
pub(crate) fn library(lua: &Lua) -> Result<Table> {
    let library = lua.create_table()?;
    let pack = lua.create_function(|lua, (format, values): (mlua::LuaString, MultiValue)| {
        let mut bytes = Vec::new();
        let mut values = values.iter();
        for part in parts(&format.as_bytes())? {
            let value = values
                .next()
                .ok_or_else(|| Error::runtime("too few values"))?;
            write(lua, &mut bytes, part, value)?;
        }
        lua.create_string(bytes)
    })?;
    library.raw_set("pack", pack)?;
    let unpack = lua.create_function(|_, (format, text): (mlua::LuaString, mlua::LuaString)| {
        let bytes = text.as_bytes();
        let (mut at, mut values) = (0, Vec::new());
        for part in parts(&format.as_bytes())? {
            let Part::Integer { width, signed } = part else {
                return Err(Error::runtime("c0 cannot be unpacked"));
            };
            let taken = bytes.get(at..at + width);
            let taken = taken.ok_or_else(|| Error::runtime("data string too short"))?;
            values.push(integer_of(taken, signed));
            at += width;
        }
        // The position at which it stopped, counted from 1.
        values.push(Value::Integer(
            i64::try_from(at + 1).map_err(Error::external)?,
        ));
        Ok(MultiValue::from(values))
    })?;
    library.raw_set("unpack", unpack)?;
    Ok(library)
}

fn parts(format: &[u8]) -> Result<Vec<Part>> {
    let unknown = || {
        let format = String::from_utf8_lossy(format);
        Error::runtime(format!("unknown format: {format}"))
    };
    let mut rest = format.strip_prefix(b">").ok_or_else(unknown)?;
    let mut parts = Vec::new();
    while let [sort, left @ ..] = rest {
        rest = left;
        parts.push(match sort {
            b'B' => Part::Integer {
                width: 1,
                signed: false,
            },
            b'I' | b'i' | b'c' => {
                let [digit, left @ ..] = rest else {
                    return Err(unknown());
                };
                rest = left;
                match (sort, usize::from(digit.wrapping_sub(b'0'))) {
                    (b'c', 0) => Part::Text,
                    (b'I' | b'i', width @ 1..=WIDTH_MAX) => {
                        let signed = *sort == b'i';
                        Part::Integer { width, signed }
                    }
                    _ => return Err(unknown()),
                }
            }
            _ => return Err(unknown()),
        });
    }
    Ok(parts)
}

fn write(lua: &Lua, bytes: &mut Vec<u8>, part: Part, value: &Value) -> Result<()> {
    match (part, value) {
        (Part::Integer { width, .. }, value) => {
            let number = lua.coerce_number(value.clone())?;
            let number = number.ok_or_else(|| Error::runtime("number expected"))?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "as in C, where only the lowest bytes are taken"
            )]
            let word = if number < 0.0 {
                number as i64 as u64
            } else {
                number as u64
            };
            bytes.extend_from_slice(&word.to_be_bytes()[WIDTH_MAX - width..]);
        }
        (Part::Text, Value::String(text)) => bytes.extend_from_slice(&text.as_bytes()),
        (Part::Text, _) => return Err(Error::runtime("string expected")),
    }
    Ok(())
}

fn integer_of(bytes: &[u8], signed: bool) -> Value {
    let negative = signed && bytes.first().is_some_and(|first| *first >= 0x80);
    let mut word = [if negative { 0xff } else { 0 }; WIDTH_MAX];
    word[WIDTH_MAX - bytes.len()..].copy_from_slice(bytes);
    if signed {
        return Value::Integer(i64::from_be_bytes(word));
    }
    #[expect(clippy::cast_precision_loss, reason = "numbers of Lua are doubles")]
    Value::Number(u64::from_be_bytes(word) as f64)
}
