-- What is due: boards of which something is past its time, or may be, not yet found.

-- Takes boards that are due until `now`, and claims them: they are due again at `claim`, unless a server says
-- otherwise. `claim` is no whole number: no other time is like it.
register('take_due', {'allow-oom'}, function(keys, args)
    local due, key = unpack(keys)
    local deadline, number, now, claim, limit = unpack(args)
    local answer = remembered(key, number)
    if answer then return answer end
    local late = lateness(deadline)
    if late then return late end
    local names = call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, limit)
    if #names == 0 then return 'R' .. cmsgpack.pack(names) end
    local claims = {}
    for i, name in ipairs(names) do
        claims[2 * i - 1] = claim
        claims[2 * i] = name
    end
    call('ZADD', due, unpack(claims))
    return remember(key, number, 'R' .. cmsgpack.pack(names))
end)

-- Says when boards that were claimed are due next, '-' for never. One that another server made due meanwhile
-- stays so.
register('set_due', {'allow-oom'}, function(keys, args)
    if is_late(args[1]) then return 'ELATE' end
    local claim, claimed = tonumber(args[2]), {}
    for i = 3, #args, 2 do
        claimed[i] = tonumber(call('ZSCORE', keys[1], args[i]) or 0) == claim
    end
    for i = 3, #args, 2 do
        local name, next_due = args[i], args[i + 1]
        if claimed[i] and next_due == '-' then
            call('ZREM', keys[1], name)
        elseif claimed[i] then
            call('ZADD', keys[1], next_due, name)
        end
    end
    return 'R'
end)
