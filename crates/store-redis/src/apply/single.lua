-- Folds into the one field of a kind: what nearly all calls do, in as few steps as there are.
--
-- Each member comes once, with what its contributions come to, folded by the caller, and with the entry of the
-- sorted set that it has if that is its latest. Anything out of the common is refused with ITEMS before anything is
-- written: a dropped window, an id that is known, a sum near the end of its range. The caller then sends
-- the items themselves, to `apply`.

-- A sum this far from 0 may leave its range within a call. Callers add less than that to a member.
local ROOM = 4503599627370496

-- The entry of the sorted set for a standing reached then.
local function entry_at(ties, at, member)
    if ties == 'm' or ties == 'n' then return ranked_name(ties, member) end
    if ties == 'e' then return struct.pack('>Bi7c0', 127, -1 - at, member) end
    return struct.pack('>BI7c0', 128, at, member)
end

-- The time of a sum after more was added to it: the latest of what was not 0, or else the earliest.
local function sum_time(held, given)
    if held % 2 == 1 then return (given % 2 == 1 and given > held) and given or held end
    return (given % 2 == 1 or given < held) and given or held
end

-- What adding changes in one window that holds these bytes; nothing where a sum might leave its range.
local function add_up(rules, held, members, deltas, times, entries)
    local pack, split, ties, asc = struct.pack, struct.unpack, rules.ties, rules.fields[1].asc
    local put, kept, gone, found = {}, {}, {}, false
    local p, k = 0, 0
    for i = 1, #members do
        local member, value, time, entry, old = members[i], deltas[i], times[i], entries[i], held[i]
        local same, leaving = false, false
        if old then
            found = true
            local was, since = split(#old == 11 and '>i4I7' or '>i8I7', old)
            if was >= ROOM or was <= -ROOM then return end
            value, time = was + value, sum_time(since, time)
            local old_entry = entry_at(ties, (since - since % 2) / 2, member)
            if time == since then
                entry, same = old_entry, value == was
            elseif entry ~= old_entry then
                leaving = old_entry
            end
        end
        if not same then
            local short = value < SHORT and value >= -SHORT
            kept[p + 1] = member
            kept[p + 2] = pack(short and '>i4I7' or '>i8I7', value, time)
            -- Never -0, which would be another text.
            put[p + 1] = asc and value ~= 0 and -value or value
            put[p + 2] = entry
            p, k = p + 2, k + 1
            gone[k] = leaving
        end
    end
    return {put = put, kept = kept, gone = gone, off = {}, left = {}, found = found}
end

-- The same in a packed window that has these scores. `lows` and `highs` are there where any delta is below 0: the
-- least sum of a member's contributions up to one that is not the last, without leading zeros, and the greatest up
-- to any. A sum that falls to 0 on the way counts as one that has not moved, so each contribution is to be added alone.
local function add_up_packed(rules, held, members, deltas, times, base, lows, highs)
    local packed, put, found, p = rules.packed, {}, false, 0
    local most = packed.most
    for i = 1, #members do
        local value, time, old = deltas[i], times[i], held[i]
        local was, was_score = 0, nil
        if old then
            found, was_score = true, tonumber(old)
            local since
            was, since = unpacked(packed, was_score, base)
            value, time = was + value, sum_time(since, time)
        end
        if value > most then return end
        if lows and (value < 0 or was + lows[i] <= 0 or was + highs[i] > most) then return end
        local score = packed_score(packed, value, time, base)
        if score ~= was_score then
            put[p + 1], put[p + 2] = score, members[i]
            p = p + 2
        end
    end
    return {put = put, off = {}, found = found}
end

-- How a field that does not sum chooses between the value held and another: `latest`, else the best; `lower` where
-- the lower one is better. The same as `fold` for one field.
local function choice_of(rules)
    local field = rules.fields[1]
    local lower = field.asc
    if rules.accumulates and field.op ~= 'l' then lower = field.op == 'n' end
    return {latest = rules.mode == 'l' or rules.accumulates and field.op == 'l', lower = lower}
end

-- Whether a value and its time replace those held.
local function is_chosen(choice, value, at, was, since)
    if choice.latest and at ~= since then return at > since end
    if value == was then return at < since end
    if choice.lower and was ~= NULL then return value < was end
    return value > was
end

-- What choosing changes in one window that holds these bytes.
local function choose(rules, held, members, values, times, entries)
    local pack, split, ties, asc = struct.pack, struct.unpack, rules.ties, rules.fields[1].asc
    local choice = choice_of(rules)
    local put, kept, gone, found = {}, {}, {}, false
    local p, k = 0, 0
    for i = 1, #members do
        local member, value, at, old = members[i], values[i], times[i], held[i]
        local chosen, leaving = true, false
        if old then
            found = true
            local was, since = split(#old == 11 and '>i4I7' or '>i8I7', old)
            chosen = is_chosen(choice, value, at, was, since)
            if chosen and since ~= at and not rules.by_member then leaving = entry_at(ties, since, member) end
        end
        if chosen then
            local short = value < SHORT and value >= -SHORT
            kept[p + 1] = member
            kept[p + 2] = pack(short and '>i4I7' or '>i8I7', value, at)
            -- Never -0, which would be another text.
            put[p + 1] = asc and value ~= 0 and -value or value
            put[p + 2] = entries[i]
            p, k = p + 2, k + 1
            gone[k] = leaving
        end
    end
    return {put = put, kept = kept, gone = gone, off = {}, left = {}, found = found}
end

-- The same in a packed window that has these scores.
local function choose_packed(rules, held, members, values, times, base)
    local packed, choice = rules.packed, choice_of(rules)
    local put, found, p = {}, false, 0
    for i = 1, #members do
        local value, at, old = values[i], times[i], held[i]
        local chosen = true
        if old then
            found = true
            chosen = is_chosen(choice, value, at, unpacked(packed, tonumber(old), base))
        end
        if chosen then
            put[p + 1], put[p + 2] = packed_score(packed, value, at, base), members[i]
            p = p + 2
        end
    end
    return {put = put, off = {}, found = found}
end

register('single', {}, function(keys, args)
    local session, seq, activity, spec, now, versions, ttls, periods, starts, keep, trim_at = cmsgpack.unpack(args[2])
    local said, meta, ms, calls = enter(keys, args[1], session, seq, activity, versions)
    if said then return said end
    if meta[DROPPED] and dropped_of(meta[DROPPED], periods, starts) then return 'EITEMS' end
    local ids = args[4] and count_with_new(keys, meta[GENERATIONS], args[4]) or 0
    if args[4] and ids == 0 then return 'EITEMS' end
    local rules = rules_of(spec)
    local members, values, times, entries, lows, highs = cmsgpack.unpack(args[3])
    local sums = rules.accumulates and rules.fields[1].op == 's'
    local changes = {}
    for window = 1, #versions do
        local change
        if rules.packed then
            local fold = sums and add_up_packed or choose_packed
            local held = call('ZMSCORE', keys[2 * window + 3], unpack(members))
            change = fold(rules, held, members, values, times, starts[window], lows, highs)
        else
            local fold = sums and add_up or choose
            local held = call('HMGET', keys[2 * window + 2], unpack(members))
            change = fold(rules, held, members, values, times, entries)
        end
        if not change then return 'EITEMS' end
        changes[window] = change
    end
    local notes, opened = {}, {}
    for window, change in ipairs(changes) do
        if #change.put > 0 then
            local rank = keys[2 * window + 3]
            if keep then
                local name = versions[window]:sub(3)
                trim_list({meta = keys[1], name = name, rank = rank, keep = keep, trim_at = trim_at}, #change.put / 2)
            end
            write_window(keys[2 * window + 2], rank, ttls[window], change.found, change)
            local version = meta[VERSIONS + window]
            if not version then opened[#opened + 1] = window end
            notes[#notes + 1] = versions[window]
            notes[#notes + 1] = next_version(version, #change.put / 2, session, seq)
        end
    end
    if args[4] then note_new_ids(keys, meta[GENERATIONS], args[4]) end
    local answer = answer_of(ids, opened, {}, {}, {})
    return leave(keys, meta, ms, calls, session, seq, now, notes, answer)
end)
