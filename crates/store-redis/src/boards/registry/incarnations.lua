-- Incarnations of boards: which are current, when they were written to, and how they end.

-- What an incarnation is: 'DUE c RECORD', or 'DUE u INCARNATION' of a board with settings only. DUE is '-' while
-- unknown.
register('incarnation', {'no-writes'}, function(keys, args)
    local boards, settled, due = unpack(keys)
    local name, subject, incarnation = unpack(args)
    local record, text = record_of(boards, subject)
    if record and record.incarnation == incarnation then return 'R' .. next_due(due, name) .. ' c ' .. text end
    if not record and settings_of(settled, subject) == incarnation then
        return 'R' .. next_due(due, name) .. ' u ' .. incarnation
    end
    return 'EDEAD'
end)

-- A board is about to be written to (`now`), or has something that is due earlier (`due_at`); '-' where it
-- is not so. Greatest and least: as often as one likes.
register('touch', {}, function(keys, args)
    local boards, due = unpack(keys)
    local deadline, name, subject, incarnation, now, due_at = unpack(args)
    if is_late(deadline) then return 'ELATE' end
    local record = record_of(boards, subject)
    if not record or record.incarnation ~= incarnation then return 'EDEAD' end
    local due_next = due_at == '-' and next_due(due, name)
    if now ~= '-' then
        if record.emptying ~= '-' then return 'EEMPTYING ' .. record.emptying end
        if tonumber(record.touched) < tonumber(now) then
            record.touched = now
            call('HSET', boards, subject, record_text(record))
        end
    end
    if due_at ~= '-' then
        -- A sweep that is about it may not have seen what is due: it is due again when its claim ends.
        local held = math.floor(tonumber(call('ZSCORE', due, name) or due_at))
        due_next = digits(math.min(held, tonumber(due_at)))
        call('ZADD', due, 'LT', due_next, name)
    end
    return 'R' .. due_next .. ' c ' .. record_text(record)
end)

-- Decides that an idle board is emptied of what was written until `bound`, unless it was touched since it was
-- found idle. From here on it is not touched before it is empty on all shards.
register('begin_emptying', {'allow-oom'}, function(keys, args)
    local deadline, subject, incarnation, touched, bound = unpack(args)
    if is_late(deadline) then return 'ELATE' end
    local record = record_of(keys[1], subject)
    if not record or record.incarnation ~= incarnation then return 'EDEAD' end
    if record.touched ~= touched then return 'ETOUCHED' end
    record.emptying = bound
    call('HSET', keys[1], subject, record_text(record))
    return 'R'
end)

-- It is empty on all shards.
register('end_emptying', {'allow-oom'}, function(keys, args)
    local deadline, subject, incarnation, bound = unpack(args)
    if is_late(deadline) then return 'ELATE' end
    local record = record_of(keys[1], subject)
    if record and record.incarnation == incarnation and record.emptying == bound then
        record.emptying = '-'
        call('HSET', keys[1], subject, record_text(record))
    end
    return 'R'
end)

-- Ends an incarnation, whichever is current (`incarnation` '-') or this one if it was not touched, and its time is
-- what the caller has `seen` ('' for any). What is needed to put its tombstones stays in `dying` until they are there.
-- Its name keeps the settings `after` until `after_due`, '-' for none. Answers as `board` does.
register('delete_board', {'allow-oom'}, function(keys, args)
    local boards, subjects, settled, due, dying, key = unpack(keys)
    local deadline, number, name, subject, incarnation, touched, after, after_due, seen = unpack(args)
    local answer = remembered(key, number)
    if answer then return answer end
    local late = lateness(deadline)
    if late then return late end
    local record, text = record_of(boards, subject)
    local settled_incarnation
    if record then
        if incarnation ~= '-' and record.incarnation ~= incarnation then return 'ENOTTHERE' end
        if touched ~= '-' and record.touched ~= touched then return 'ETOUCHED' end
        if seen and seen ~= '' and record.activity ~= seen then return 'ETOUCHED' end
    else
        settled_incarnation = settings_of(settled, subject)
        if not settled_incarnation or (incarnation ~= '-' and settled_incarnation ~= incarnation) then
            return 'ENOTTHERE'
        end
    end
    if record then
        call('HDEL', boards, subject)
        call('ZREM', subjects, subject)
        call('HSET', dying, record.incarnation, text .. ' ' .. name)
    end
    if after ~= '-' then
        call('HSET', settled, subject, after)
        call('ZADD', due, after_due, name)
    else
        if settled_incarnation then call('HDEL', settled, subject) end
        call('ZREM', due, name)
    end
    return remember(key, number, record and 'Rc' .. text or 'Ru' .. settled_incarnation)
end)

-- Its tombstones are there.
register('deleted', {'allow-oom'}, function(keys, args)
    if is_late(args[1]) then return 'ELATE' end
    call('HDEL', keys[1], args[2])
    return 'R'
end)

-- Whether the tombstones of an incarnation may be missing.
register('is_dying', {'no-writes'}, function(keys, args)
    return 'R' .. call('HEXISTS', keys[1], args[1])
end)

-- Some of the incarnations whose tombstones may be missing: the next cursor, and 'RECORD KIND/SUBJECT' of each.
register('dying', {'no-writes'}, function(keys, args)
    local found = call('HSCAN', keys[1], args[1], 'COUNT', args[2])
    local texts = {found[1]}
    for i = 2, #found[2], 2 do texts[#texts + 1] = found[2][i] end
    return 'R' .. cmsgpack.pack(texts)
end)
