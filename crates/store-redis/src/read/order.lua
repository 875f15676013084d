-- Where a cut lies in the order of a sorted set.
--
-- The order is that of ZREVRANGE: by score, then by the bytes of the members. Lua compares strings by
-- the locale of the server, so members are compared here, byte by byte.

-- Whether a is above b; where they are equal, unless it is to be strictly above.
local function is_above(a, b, strict)
    if a == b then return not strict end
    local byte = string.byte
    for at = 1, math.min(#a, #b) do
        local own, other = byte(a, at), byte(b, at)
        if own ~= other then return own > other end
    end
    return #a > #b
end

-- How many members are better than the cut at this score: those of a greater score, and those of the
-- same score that are above `rest`. With `width` only so many bytes of them are looked at. Answers also how many
-- have a greater score, where that was counted.
local function count_above(rank, score, rest, strict, width)
    if rest == '' then return call('ZCOUNT', rank, strict and '(' .. score or score, '+inf') end
    local greater = call('ZCOUNT', rank, '(' .. score, '+inf')
    local low, high = greater, call('ZCOUNT', rank, score, '+inf')
    while low < high do
        local middle = math.floor((low + high) / 2)
        local member = call('ZREVRANGE', rank, middle, middle)[1]
        if width then member = member:sub(1, width) end
        if is_above(member, rest, strict) then low = middle + 1 else high = middle end
    end
    return low, greater
end
