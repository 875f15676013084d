-- Where the profiles of each kind are: 'INCARNATION SHARDS SERVERS'. Those of a kind that was deleted are among the
-- ended ones, as 'INCARNATION SHARDS SERVERS KIND' since the moment when it was. A later kind of the name gets another
-- incarnation.

register('profiles_place', {'no-writes'}, function(keys, args)
    return 'R' .. (call('HGET', keys[1], args[1]) or '')
end)

-- Places the profiles of a kind, or answers where they are.
register('place_profiles', {}, function(keys, args)
    local kinds, placed = unpack(keys)
    local deadline, kind, place, acks = unpack(args)
    if is_late(deadline) then return 'ELATE' end
    if not (call('HGET', kinds, kind) or ''):match('^%d+ %x+ ') then return 'ESTALE' end
    local held = call('HGET', placed, kind)
    -- Written as it was: replicas that have this know the place, whichever server wrote it.
    if not held or acks == '1' then call('HSET', placed, kind, held or place) end
    return 'R' .. (held or place)
end)

-- The ended ones, the oldest first.
register('ended_profiles', {'no-writes'}, function(keys, args)
    return 'R' .. cmsgpack.pack(call('ZRANGEBYSCORE', keys[1], '-inf', '+inf', 'LIMIT', 0, args[1]))
end)

-- Forgets some that ended `kept` ms ago or earlier. Writes that had begun before are late by then.
register('forget_profiles', {'allow-oom'}, function(keys, args)
    local deadline, kept, ended = unpack(args)
    if is_late(deadline) then return 'ELATE' end
    local since = tonumber(call('ZSCORE', keys[1], ended) or math.huge)
    if since + kept <= node_ms() then call('ZREM', keys[1], ended) end
    return 'R'
end)
