-- The sweep on one shard: looking, dropping windows, emptying, freezing, tombstones. And what a change of a board's
-- time does on one.
--
-- A freeze is the field `f`, 'TOKEN UNTIL': until then nothing is applied. One that ended without being taken
-- back keeps writers out until they have asked the registry whether the board is still there (`thaw`).
--
-- The field `a` is the time of the board, as in its record, if it was changed since the board was created: writers and
-- readers that have seen another one are refused. While a change is being decided the shard is frozen, and `a` is '?',
-- which keeps readers out, too: who thaws the shard asks the registry what was decided.

-- The windows of a shard, by name; or with another letter those of which meta says that.
local function named_windows(fields, letter)
    local windows, prefix = {}, (letter or 'v') .. ':'
    for _, field in ipairs(fields) do
        if field:sub(1, 2) == prefix then windows[#windows + 1] = field:sub(3) end
    end
    return windows
end

-- What a shard holds, in few words: w, g, the members ranked in the window without bounds, all windows, and
-- those whose lists are to be refilled.
register('survey', {'no-writes'}, function(keys)
    local fields = call('HKEYS', keys[1])
    local held = call('HMGET', keys[1], 'x', 'w', 'g')
    if held[1] then return 'EDEAD' end
    local ranked = call('ZCARD', keys[2])
    local short = named_windows(fields, 's')
    return 'R' .. cmsgpack.pack{held[2] or '', held[3] or '', ranked, named_windows(fields), short}
end)

-- Drops windows, and closes them and what began before them by the watermark `dropped`, 'HOUR DAY WEEK MONTH ...',
-- as far as it says anything.
register('drop', {'allow-oom'}, function(keys, args)
    local meta = keys[1]
    if call('HEXISTS', meta, 'x') == 1 then return 'EDEAD' end
    if is_late(args[1]) then return 'ELATE' end
    local held = call('HGET', meta, 'd') or ''
    local starts, i = {}, 0
    for start in held:gmatch('%S+') do starts[#starts + 1] = start end
    for start in args[2]:gmatch('%S+') do
        i = i + 1
        local latest = tonumber(starts[i] or '-')
        if start ~= '-' and (not latest or latest < tonumber(start)) then starts[i] = start end
        starts[i] = starts[i] or '-'
    end
    for arg = 3, #args do call('HDEL', meta, 'v:' .. args[arg], 'b:' .. args[arg], 's:' .. args[arg]) end
    call('HSET', meta, 'd', table.concat(starts, ' '))
    if #keys > 1 then call('UNLINK', unpack(keys, 2)) end
    return 'R'
end)

-- By how much a time to live may be off: a small part of what keys stay beyond their window's retention. What is
-- within that is not written again: each write goes to replicas and logs.
local RENEW_MARGIN_MS = 3600000

-- Gives the keys of windows, three of each, so many milliseconds to live; 0: they stay.
register('renew', {'allow-oom'}, function(keys, args)
    if is_late(args[1]) then return 'ELATE' end
    for i, key in ipairs(keys) do
        local ttl = tonumber(args[1 + math.ceil(i / 3)])
        -- -1: it stays; -2: there is no such key.
        local left = call('PTTL', key)
        if ttl == 0 then
            if left >= 0 then call('PERSIST', key) end
        elseif left == -1 or (left >= 0 and math.abs(left - ttl) > RENEW_MARGIN_MS) then
            call('PEXPIRE', key, digits(ttl))
        end
    end
    return 'R'
end)

-- Empties the window without bounds of an idle board, unless something was written past `bound`. Its version
-- goes on by as many members as it had.
register('empty', {'allow-oom'}, function(keys, args)
    local meta, scores, rank, values = unpack(keys)
    local deadline, bound, caller = unpack(args)
    local held = call('HMGET', meta, 'x', 'w', 'v:all')
    if held[1] then return 'EDEAD' end
    if is_late(deadline) then return 'ELATE' end
    if held[2] and tonumber(held[2]) > tonumber(bound) then return 'R' end
    -- A packed window has no scores, a list not all of its order.
    local gone = math.max(call('HLEN', scores), call('ZCARD', rank))
    if held[3] and gone > 0 then
        local counter = tonumber(held[3]:match('^%d+')) + gone
        call('HSET', meta, 'v:all', digits(counter) .. ' ' .. caller)
    end
    call('UNLINK', scores, rank, values)
    call('HDEL', meta, 'b:all', 's:all')
    return 'R'
end)

-- Whether a shard is frozen by another than this token.
local function is_frozen(freeze, token, now)
    local other, ends = (freeze or ''):match('^(%S+) (%d+)$')
    return other and other ~= token and tonumber(ends) > now
end

-- Freezes a shard that holds nothing: no window (of an idle board, but for that without bounds, empty), and ids
-- as they were seen. Or one that holds anything, if nothing was written past `bound`.
register('freeze', {'allow-oom'}, function(keys, args)
    local meta, rank = unpack(keys)
    local deadline, token, span, ids, idle, bound = unpack(args)
    local held = call('HMGET', meta, 'x', 'f', 'g', 'a', 'w')
    if held[1] then return 'EDEAD' end
    if is_late(deadline) then return 'ELATE' end
    local now = node_ms()
    if is_frozen(held[2], token, now) then return 'EFROZEN' end
    if held[4] == UNDECIDED then return 'ETHAW' end
    if bound ~= '' then
        if held[5] and tonumber(held[5]) > tonumber(bound) then return 'EKEPT' end
    else
        if (held[3] or '') ~= ids then return 'EKEPT' end
        for _, window in ipairs(named_windows(call('HKEYS', meta))) do
            local spent = idle == '1' and window == 'all' and call('ZCARD', rank) == 0
            if not spent then return 'EKEPT' end
        end
    end
    call('HSET', meta, 'f', token .. ' ' .. digits(now + span))
    return 'R'
end)

-- Freezes a shard while a change of the board's time is decided.
register('hold', {'allow-oom'}, function(keys, args)
    local meta = keys[1]
    local deadline, token, span = unpack(args)
    local held = call('HMGET', meta, 'x', 'f')
    if held[1] then return 'EDEAD' end
    if is_late(deadline) then return 'ELATE' end
    local now = node_ms()
    if is_frozen(held[2], token, now) then return 'EFROZEN' end
    call('HSET', meta, 'f', token .. ' ' .. digits(now + span), 'a', UNDECIDED)
    return 'R'
end)

-- The freeze of a shard that ended by itself, as text, if it has one.
register('freeze_of', {'no-writes'}, function(keys)
    local freeze = call('HGET', keys[1], 'f') or ''
    return 'R' .. (is_frozen(freeze, nil, node_ms()) and '' or freeze)
end)

-- Takes a freeze back: the one of this token, or one that ended by itself, given by its text. The time of the board,
-- where it was being decided, is the one given.
register('thaw', {'allow-oom'}, function(keys, args)
    local deadline, token, activity = unpack(args)
    if is_late(deadline) then return 'ELATE' end
    local meta = call('HMGET', keys[1], 'f', 'a')
    local freeze = meta[1] or ''
    local held, ends = freeze:match('^(%S+) (%d+)$')
    local is_it = held == token or (freeze == token and (not ends or tonumber(ends) <= node_ms()))
    if not is_it then return 'R' end
    if held then call('HDEL', keys[1], 'f') end
    if meta[2] == UNDECIDED and activity then call('HSET', keys[1], 'a', activity) end
    return 'R'
end)

-- Ends a shard for good. Windows whose keys were not given are answered, and called for again: the shard is dead
-- all the same.
register('tombstone', {'allow-oom'}, function(keys, args)
    local meta = keys[1]
    if is_late(args[1]) then return 'ELATE' end
    local given = {}
    for arg = 3, #args do given[args[arg]] = true end
    local left = {}
    for _, window in ipairs(named_windows(call('HKEYS', meta))) do
        if not given[window] then left[#left + 1] = window end
    end
    call('UNLINK', unpack(keys))
    call('HSET', meta, 'x', '1')
    for _, window in ipairs(left) do call('HSET', meta, 'v:' .. window, '0 - 0') end
    call('PEXPIRE', meta, args[2])
    return 'R' .. cmsgpack.pack(left)
end)
