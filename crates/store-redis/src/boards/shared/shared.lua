-- Merged boards that servers share, and which servers are active.
--
-- A shared board is a hash: board (its bytes), version, began (when the lease it was merged under was
-- given), lease (its token) and until (its end). Times are of the node's clock, which may step: what is
-- of a time to come is as if not there.

-- args: deadline, token of a lease, known version or '', age_max in ms, length of a lease in ms
register('take', {}, function(keys, args)
    local token, known, age_max, lease_ms = args[2], args[3], tonumber(args[4]), tonumber(args[5])
    local held = call('HMGET', keys[1], 'version', 'began', 'lease', 'until')
    local version, began, lease, lease_end = held[1], tonumber(held[2]), held[3], tonumber(held[4])
    local now = node_ms()
    if version and began and began <= now then
        -- Both times are rounded down to milliseconds: it may be this old.
        local age = now - began + 1
        if age < age_max then
            if version == known then return 'R' .. cmsgpack.pack({'unchanged', age}) end
            return 'R' .. cmsgpack.pack({'board', age, call('HGET', keys[1], 'board')})
        end
    end
    if lease and lease ~= token and lease_end > now and lease_end <= now + lease_ms then
        return 'R' .. cmsgpack.pack({'wait', lease_end - now})
    end
    if is_late(args[1]) then return 'ELATE' end
    local left = call('PTTL', keys[1])
    call('HSET', keys[1], 'lease', token, 'until', digits(now + lease_ms))
    if left < lease_ms then call('PEXPIRE', keys[1], lease_ms) end
    return 'R' .. cmsgpack.pack({'merge', now, version or ''})
end)

-- args: deadline, token of the lease, when it was given, ms to keep, what, version, bytes
-- what: board; same (what is published has not changed); nothing
register('publish', {}, function(keys, args)
    local token, began, kept, what, version = args[2], tonumber(args[3]), args[4], args[5], args[6]
    if is_late(args[1]) then return 'ELATE' end
    local held = call('HMGET', keys[1], 'version', 'began', 'lease')
    if held[3] == token then call('HDEL', keys[1], 'lease', 'until') end
    if what == 'nothing' then return 'R' end
    local held_began = tonumber(held[2])
    if held_began and held_began >= began and held_began <= node_ms() then return 'R' end
    if what == 'board' then
        call('HSET', keys[1], 'version', version, 'began', digits(began), 'board', args[7])
    elseif held[1] == version then
        call('HSET', keys[1], 'began', digits(began))
    else
        return 'R'
    end
    call('PEXPIRE', keys[1], kept)
    return 'R'
end)

-- args: deadline, session, ms until a server that does not say so is no longer about
register('present', {}, function(keys, args)
    local now, span = node_ms(), tonumber(args[3])
    if is_late(args[1]) then return 'ELATE' end
    local about = call('ZCOUNT', keys[1], '(' .. digits(now - span), digits(now))
    local since = tonumber(call('ZSCORE', keys[1], args[2]) or now + 1)
    if since <= now - span or since > now then about = about + 1 end
    call('ZREMRANGEBYSCORE', keys[1], '-inf', digits(now - span))
    call('ZREMRANGEBYSCORE', keys[1], '(' .. digits(now), '+inf')
    call('ZADD', keys[1], digits(now), args[2])
    call('PEXPIRE', keys[1], args[3])
    return 'R' .. cmsgpack.pack(about)
end)

-- args: deadline, session
register('absent', {}, function(keys, args)
    call('ZREM', keys[1], args[2])
    return 'R'
end)
