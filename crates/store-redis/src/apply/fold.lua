-- How a contribution changes a standing: as `Rules::fold` and `Rules::outright` of the crate `board` say.

-- The greatest magnitude of a value.
local VALUE_MAX = 9007199254740991

-- 1, 0 or -1 as a value of a field is better than another, as good or worse. None is null: attempts have all fields.
local function compare_values(field, a, b)
    if a == b then return 0 end
    if field.asc then a, b = b, a end
    return a > b and 1 or -1
end

local function compare_fields(rules, a, b)
    for i, field in ipairs(rules.fields) do
        local order = compare_values(field, a[i], b[i])
        if order ~= 0 then return order end
    end
    return 0
end

-- The standing that is exactly these values, reached at that time.
local function outright(rules, values, at)
    local standing = {}
    if not rules.accumulates then
        for i = 1, rules.n do standing[i] = values[i] end
        standing[rules.n + 1] = at
        return standing
    end
    for i, field in ipairs(rules.fields) do
        local value, time = values[i], at
        if field.op == 's' then
            -- It counts as moved: a delta of 0 with an earlier time leaves it.
            value = value == NULL and 0 or value
            time = 2 * at + 1
            if rules.packed and value == 0 then time = 2 * at end
        elseif value == NULL then
            time = 0
        end
        standing[2 * i - 1], standing[2 * i] = value, time
    end
    return standing
end

-- The attempt, or what is held where that is at least as good.
local function attempt(rules, held, values, at)
    local new = outright(rules, values, at)
    if not held then return new end
    local since = held[rules.n + 1]
    local order = compare_fields(rules, new, held)
    local replaces
    if rules.mode == 'b' then
        replaces = order > 0 or order == 0 and since > at
    else
        replaces = at > since or at == since and order > 0
    end
    return replaces and new or held
end

-- Whether a value for a max, min or last field replaces the one held.
local function replaces(field, held, since, value, at)
    if held == NULL then return true end
    if field.op == 'l' then
        return at > since or at == since and compare_values(field, value, held) > 0
    end
    if value == held then return since > at end
    return (value > held) == (field.op == 'x')
end

-- The sum and its time; no sum where it leaves its range.
local function add(held, since, delta, at)
    local sum = held + delta
    if sum > VALUE_MAX or sum < -VALUE_MAX then return end
    return sum, sum_time(since, delta == 0 and 2 * at or 2 * at + 1)
end

-- The standing after one contribution to what was held; nothing where a sum would leave its range.
local function fold(rules, held, values, at)
    if not rules.accumulates then return attempt(rules, held, values, at) end
    local standing = {}
    for i, field in ipairs(rules.fields) do
        local value, time, given = NULL, 0, values[i]
        if held then
            value, time = held[2 * i - 1], held[2 * i]
        elseif field.op == 's' then
            value, time = 0, 2 * at
        end
        if field.op == 's' then
            value, time = add(value, time, given == NULL and 0 or given, at)
            if not value then return end
            if rules.packed then
                if value < 0 or value > rules.packed.most then return end
                time = time - time % 2 + (value == 0 and 0 or 1)
            end
        elseif given ~= NULL and replaces(field, value, time, given, at) then
            value, time = given, at
        end
        standing[2 * i - 1], standing[2 * i] = value, time
    end
    return standing
end
