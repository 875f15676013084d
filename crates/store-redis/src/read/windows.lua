-- Which windows a shard holds, in two calls: names of keys are the caller's to make.

-- KEYS: meta. ARGV: the board's time, as the caller has seen it, if it matters. Answers the names of the windows that
-- ever took something in and were not dropped.
register('windows', {'no-writes'}, function(keys, args)
    local names = {}
    local held = args[1] and call('HMGET', keys[1], 'x', 'a', 'f')
    if held and not held[1] and held[2] then
        local refusal = settings_refusal(held[2], args[1], held[3])
        if refusal then return refusal end
    end
    for _, field in ipairs(call('HKEYS', keys[1])) do
        if field == 'x' then return 'EDEAD' end
        if field:sub(1, 2) == 'v:' then names[#names + 1] = field:sub(3) end
    end
    return 'R' .. cmsgpack.pack(names)
end)

-- KEYS: sorted sets. Answers how many members each has.
register('count', {'no-writes'}, function(keys)
    local counts = {}
    for place, rank in ipairs(keys) do counts[place] = call('ZCARD', rank) end
    return 'R' .. cmsgpack.pack(counts)
end)
