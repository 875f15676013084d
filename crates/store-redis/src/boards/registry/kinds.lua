-- Kinds.

register('kinds', {'no-writes'}, function(keys)
    return 'R' .. cmsgpack.pack(call('HGETALL', keys[1]))
end)

register('kind', {'no-writes'}, function(keys, args)
    return 'R' .. (call('HGET', keys[1], args[1]) or '')
end)

-- Writes a kind's text, or that of a deleted kind, whose settings of boards not yet created are deleted with it, and
-- whose profiles end.
-- Returns the text that it replaces.
register('write_kind', {}, function(keys, args)
    local kinds, subjects, settled, key, placed, ended = unpack(keys)
    local deadline, number, name, expected, text, alone, deleted, kinds_max = unpack(args)
    local answer = remembered(key, number)
    if answer then return answer end
    local late = lateness(deadline)
    if late then return late end
    local before = call('HGET', kinds, name)
    local revision = before and before:match('^%d+') or '0'
    if revision ~= expected then return 'ESTALE' end
    if not before and call('HLEN', kinds) >= tonumber(kinds_max) then return 'ETOOMANY' end
    if alone == '1' and call('ZCARD', subjects) > 0 then return 'EHASBOARDS' end
    local profiles = deleted == '1' and call('HGET', placed, name)
    call('HSET', kinds, name, text)
    if deleted == '1' then call('UNLINK', settled) end
    if profiles then
        call('HDEL', placed, name)
        call('ZADD', ended, digits(node_ms()), profiles .. ' ' .. name)
    end
    return remember(key, number, 'R' .. (before or ''))
end)

-- Makes the next boards of a kind due at once; answers the last of them, '' at the end.
register('make_due', {}, function(keys, args)
    local subjects, due = unpack(keys)
    local deadline, after, kind, limit = unpack(args)
    if is_late(deadline) then return 'ELATE' end
    local from = after == '' and '-' or '(' .. after
    local page = call('ZRANGEBYLEX', subjects, from, '+', 'LIMIT', 0, limit)
    if #page == 0 then return 'R' end
    local pairs_of = {}
    for i, subject in ipairs(page) do
        pairs_of[2 * i - 1] = 0
        pairs_of[2 * i] = kind .. '/' .. subject
    end
    call('ZADD', due, unpack(pairs_of))
    return 'R' .. page[#page]
end)
