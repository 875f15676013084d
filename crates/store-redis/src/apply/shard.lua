-- What every call that changes a shard begins and ends with.
--
-- keys: the shard's meta, its two generations of ids, then scores and rank of each window, and of a kind with dense
-- ranks the values of each window.

-- Values that one command is given at most: Lua's stack has room for some 8,000. A call has fewer items
-- than that, but a removal may name any number of windows.
local CHUNK = 4000

-- Places in what `enter` reads of the shard's meta, and where versions of windows begin behind them.
local WRITTEN, DROPPED, DEAD, FROZEN, GENERATIONS, CALLS, SETTINGS, VERSIONS = 1, 2, 3, 4, 5, 6, 7, 7

-- Begins a call. Answers what to say at once: what was said when it came before, or why it is
-- refused. Where it may go on, it answers false, and then what the shard's meta says of it and of the
-- versions asked for, the node's clock, and the calls remembered.
local function enter(keys, deadline, session, seq, activity, versions)
    local meta = call('HMGET', keys[1], 'w', 'd', 'x', 'f', 'g', 'c', 'a', unpack(versions, 1, math.min(CHUNK, #versions)))
    for first = CHUNK + 1, #versions, CHUNK do
        local more = call('HMGET', keys[1], unpack(versions, first, math.min(first + CHUNK - 1, #versions)))
        for i, version in ipairs(more) do meta[VERSIONS + first + i - 1] = version end
    end
    local calls = meta[CALLS] and cmsgpack.unpack(meta[CALLS]) or {}
    local last = calls[session]
    if last and last[1] > seq then return 'EOLD' end
    if last and last[1] == seq then
        -- Said again it is written again: replicas that have this have what it speaks of.
        call('HSET', keys[1], 'w', meta[WRITTEN])
        return 'R' .. last[3]
    end
    if meta[DEAD] then return 'EDEAD' end
    local ms = node_ms()
    if meta[FROZEN] then
        -- One that ended by itself may have ended the board: the caller asks the registry.
        return ms < tonumber(meta[FROZEN]:match('%d+$')) and 'EFROZEN' or 'ETHAW'
    end
    local refusal = meta[SETTINGS] and settings_refusal(meta[SETTINGS], activity)
    if refusal then return refusal end
    local late = lateness(deadline, ms)
    if late then return late end
    return false, meta, ms, calls
end

-- Ends a call that changed something: notes it with its answer, the latest `now` that wrote, and
-- further fields of meta.
local function leave(keys, meta, ms, calls, session, seq, now, notes, answer)
    for other, last in pairs(calls) do
        if last[2] < ms - REMEMBERED_MS then calls[other] = nil end
    end
    calls[session] = {seq, ms, answer}
    local written = meta[WRITTEN]
    if written and tonumber(written) > now then now = tonumber(written) end
    for first = 1, #notes, CHUNK do
        call('HSET', keys[1], unpack(notes, first, math.min(first + CHUNK - 1, #notes)))
    end
    call('HSET', keys[1], 'w', digits(now), 'c', cmsgpack.pack(calls))
    return 'R' .. answer
end

-- What came of a call, in few bytes: how many ids the shard remembers, 0 where the call has none; and, if there is
-- anything of it, the windows that it opened, what was not applied, what is reported, and lists that may lack members.
local function answer_of(ids, opened, refused, reports, short)
    if #short > 0 then return cmsgpack.pack(ids, opened, refused, reports, short) end
    if #opened + #refused + #reports > 0 then return cmsgpack.pack(ids, opened, refused, reports) end
    return ids > 0 and cmsgpack.pack(ids) or ''
end

-- The version of a window after so many more changes.
local function next_version(version, changes, session, seq)
    local counter = version and tonumber(version:match('^%d+')) or 0
    return string.format('%.0f %s %.0f', counter + changes, session, seq)
end

-- Which windows have been dropped, by their places; false where none has been.
local function dropped_of(latest_starts, periods, starts)
    local latest, dropped, any = {}, {}, false
    for start in latest_starts:gmatch('%S+') do
        latest[#latest + 1] = tonumber(start) or false
    end
    for place, period in ipairs(periods) do
        local last = latest[period]
        if last and starts[place] <= last then
            dropped[place], any = true, true
        end
    end
    return any and dropped
end

-- Values that are written at once. Groups leave what a set and a hash have in common in the processor's
-- cache from one command to the next.
local GROUP = 64

local function in_groups(command, key, values)
    for first = 1, #values, GROUP do
        call(command, key, unpack(values, first, math.min(first + GROUP - 1, #values)))
    end
end

-- Writes what changed of one window: scores and entries of the sorted set that are put, entries that are
-- gone (false for a score that has none), standings that are kept, members that left; of a packed window, whose
-- entries are names, just those that are put and those that are taken off. What is new comes
-- before what is gone in a key with a time to live, which it would lose if nothing were left in between; in
-- any other behind it, so that a small set is not for a moment too large for a listpack, and none for good.
-- `found` says that the window held members.
local function write_window(scores, rank, ttl, found, change)
    local put, kept, gone = change.put, change.kept, change.gone
    if not kept then
        in_groups('ZADD', rank, put)
        in_groups('ZREM', rank, change.off)
        if ttl > 0 and not found then call('PEXPIRE', rank, digits(ttl), 'NX') end
        return
    end
    for first = 1, #put, GROUP do
        local last = math.min(first + GROUP - 1, #put)
        local left, n = {}, 0
        for place = (first + 1) / 2, last / 2 do
            if gone[place] then n, left[n + 1] = n + 1, gone[place] end
        end
        if n > 0 and ttl == 0 then call('ZREM', rank, unpack(left)) end
        call('ZADD', rank, unpack(put, first, last))
        if n > 0 and ttl ~= 0 then call('ZREM', rank, unpack(left)) end
        call('HSET', scores, unpack(kept, first, last))
    end
    in_groups('ZREM', rank, change.off)
    in_groups('HDEL', scores, change.left)
    if ttl > 0 and not found then
        call('PEXPIRE', rank, digits(ttl), 'NX')
        call('PEXPIRE', scores, digits(ttl), 'NX')
    end
end
