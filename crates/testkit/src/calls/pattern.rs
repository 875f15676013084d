//! What a body is compared with: [`matches()`].

use serde_json::Value;

use super::scope::Scope;

/// Compares a value with a pattern. Objects may have further members, arrays not, unless `"$more"`
/// is the last element of the pattern, and in any order after `"$unordered"`. Texts that start with
/// `$` stand for values:
///
/// - `$any`: any value; `$none`: the member is absent;
/// - `$name`: this variable, which is set to the value if it has none; `$not name`: another value;
///   `$like name`: an object with the members of this variable, but for `as_of`;
/// - `$count 3`: so many elements; `$has text`, `$lacks text`: a text that
///   contains this, or does not;
/// - `$from a to b`: a text or number not below `a` and not above `b`.
pub(super) fn matches(
    pattern: &Value,
    value: Option<&Value>,
    scope: &mut Scope,
) -> Result<(), String> {
    if pattern == "$none" {
        return value.map_or(Ok(()), |value| Err(format!("{value} should be absent")));
    }
    let Some(value) = value else {
        return Err(format!("absent instead of {pattern}"));
    };
    match (pattern, value) {
        (Value::Object(members), Value::Object(values)) => {
            for (name, pattern) in members {
                matches(pattern, values.get(name), scope)
                    .map_err(|error| format!("{name}: {error}"))?;
            }
            Ok(())
        }
        (Value::Array(patterns), Value::Array(values))
            if patterns.first().is_some_and(|it| it == "$unordered") =>
        {
            let mut left: Vec<&Value> = values.iter().collect();
            for pattern in &patterns[1..] {
                let found = left
                    .iter()
                    .position(|value| matches(pattern, Some(value), scope).is_ok());
                left.remove(found.ok_or_else(|| format!("no element is {pattern}"))?);
            }
            left.first()
                .map_or(Ok(()), |more| Err(format!("{more} was not expected")))
        }
        (Value::Array(patterns), Value::Array(values)) => {
            let (has_more, patterns) = match patterns.split_last() {
                Some((last, first)) if last == "$more" => (true, first),
                _ => (false, &patterns[..]),
            };
            if values.len() < patterns.len() || !has_more && values.len() != patterns.len() {
                return Err(format!(
                    "{} elements instead of {}",
                    values.len(),
                    patterns.len()
                ));
            }
            let mut pairs = patterns.iter().zip(values).enumerate();
            pairs.try_for_each(|(index, (pattern, value))| {
                matches(pattern, Some(value), scope).map_err(|error| format!("[{index}]: {error}"))
            })
        }
        (Value::String(text), value) if text.starts_with('$') => special(&text[1..], value, scope),
        (pattern, value) => {
            let same = pattern == value
                || (pattern.is_f64() || value.is_f64()) && pattern.as_f64() == value.as_f64();
            same.then_some(())
                .ok_or_else(|| format!("{value} instead of {pattern}"))
        }
    }
}

fn special(text: &str, value: &Value, scope: &mut Scope) -> Result<(), String> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let holds = match word {
        "any" => true,
        "not" => scope.get(rest).is_some_and(|other| other != value),
        "like" => {
            let other = scope.get(rest).and_then(Value::as_object);
            other.is_some_and(|other| {
                let mut members = other.iter().filter(|(name, _)| *name != "as_of");
                members.all(|(name, member)| value.get(name) == Some(member))
            })
        }
        "count" => value
            .as_array()
            .is_some_and(|values| values.len().to_string() == rest),
        "lacks" => value.as_str().is_some_and(|text| !text.contains(rest)),
        "has" => value.as_str().is_some_and(|text| text.contains(rest)),
        "from" => {
            let (least, most) = rest.split_once(" to ").expect("`$from a to b`");
            match value.as_f64() {
                Some(number) => (least.parse().unwrap()..=most.parse().unwrap()).contains(&number),
                None => value
                    .as_str()
                    .is_some_and(|text| least <= text && text <= most),
            }
        }
        name => {
            let Some(known) = scope.get(name) else {
                scope.set(name, value.clone());
                return Ok(());
            };
            known == value
        }
    };
    holds
        .then_some(())
        .ok_or_else(|| format!("{value} instead of ${text}, which is {:?}", scope.get(word)))
}
