-- The distinct values of a window, for dense ranks: one sorted set of them, beside that of the entries. A value is a
-- score and the words of the other fields; its member there is those words and the digits of the score, so that the
-- set has the order of the entries. How many have a value is counted among the entries.

-- Bytes of the words of all fields but the first.
local function value_width(rules)
    return 8 * (rules.n - 1)
end

-- The value of a standing: its score, and the other words.
local function value_of(rules, standing)
    local score, entry = rank_key(rules, standing, '')
    return digits(score), entry:sub(1, value_width(rules))
end

-- How many entries have a value.
local function holders_of(rank, rules, score, words)
    local width = value_width(rules)
    if width == 0 then return call('ZCOUNT', rank, score, score) end
    local through = count_above(rank, score, words, false, width)
    return through - count_above(rank, score, words, true, width)
end

-- The values that no entry had before what a look is to write, as ZADD takes them, and those that none has behind it.
-- A value that one had already may be among the first.
local function value_changes(look, rules, rank)
    local moves, order = {}, {}
    local function move(standing, by)
        if not standing then return end
        local score, words = value_of(rules, standing)
        local value = words .. score
        if not moves[value] then
            moves[value] = {score = score, words = words, by = 0}
            order[#order + 1] = value
        end
        moves[value].by = moves[value].by + by
    end
    for _, member in ipairs(look.wanted) do
        local was, is = look.was[member], look.is[member]
        if was ~= is then
            move(was, -1)
            move(is, 1)
        end
    end
    local put, off = {}, {}
    for _, value in ipairs(order) do
        local moved = moves[value]
        if moved.by > 0 then
            put[#put + 1], put[#put + 2] = moved.score, value
        elseif moved.by < 0 and holders_of(rank, rules, moved.score, moved.words) + moved.by == 0 then
            off[#off + 1] = value
        end
    end
    return put, off
end

-- Writes them. The set has an entry as long as that of the entries does, and with it its time to live.
local function write_values(values, ttl, found, put, off)
    in_groups('ZADD', values, put)
    in_groups('ZREM', values, off)
    if ttl > 0 and not found and #put > 0 then call('PEXPIRE', values, digits(ttl), 'NX') end
end
