//! A library of functions that count, and calls to them.

use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, sleep};

use crate::{
    Call, CallError, Effect, FunctionLibrary, FunctionReply, Location, Nodes, OpenError,
    RedisSettings, slot_of,
};

/// `count` adds 1, once for each name of a call; `slow` adds 1 after some work; `see` returns the
/// count; `say` returns its last argument; `both` reads two keys; `breaks` fails after a write;
/// `frozen` refuses while its key exists; `left` returns how much time it has.
const FUNCTIONS: &str = "
local function register(name, flags, callback)
    redis.register_function{function_name = 'megaboard_' .. name .. '_@DIGEST@', flags = flags, callback = callback}
end
register('ping', {'no-writes'}, function() return 'R' end)
register('test_count', {}, function(keys, args)
    local known = redis.call('HGET', keys[1], args[2])
    if known then return 'R' .. known end
    local time = redis.call('TIME')
    if time[1] * 1000 + math.floor(time[2] / 1000) > tonumber(args[1]) then return 'ELATE' end
    local n = redis.call('HINCRBY', keys[1], 'n', 1)
    redis.call('HSET', keys[1], args[2], n)
    return 'R' .. n
end)
register('test_slow', {}, function(keys, args)
    local time = redis.call('TIME')
    if time[1] * 1000 + math.floor(time[2] / 1000) > tonumber(args[1]) then return 'ELATE' end
    for _ = 1, 5000000 do end
    return 'R' .. redis.call('HINCRBY', keys[1], 'n', 1)
end)
register('test_see', {'no-writes'}, function(keys)
    return 'R' .. (redis.call('HGET', keys[1], 'n') or '0')
end)
register('test_say', {'no-writes'}, function(keys, args) return args[#args] end)
register('test_both', {'no-writes'}, function(keys)
    return 'R' .. redis.call('EXISTS', keys[1], keys[2])
end)
register('test_breaks', {}, function(keys)
    redis.call('SET', keys[1], 'x')
    redis.call('HGET', keys[1], 'y')
end)
register('test_frozen', {'no-writes'}, function(keys)
    if redis.call('EXISTS', keys[1]) == 1 then return 'EFROZEN' end
    return 'R'
end)
register('test_left', {}, function(keys, args)
    local time = redis.call('TIME')
    return 'R' .. string.format('%.0f', args[1] - time[1] * 1000 - math.floor(time[2] / 1000))
end)
";

/// Long enough for a failover, on a busy machine.
pub(super) const DEADLINE: Duration = Duration::from_secs(30);

/// Polls until the condition holds.
pub(super) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !is_so().await {
        assert!(Instant::now() < end, "{what}: not within {DEADLINE:?}");
        sleep(Duration::from_millis(5)).await;
    }
}

fn library() -> &'static FunctionLibrary {
    static LIBRARY: LazyLock<FunctionLibrary> =
        LazyLock::new(|| FunctionLibrary::new("megaboard", &[FUNCTIONS]));
    &LIBRARY
}

pub(super) async fn open(url: &str) -> Nodes {
    open_with(url, &RedisSettings::default()).await.unwrap()
}

pub(super) async fn open_with(url: &str, settings: &RedisSettings) -> Result<Nodes, OpenError> {
    Nodes::open(&url.parse().unwrap(), settings, library()).await
}

/// Returns why a store cannot be opened.
pub(super) async fn refusal(url: &str, settings: &RedisSettings) -> String {
    let until = Instant::now() + Duration::from_millis(500);
    let opened = Nodes::open_until(&url.parse().unwrap(), settings, library(), until).await;
    opened.expect_err("it is refused").to_string()
}

/// The location of a key that has no braces, or of its braces.
pub(super) fn location_of(key: &str) -> Location {
    let tag = key.split(['{', '}']).nth(1).unwrap_or(key);
    Location {
        slot: slot_of(tag.as_bytes()),
        server: None,
    }
}

fn call(function: &'static str, effect: Effect, keys: &[&str], args: &[&str]) -> Call {
    let own = |texts: &[&str]| -> Vec<Bytes> {
        let texts = texts.iter();
        texts
            .map(|text| Bytes::copy_from_slice(text.as_bytes()))
            .collect()
    };
    let until = Instant::now() + DEADLINE;
    Call {
        waits_until: Some(until),
        ..Call::new(function, effect, own(keys), own(args), until)
    }
}

/// Adds 1 to a key, once for each name.
pub(super) fn count(key: &str, name: &str) -> Call {
    call("test_count", Effect::Write, &[key], &[name])
}

/// Adds 1 to a key after some hundredths of a second.
pub(super) fn slow(key: &str) -> Call {
    call("test_slow", Effect::Write, &[key], &[])
}

pub(super) fn see(key: &str) -> Call {
    call("test_see", Effect::Read, &[key], &[])
}

pub(super) fn say(text: &str) -> Call {
    call("test_say", Effect::Read, &[], &[text])
}

/// As [`say`], of a call that writes.
pub(super) fn refuse(text: &str) -> Call {
    call("test_say", Effect::Write, &[], &[text])
}

pub(super) fn both(one: &str, other: &str) -> Call {
    call("test_both", Effect::Read, &[one, other], &[])
}

pub(super) fn breaks(key: &str) -> Call {
    call("test_breaks", Effect::Write, &[key], &[])
}

pub(super) fn frozen(key: &str) -> Call {
    call("test_frozen", Effect::Read, &[key], &[])
}

/// Returns the milliseconds until its deadline.
pub(super) fn time_left(key: &str) -> Call {
    call("test_left", Effect::Write, &[key], &[])
}

/// A function that no library has.
pub(super) fn missing() -> Call {
    call("test_missing", Effect::Read, &[], &[])
}

pub(super) fn ping() -> Call {
    call("ping", Effect::Read, &[], &[])
}

impl Call {
    pub(super) fn within(mut self, time: Duration) -> Self {
        self.until = Instant::now() + time;
        self.waits_until = Some(self.until);
        self
    }

    /// Waits for an unavailable node only as long as calls do by default.
    pub(super) const fn briefly(mut self) -> Self {
        self.waits_until = None;
        self
    }
}

/// Makes a call at the location of its first key.
pub(super) async fn make(servers: &Nodes, call: &Call) -> Result<String, CallError> {
    let answer = answer(servers, call).await?;
    Ok(String::from_utf8(answer.payload.to_vec()).unwrap())
}

pub(super) async fn answer(servers: &Nodes, call: &Call) -> Result<FunctionReply, CallError> {
    let key = call.keys.first();
    let key = key.map(|key| String::from_utf8(key.to_vec()).unwrap());
    servers
        .call(location_of(&key.unwrap_or_default()), call)
        .await
}
