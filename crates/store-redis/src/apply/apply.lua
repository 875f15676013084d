-- A batch of items of any sort into a shard, in their order: each in all its windows or in none.
--
-- Everything is decided on what was read before the first write, since nothing in Redis rolls back. An
-- item that is not applied is answered with its place, a letter that says why, and what goes with it.

local DUPLICATE, CLOSED, OUT_OF_RANGE, NOT_RANKED, NO_ROOM = 'd', 'c', 'o', 'n', 'i'

-- The items as columns, and the members in them, each once.
local function batch_of(args, windows)
    local batch = {}
    batch.sets, batch.parts = cmsgpack.unpack(args[3])
    local columns = {cmsgpack.unpack(args[4])}
    local names = columns[1]
    batch.names, batch.ats, batch.changes, batch.set_of = names, columns[2], columns[3], columns[4]
    batch.columns = {unpack(columns, 5)}
    batch.members, batch.member_of = {}, {}
    local known = {}
    for i, name in ipairs(names) do
        local member = known[name]
        if not member then
            member = #batch.members + 1
            batch.members[member], known[name] = name, member
        end
        batch.member_of[i] = member
    end
    batch.windows = windows
    return batch
end

local function change_of(batch, i)
    return batch.changes == '' and 'f' or batch.changes:sub(i, i)
end

-- The windows that an item counts in: those of its set that are open.
local function windows_of(batch, i)
    return batch.sets[batch.set_of[i] or 1]
end

