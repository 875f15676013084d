-- The ids that a shard remembers, each for one dedupe span from when it was applied.
--
-- Two generations of one span each: an id is looked for in both, noted in the younger, and the elder
-- goes whole when the younger has come of age. Each entry has its own time, so that an id counts for
-- exactly the span. Times are the callers' `now`, 6 bytes each. Meta says which generation is the
-- younger and when it began.

-- Beyond twice the span, which is how long an entry may stay: clocks differ.
local IDS_LINGER_MS = 60000

local function generations_of(text)
    local which, began = text:match('^(%d) (%d+)$')
    return tonumber(which), tonumber(began)
end

-- How many ids are remembered with these, where none of them counts and all fit into the younger generation as it is;
-- false otherwise.
local function count_with_new(keys, text, packed)
    local ids, _, least, greatest, span, most = cmsgpack.unpack(packed)
    if not text then return false end
    local _, began = generations_of(text)
    if least < began or greatest >= began + span then return false end
    local count = call('HLEN', keys[2]) + call('HLEN', keys[3]) + #ids
    if count > most then return false end
    for generation = 2, 3 do
        local noted = call('HMGET', keys[generation], unpack(ids))
        for i = 1, #ids do
            if noted[i] and least < struct.unpack('>I6', noted[i]) + span then return false end
        end
    end
    return count
end

local function note_new_ids(keys, text, packed)
    local _, notes, _, _, span = cmsgpack.unpack(packed)
    local key = keys[2 + generations_of(text)]
    call('HSET', key, unpack(notes))
    call('PEXPIRE', key, digits(2 * span + IDS_LINGER_MS))
end

local function new_generation(place)
    return {place = place, times = {}, notes = {}, count = 0, anew = true}
end

local function generation_at(keys, place, ids)
    local generation = new_generation(place)
    generation.anew = false
    generation.count = call('HLEN', keys[2 + place])
    if generation.count > 0 then
        local noted = call('HMGET', keys[2 + place], unpack(ids))
        for i, id in ipairs(ids) do
            if noted[i] then generation.times[id] = struct.unpack('>I6', noted[i]) end
        end
    end
    return generation
end

-- What is remembered of these ids, to be changed and written.
local function known_ids(keys, text, ids, span, most)
    local which, began = 0, nil
    if text then which, began = generations_of(text) end
    return {
        span = span,
        most = most,
        began = began,
        younger = generation_at(keys, which, ids),
        elder = generation_at(keys, 1 - which, ids),
    }
end

local function holds_id(memory, id, now)
    for _, generation in ipairs{memory.younger, memory.elder} do
        local at = generation.times[id]
        if at and now < at + memory.span then return true end
    end
    return false
end

local function count_of(memory)
    return memory.younger.count + memory.elder.count
end

-- Lets go of what is past the span.
local function age_ids(memory, now)
    if not memory.began then
        memory.began = now
        return
    end
    local of_age = memory.began + memory.span
    if now < of_age then return end
    memory.younger, memory.elder = new_generation(memory.elder.place), memory.younger
    memory.began = now
    if now >= of_age + memory.span then
        -- What was noted last, just before it came of age, is past its span too.
        memory.elder = new_generation(memory.elder.place)
    end
end

-- Notes an id from now on, if there is room.
local function note_id(memory, id, now)
    age_ids(memory, now)
    local younger = memory.younger
    if not younger.times[id] then
        if count_of(memory) >= memory.most then return false end
        younger.count = younger.count + 1
    end
    local at = math.max(now, memory.began)
    younger.times[id] = at
    local notes = younger.notes
    notes[#notes + 1] = id
    notes[#notes + 1] = struct.pack('>I6', at)
    return true
end

-- Writes what was noted, and answers which generation is the younger and when it began.
local function write_ids(keys, memory)
    for _, generation in ipairs{memory.younger, memory.elder} do
        local key = keys[2 + generation.place]
        if generation.anew then call('UNLINK', key) end
        if #generation.notes > 0 then
            call('HSET', key, unpack(generation.notes))
            call('PEXPIRE', key, digits(2 * memory.span + IDS_LINGER_MS))
        end
    end
    return string.format('%d %.0f', memory.younger.place, memory.began)
end
