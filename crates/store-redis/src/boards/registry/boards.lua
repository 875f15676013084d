-- Boards: settings, creation, lists.

-- 'c' and the record of a created board, 'u' and one of a board with settings only, or nothing.
register('board', {'no-writes'}, function(keys, args)
    local kinds, boards, settled = unpack(keys)
    local kind, subject = unpack(args)
    local record = call('HGET', boards, subject)
    if record then return 'Rc' .. record end
    local incarnation, shards, at, activity = settings_of(settled, subject)
    if not incarnation then return 'R' end
    -- It is a board of what its kind has become.
    local meaning = (call('HGET', kinds, kind) or ''):match('^%d+ (%x+) ')
    if not meaning then return 'R' end
    return 'Ru' .. record_text{
        incarnation = incarnation, shards = shards, meaning = meaning, at = at, touched = at, servers = '-',
        emptying = '-', activity = activity,
    }
end)

-- Created boards by subject, with subjects between these bounds: subject, record, subject, record ...
register('boards', {'no-writes'}, function(keys, args)
    local boards, subjects = unpack(keys)
    local from, to, limit = unpack(args)
    local found = {}
    for _, subject in ipairs(call('ZRANGEBYLEX', subjects, from, to, 'LIMIT', 0, limit)) do
        found[#found + 1] = subject
        found[#found + 1] = call('HGET', boards, subject)
    end
    return 'R' .. cmsgpack.pack(found)
end)

-- Creates a board's record, or one of its settings, or answers the one that is there, as 'DUE c RECORD'. Settings
-- that bound the board's time are taken by who has seen them (`seen`, their incarnation), and answered as '- u RECORD'
-- to others. A record that is there is not written, unless replicas are to confirm it (`acks`).
register('create_board', {}, function(keys, args)
    local kinds, boards, subjects, settled, due, key = unpack(keys)
    local deadline, number, kind, revision, name, subject, incarnation, shards, servers, now, first_due, seen, acks =
        unpack(args)
    local answer = remembered(key, number)
    if answer then return answer end
    local late = lateness(deadline)
    if late then return late end
    local meaning = meaning_at(kinds, kind, revision)
    if not meaning then return 'ESTALE' end
    local held, text = record_of(boards, subject)
    if held then
        local due_next = next_due(due, name)
        -- Written as it was: replicas that have this have the record, whichever server created it.
        if acks == '1' then call('HSET', boards, subject, text) end
        return 'R' .. due_next .. ' c ' .. text
    end
    local settled_incarnation, settled_shards, at, activity = settings_of(settled, subject)
    activity = activity or '-'
    if activity ~= '-' and settled_incarnation ~= seen then
        return 'R- u ' .. record_text{
            incarnation = settled_incarnation, shards = settled_shards, meaning = meaning, at = at, touched = at,
            servers = '-', emptying = '-', activity = activity,
        }
    end
    if settled_incarnation then call('HDEL', settled, subject) end
    local record = record_text{
        incarnation = settled_incarnation or incarnation, shards = settled_shards or shards, meaning = meaning,
        at = at or now, touched = now, servers = servers, emptying = '-', activity = activity,
    }
    local idle = idle_of(activity)
    local goes = expires_at(activity) or idle and tonumber(now) + idle
    first_due = digits(math.min(tonumber(first_due), goes or math.huge))
    call('HSET', boards, subject, record)
    call('ZADD', subjects, 0, subject)
    call('ZADD', due, first_due, name)
    return remember(key, number, 'R' .. first_due .. ' c ' .. record)
end)

-- Changes the time of a created board, from the one that the caller has seen. All its shards are held meanwhile.
register('change_activity', {}, function(keys, args)
    local boards, due, key = unpack(keys)
    local deadline, number, name, subject, incarnation, seen, activity = unpack(args)
    local answer = remembered(key, number)
    if answer then return answer end
    local late = lateness(deadline)
    if late then return late end
    local record = record_of(boards, subject)
    if not record or record.incarnation ~= incarnation then return 'EDEAD' end
    if record.activity ~= seen then return 'ECHANGED' end
    record.activity = activity
    local text = record_text(record)
    call('HSET', boards, subject, text)
    local idle = idle_of(activity)
    local goes = expires_at(activity) or idle and node_ms() + idle
    if goes then
        -- A sweep that is about it may not have seen when it goes: it is due again when its claim ends.
        local held = math.floor(tonumber(call('ZSCORE', due, name) or goes))
        call('ZADD', due, 'LT', digits(math.min(held, goes)), name)
    end
    return remember(key, number, 'Rc' .. text)
end)

-- Keeps settings of a board that is not created yet.
register('put_settings', {}, function(keys, args)
    local kinds, boards, settled, due, key = unpack(keys)
    local deadline, number, kind, revision, name, subject, incarnation, shards, now, first_due, activity = unpack(args)
    local answer = remembered(key, number)
    if answer then return answer end
    local late = lateness(deadline)
    if late then return late end
    local meaning = meaning_at(kinds, kind, revision)
    if not meaning then return 'ESTALE' end
    if call('HEXISTS', boards, subject) == 1 then return 'ECREATED' end
    call('HSET', settled, subject, incarnation .. ' ' .. shards .. ' ' .. now .. ' ' .. activity)
    call('ZADD', due, first_due, name)
    return remember(key, number, 'Ru' .. record_text{
        incarnation = incarnation, shards = shards, meaning = meaning, at = now, touched = now, servers = '-',
        emptying = '-', activity = activity,
    })
end)