-- Leaves out of each set what has been dropped.
local function close_dropped(batch, dropped)
    for place, set in ipairs(batch.sets) do
        local open = {}
        for _, window in ipairs(set) do
            if not dropped[window] then open[#open + 1] = window end
        end
        batch.sets[place] = open
    end
end

-- The windows that the shard has and the call does not name; none where it names all.
local function unnamed_windows(meta_key, versions)
    local named, unnamed = {}, {}
    for _, version in ipairs(versions) do named[version] = true end
    for _, field in ipairs(call('HKEYS', meta_key)) do
        if field:sub(1, 2) == 'v:' and not named[field] then
            unnamed[#unnamed + 1] = field:sub(3)
        end
    end
    return unnamed
end

-- What a window holds of members: packed the scores of its sorted set, else what the score KV has.
local function held_by(rules, keys, window, names)
    if rules.packed then return call('ZMSCORE', keys[2 * window + 3], unpack(names)) end
    return call('HMGET', keys[2 * window + 2], unpack(names))
end

-- The windows that a member is removed from; none if the item is no removal.
local function removed_from(batch, i)
    local change = change_of(batch, i)
    return change == 'r' and batch.all or (change == 'w' or change == 'x') and windows_of(batch, i)
end

-- Looks up every member in the windows that its items count in, or that it is removed from.
local function look_up(batch, rules, keys, dropped)
    local all = {}
    for window = 1, batch.windows do
        if not (dropped and dropped[window]) then all[#all + 1] = window end
        local base = batch.starts[window]
        batch[window] = {wanted = {}, names = {}, bytes = {}, was = {}, is = {}, found = false, base = base}
    end
    batch.all = all
    for i, member in ipairs(batch.member_of) do
        local windows = removed_from(batch, i) or windows_of(batch, i)
        for _, window in ipairs(windows) do
            local look = batch[window]
            if look.is[member] == nil then
                look.is[member] = false
                look.wanted[#look.wanted + 1] = member
                look.names[#look.names + 1] = batch.members[member]
            end
        end
    end
    for window = 1, batch.windows do
        local look = batch[window]
        local held = #look.names > 0 and held_by(rules, keys, window, look.names)
        for place, member in ipairs(look.wanted) do
            local bytes, standing = held[place], false
            if bytes and rules.packed then
                local value, time = unpacked(rules.packed, tonumber(bytes), look.base)
                -- Servers write one number in several ways.
                bytes, standing = digits(bytes), {value, time}
            elseif bytes then
                standing = standing_of(rules, bytes)
            end
            look.bytes[member], look.was[member], look.is[member] = bytes, standing, standing
            look.found = look.found or bytes ~= false
        end
    end
end

-- Removes a member from windows; with `bound` only where its standing was reached by then.
local function take_off(batch, rules, member, windows, bound)
    local was_there = false
    for _, window in ipairs(windows) do
        local look = batch[window]
        local standing = look.is[member]
        if standing and (not bound or reached_at(rules, standing) <= bound) then
            look.is[member], was_there = false, true
        end
    end
    if not was_there then return NOT_RANKED end
end

-- The standing after the item in each window that it counts in, or why it counts in none.
local function decide(batch, rules, i)
    local member, at, sets = batch.member_of[i], batch.ats[i], change_of(batch, i) == 's'
    local values, standings = {}, {}
    for field, column in ipairs(batch.columns) do values[field] = column[i] end
    for place, window in ipairs(windows_of(batch, i)) do
        local held = batch[window].is[member]
        local new = sets and outright(rules, values, at) or fold(rules, held, values, at)
        if not new then return nil, OUT_OF_RANGE, held and bytes_of(rules, held) or '' end
        standings[place] = new
    end
    return standings
end

-- Applies an item that changes a standing. Answers nothing, or why not and what goes with that.
local function write_item(batch, rules, memory, i, now)
    local id = memory and batch.ids[i] ~= '' and batch.ids[i]
    if id and holds_id(memory, id, now) then return DUPLICATE, '' end
    local windows = windows_of(batch, i)
    if #windows == 0 then return CLOSED, '' end
    local standings, why, held = decide(batch, rules, i)
    if not standings then return why, held end
    if id and not note_id(memory, id, now) then return NO_ROOM, '' end
    local member = batch.member_of[i]
    for place, window in ipairs(windows) do batch[window].is[member] = standings[place] end
end

-- The standings of an item's member as they are, by window.
local function report(batch, rules, i)
    local standings, member = {}, batch.member_of[i]
    for _, window in ipairs(windows_of(batch, i)) do
        local standing = batch[window].is[member]
        if standing then
            standings[#standings + 1] = window
            standings[#standings + 1] = bytes_of(rules, standing)
        end
    end
    return standings
end

-- Decides every item. Answers what was not applied, what is reported, and the latest `now` at which
-- anything was applied (nothing for that where nothing was), and whether any was applied before.
local function decide_all(batch, rules, memory)
    local refused, reports, latest, repeats = {}, {}, nil, false
    local part = 1
    local last, now, reported = unpack(batch.parts, 1, 3)
    for i = 1, #batch.names do
        if i > last then
            part = part + 3
            last, now, reported = unpack(batch.parts, part, part + 2)
        end
        local removes, why, with = removed_from(batch, i), nil, ''
        if removes then
            local bound = change_of(batch, i) == 'x' and batch.ats[i]
            why = take_off(batch, rules, batch.member_of[i], removes, bound)
        else
            why, with = write_item(batch, rules, memory, i, now)
        end
        if why == DUPLICATE then repeats = true end
        if why then
            local n = #refused
            refused[n + 1], refused[n + 2], refused[n + 3] = i, why, with
        elseif not latest or now > latest then
            latest = now
        end
        if reported and not removes and (not why or why == DUPLICATE) then
            reports[#reports + 1] = report(batch, rules, i)
        end
    end
    return refused, reports, latest, repeats
end

-- What became another standing in a packed window, and of how many members.
local function packed_change_in(look, rules, members)
    local put, off, changed = {}, {}, 0
    for _, member in ipairs(look.wanted) do
        local name, is = members[member], look.is[member]
        local score = is and digits(packed_score(rules.packed, is[1], is[2], look.base))
        if score ~= look.bytes[member] then
            changed = changed + 1
            if score then
                put[#put + 1], put[#put + 2] = score, name
            else
                off[#off + 1] = name
            end
        end
    end
    return {put = put, off = off}, changed
end

-- What became another standing in a window, and of how many members.
local function change_in(look, rules, members)
    local put, kept, gone, off, left = {}, {}, {}, {}, {}
    local changed = 0
    for _, member in ipairs(look.wanted) do
        local name, was, is = members[member], look.was[member], look.is[member]
        local bytes = is and (is == was and look.bytes[member] or bytes_of(rules, is))
        if bytes ~= look.bytes[member] then
            changed = changed + 1
            local old_entry = was and select(2, rank_key(rules, was, name))
            if is then
                local score, entry = rank_key(rules, is, name)
                put[#put + 1], put[#put + 2] = score, entry
                kept[#kept + 1], kept[#kept + 2] = name, bytes
                gone[#gone + 1] = old_entry ~= entry and old_entry
            else
                left[#left + 1], off[#off + 1] = name, old_entry
            end
        end
    end
    return {put = put, kept = kept, gone = gone, off = off, left = left}, changed
end

register('apply', {}, function(keys, args)
    local session, seq, activity, spec, versions, ttls, periods, starts, keep, trim_at = cmsgpack.unpack(args[2])
    local said, meta, ms, calls = enter(keys, args[1], session, seq, activity, versions)
    if said then return said end
    local rules, batch = rules_of(spec), batch_of(args, #versions)
    batch.starts = starts
    if batch.changes:find('r', 1, true) then
        local unnamed = unnamed_windows(keys[1], versions)
        if #unnamed > 0 then return 'EWINDOWS ' .. cmsgpack.pack(unnamed) end
    end
    local dropped = meta[DROPPED] and dropped_of(meta[DROPPED], periods, starts)
    if dropped then close_dropped(batch, dropped) end
    look_up(batch, rules, keys, dropped)
    local memory
    if args[5] then
        local ids, each, span, most = cmsgpack.unpack(args[5])
        batch.ids = ids
        memory = known_ids(keys, meta[GENERATIONS], each, span, most)
    end
    local refused, reports, latest, repeats = decide_all(batch, rules, memory)
    local notes, opened, short = {}, {}, {}
    local lowers = keep and batch.changes:find('[rswx]')
    for window, version in ipairs(versions) do
        local look = batch[window]
        local changes_in = rules.packed and packed_change_in or change_in
        local change, changed = changes_in(look, rules, batch.members)
        if changed > 0 then
            local rank, more = keys[2 * window + 3], #change.put / 2
            if keep then
                local list = {meta = keys[1], name = version:sub(3), rank = rank, keep = keep, trim_at = trim_at}
                local mark = session .. ' ' .. digits(seq)
                if not lowers then
                    trim_list(list, more)
                elseif prepare_list(list, more, mark, look, rules, batch.members) then
                    short[#short + 1] = window
                end
            end
            local values = keys[3 + 2 * #versions + window]
            local new_values, old_values
            if values then new_values, old_values = value_changes(look, rules, rank) end
            write_window(keys[2 * window + 2], rank, ttls[window], look.found, change)
            if values then write_values(values, ttls[window], look.found, new_values, old_values) end
            local held = meta[VERSIONS + window]
            if not held then opened[#opened + 1] = window end
            notes[#notes + 1] = version
            notes[#notes + 1] = next_version(held, changed, session, seq)
        end
    end
    local answer = answer_of(memory and count_of(memory) or 0, opened, refused, reports, short)
    -- What applied nothing is decided again when it is sent again. An answer that speaks of what was
    -- applied before is noted all the same: replicas that have the note have what it speaks of.
    if not latest and not repeats then return 'R' .. answer end
    if latest and memory and memory.began then
        notes[#notes + 1] = 'g'
        notes[#notes + 1] = write_ids(keys, memory)
    end
    return leave(keys, meta, ms, calls, session, seq, latest or 0, notes, answer)
end)
