-- Standings and the rank keys that follow from them, as Redis keeps them.
--
-- Rules are passed as a text: mode (a accumulate, b best, l latest), ties (e earliest, l latest, m
-- member, n member with the lower better), then for each field its order (d, a) and its op (s sum, x max, n min, l last). Packed rules go on
-- with ':BITS:UNIT:MOST' (`packed.lua`).
--
-- A standing is a table {v1, t1, v2, t2, ...}, in modes best and latest {v1, ..., vn, t}. The time of a
-- sum is doubled, plus 1 once a delta other than 0 was seen. NULL is a field that was never named.

local NULL = -9007199254740992
local SHORT = 2147483648

local known_rules, known_rules_count = {}, 0

-- The rules of a text, kept at hand.
local function rules_of(spec)
    local rules = known_rules[spec]
    if rules then return rules end
    rules = {mode = spec:sub(1, 1), ties = spec:sub(2, 2), fields = {}}
    local letters, packed = spec:match('^(%a+)(.*)$')
    for at = 3, #letters, 2 do
        rules.fields[#rules.fields + 1] = {asc = spec:sub(at, at) == 'a', op = spec:sub(at + 1, at + 1)}
    end
    local n = #rules.fields
    rules.n = n
    rules.accumulates = rules.mode == 'a'
    rules.by_member = rules.ties == 'm' or rules.ties == 'n'
    -- Bytes of a rank key before the member.
    rules.prefix = 8 * (n - 1 + (rules.by_member and 0 or 1))
    if packed ~= '' then rules.packed, rules.prefix = packing_of(rules, packed), 0 end
    local short, long
    if rules.accumulates then
        short, long = ('i4I7'):rep(n), ('i8I7'):rep(n)
        rules.short_len = 11 * n
    else
        short, long = ('i4'):rep(n) .. 'I7', ('i8'):rep(n) .. 'I7'
        rules.short_len = 4 * n + 7
    end
    rules.short, rules.long = '>' .. short, '>' .. long
    if known_rules_count == 1000 then known_rules, known_rules_count = {}, 0 end
    known_rules[spec] = rules
    known_rules_count = known_rules_count + 1
    return rules
end

-- The standing that was kept as these bytes.
local function standing_of(rules, bytes)
    local standing = {struct.unpack(#bytes == rules.short_len and rules.short or rules.long, bytes)}
    -- What unpack answers last is where it stopped.
    standing[#standing] = nil
    return standing
end

-- Whether these bytes are as long as a standing is.
local function is_standing(spec, bytes)
    local fields = (#spec - 2) / 2
    local times = 7 * (spec:sub(1, 1) == 'a' and fields or 1)
    return #bytes == times + 4 * fields or #bytes == times + 8 * fields
end

local function value_place(rules, field)
    return rules.accumulates and 2 * field - 1 or field
end

local function bytes_of(rules, standing)
    local form = rules.short
    for field = 1, rules.n do
        local value = standing[value_place(rules, field)]
        if value >= SHORT or value < -SHORT then form = rules.long end
    end
    return struct.pack(form, unpack(standing))
end

-- Eight bytes that compare as the number does: its own in two's complement, the sign turned round.
local function word(number)
    return struct.pack('>Bi7', number < 0 and 127 or 128, number)
end

local NULL_WORD = ('\0'):rep(8)

-- Where the lower member is better, an entry has each byte of the name complemented, and an end above all of
-- them: no name has a byte 0.
local complements

local function complement(bytes)
    if not complements then
        complements = {}
        for byte = 0, 255 do complements[string.char(byte)] = string.char(255 - byte) end
    end
    return (bytes:gsub('.', complements))
end

-- A name as entries have it behind the words.
local function ranked_name(ties, name)
    return ties == 'n' and complement(name) .. '\255' or name
end

-- The name in an entry, '' where there is none.
local function name_in(rules, entry)
    local name = entry:sub(rules.prefix + 1)
    return rules.ties == 'n' and complement(name:sub(1, -2)) or name
end

-- When a standing was reached.
local function reached_at(rules, standing)
    if not rules.accumulates then return standing[rules.n + 1] end
    local latest
    for field = 1, rules.n do
        if standing[2 * field - 1] ~= NULL then
            local time = standing[2 * field]
            if rules.fields[field].op == 's' then time = math.floor(time / 2) end
            if not latest or time > latest then latest = time end
        end
    end
    return latest or 0
end

-- The score and the member of the sorted set that stand for a standing.
local function rank_key(rules, standing, member)
    local first = standing[1]
    -- Never -0, which would be another text.
    if rules.fields[1].asc and first ~= NULL and first ~= 0 then first = -first end
    local words = ''
    for field = 2, rules.n do
        local value = standing[value_place(rules, field)]
        if value == NULL then
            words = words .. NULL_WORD
        else
            words = words .. word(rules.fields[field].asc and -value or value)
        end
    end
    if rules.ties == 'e' then
        words = words .. word(-1 - reached_at(rules, standing))
    elseif rules.ties == 'l' then
        words = words .. word(reached_at(rules, standing))
    end
    return first, words .. ranked_name(rules.ties, member)
end

-- A number as Redis reads it: every digit.
local function digits(number)
    return string.format('%.0f', number)
end
