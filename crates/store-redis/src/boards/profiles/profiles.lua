-- Profiles of members: hashes of members and texts, in the slots of their shards.

-- args: for each key how many members, and they. Answers their profiles in order, '' where there is none.
register('profiles', {'no-writes'}, function(keys, args)
    local found, at = {}, 1
    for _, key in ipairs(keys) do
        local last = at + args[at]
        local held = call('HMGET', key, unpack(args, at + 1, last))
        for i = 1, last - at do found[#found + 1] = held[i] or '' end
        at = last + 1
    end
    return 'R' .. cmsgpack.pack(found)
end)

-- args: deadline, for each key how many changes, and of each its member and its profile, '' to delete that
local function change_profiles(keys, args)
    if is_late(args[1]) then return 'ELATE' end
    local at = 2
    for _, key in ipairs(keys) do
        local last = at + 2 * args[at]
        for i = at + 1, last, 2 do
            if args[i + 1] == '' then
                call('HDEL', key, args[i])
            else
                call('HSET', key, args[i], args[i + 1])
            end
        end
        at = last + 1
    end
    return 'R'
end

register('put_profiles', {}, change_profiles)

-- The same without profiles that are put: also where there is no memory.
register('delete_profiles', {'allow-oom'}, change_profiles)

-- args: deadline
register('drop_profiles', {'allow-oom'}, function(keys, args)
    if is_late(args[1]) then return 'ELATE' end
    call('UNLINK', keys[1])
    return 'R'
end)
