-- Packed standings: one number is score and standing at once, beside the member's bare name.
--
-- The upper bits are the value, the lower ones the time, in units from the window's base on; each is turned
-- round where less of it is better. A double holds all 53 of them exactly. A sum that is not 0 has moved.

-- How a packed standing is laid out, by the end of a text of rules.
local function packing_of(rules, text)
    local bits, unit, most = text:match('^:(%d+):(%d+):(%d+)$')
    return {
        units = 2 ^ bits,
        values = 2 ^ (53 - bits),
        unit = tonumber(unit),
        most = tonumber(most),
        sums = rules.accumulates and rules.fields[1].op == 's',
        asc = rules.fields[1].asc,
        earliest = rules.ties == 'e',
    }
end

local function is_packed(score)
    return score >= 0 and score < 9007199254740992 and score % 1 == 0
end

-- The value and the time (of a sum doubled, as a standing has it) of a packed score.
local function unpacked(packed, score, base)
    if not is_packed(score) then error('no packed score: ' .. tostring(score)) end
    local lower = score % packed.units
    local value = (score - lower) / packed.units
    if packed.asc then value = packed.values - 1 - value end
    if packed.earliest then lower = packed.units - 1 - lower end
    local time = base + lower * packed.unit
    if packed.sums then time = 2 * time + (value ~= 0 and 1 or 0) end
    return value, time
end

-- The packed score of a value and a time.
local function packed_score(packed, value, time, base)
    if packed.sums then time = (time - time % 2) / 2 end
    local lower = (time - base) / packed.unit
    if packed.asc then value = packed.values - 1 - value end
    if packed.earliest then lower = packed.units - 1 - lower end
    return value * packed.units + lower
end

-- The least score of those that have the same value as this one.
local function least_alike(packed, score)
    return score - score % packed.units
end
