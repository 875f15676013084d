-- Lists: windows of which only the best stay in the sorted set. Trimmed before they grow too long, and refilled
-- from the scores where members may be missing. What is written in a call is never asked for in it.
--
-- Of a list meta says, by the name of its window: `b:`, 'SCORE ENTRY', the best that was taken off, so that no member
-- who is off is better; `s:`, which call found that members may be missing, until a refill has gone through all
-- scores. While there is an `s:`, `b:` counts from it on.
--
-- Invariant: who has a score and no entry has at least `keep` better ones on the list, or there is an `s:`. Of an
-- approximate list, whose entries may fall: at least `keep` are on it, and who is off is no better than `b:`.

-- A list is passed as {meta, name, rank, keep, trim_at}: two keys, the window's name, and the kind's setting.

-- Whether a score and an entry are better than others.
local function is_better(score, entry, other_score, other)
    if score ~= other_score then return score > other_score end
    return is_above(entry, other, true)
end

-- The score and the entry of the best that was taken off.
local function taken_off(meta, name)
    local best = call('HGET', meta, 'b:' .. name)
    if not best then return end
    local gap = best:find(' ', 1, true)
    return best:sub(1, gap - 1), best:sub(gap + 1)
end

-- Notes that so good a one is off the list.
local function note_off(meta, name, score, entry)
    local held_score, held = taken_off(meta, name)
    if held and not is_better(tonumber(score), entry, tonumber(held_score), held) then return end
    call('HSET', meta, 'b:' .. name, score .. ' ' .. entry)
end

-- Makes room for so many more on a list, where there would be too many: all but the best are taken off.
local function trim_list(list, more)
    local meta, name, rank, keep = list.meta, list.name, list.rank, list.keep
    if call('ZCARD', rank) + more <= list.trim_at then return end
    local best = call('ZREVRANGE', rank, keep, keep, 'WITHSCORES')
    if not best[1] then return end
    note_off(meta, name, best[2], best[1])
    call('ZREMRANGEBYRANK', rank, 0, -keep - 1)
end

-- Marks a list as one that may lack members.
local function mark_list(meta, name, mark)
    call('HSET', meta, 's:' .. name, mark)
    call('HDEL', meta, 'b:' .. name)
end

-- What a look at a window is to change: calls `each` with the score and the entry of each standing as it was and
-- as it is to be, nothing for none.
local function each_change(look, rules, members, each)
    for _, member in ipairs(look.wanted) do
        local was, is, name = look.was[member], look.is[member], members[member]
        if was ~= is then
            local was_score, was_entry, is_score, is_entry
            if was then was_score, was_entry = rank_key(rules, was, name) end
            if is then is_score, is_entry = rank_key(rules, is, name) end
            each(was_score, was_entry, is_score, is_entry)
        end
    end
end

-- Whether a standing goes down or leaves.
local function goes_down(look, rules, members)
    local down = false
    each_change(look, rules, members, function(was_score, was, is_score, is)
        if was and (not is or is_better(was_score, was, is_score, is)) then down = true end
    end)
    return down
end

-- By how many more standings, or fewer, are better than this one when the look has been written.
local function more_above(look, rules, members, score, entry)
    local more = 0
    each_change(look, rules, members, function(was_score, was, is_score, is)
        if was and is_better(was_score, was, score, entry) then more = more - 1 end
        if is and is_better(is_score, is, score, entry) then more = more + 1 end
    end)
    return more
end

-- Makes a list ready for what a look is to write, so many entries, of which some may go down or leave. Answers
-- whether it will lack members then, or does; `mark` is what it is marked by if so.
local function prepare_list(list, more, mark, look, rules, members)
    local meta, name, rank, keep = list.meta, list.name, list.rank, list.keep
    local is_marked = call('HEXISTS', meta, 's:' .. name) == 1
    if not goes_down(look, rules, members) then
        trim_list(list, more)
        return is_marked
    end
    -- Only what would be too many: what goes down uses up the slack.
    local stay = math.max(keep, list.trim_at - more)
    local cut = call('ZREVRANGE', rank, stay, stay, 'WITHSCORES')
    local score, entry = taken_off(meta, name)
    if cut[1] and not (score and is_better(tonumber(score), entry, tonumber(cut[2]), cut[1])) then
        score, entry = cut[2], cut[1]
    end
    local lacks = false
    if score then
        local above = count_above(rank, score, entry, true)
        lacks = above + more_above(look, rules, members, tonumber(score), entry) < keep
    end
    if cut[1] then call('ZREMRANGEBYRANK', rank, 0, -stay - 1) end
    if lacks then
        mark_list(meta, name, mark)
    elseif cut[1] then
        call('HSET', meta, 'b:' .. name, score .. ' ' .. entry)
    end
    return lacks or is_marked
end

-- How long a sorted set is to live that has no end of its own, or is made anew: as its scores.
local function shared_end(scores, rank)
    if call('PTTL', rank) >= 0 then return 0 end
    return call('PTTL', scores)
end

do
    -- Of standings as the scores have them: scores and entries that may belong on a list, and the best of
    -- those that do not, where it is full.
    local function sorted_out(spec, rank, most, held)
        local last = call('ZREVRANGE', rank, most - 1, most - 1, 'WITHSCORES')
        local rules, bar = rules_of(spec), last[2] and tonumber(last[2])
        local put, off_score, off = {}, nil, nil
        for place = 1, #held, 2 do
            local name, bytes = held[place], held[place + 1]
            if is_standing(spec, bytes) then
                local score, entry = rank_key(rules, standing_of(rules, bytes), name)
                if not bar or score >= bar then
                    put[#put + 1], put[#put + 2] = score, entry
                elseif not off or is_better(score, entry, off_score, off) then
                    off_score, off = score, entry
                end
            end
        end
        return put, off_score, off
    end

    -- How many of these entries are not on the list.
    local function count_new(rank, put)
        local new, entries = 0, {}
        for place = 2, #put, 2 do entries[#entries + 1] = put[place] end
        for first = 1, #entries, GROUP do
            local held = call('ZMSCORE', rank, unpack(entries, first, math.min(first + GROUP - 1, #entries)))
            for place = 1, math.min(GROUP, #entries - first + 1) do
                if not held[place] then new = new + 1 end
            end
        end
        return new
    end

    -- Puts standings back on a list. Answers how many were not there.
    local function put_back(spec, name, keys, most, held)
        local meta, rank = keys[1], keys[3]
        local put, off_score, off = sorted_out(spec, rank, most, held)
        local new, ttl = count_new(rank, put), shared_end(keys[2], rank)
        local next_best = call('ZREVRANGE', rank, most, most, 'WITHSCORES')
        if next_best[1] and (not off or is_better(tonumber(next_best[2]), next_best[1], off_score, off)) then
            off_score, off = tonumber(next_best[2]), next_best[1]
        end
        if off then note_off(meta, name, digits(off_score), off) end
        if next_best[1] then call('ZREMRANGEBYRANK', rank, 0, -most - 1) end
        in_groups('ZADD', rank, put)
        if new > 0 and ttl > 0 then call('PEXPIRE', rank, ttl) end
        return new
    end

    -- A step of a refill. KEYS: meta, scores, rank. ARGV: deadline, rules, the window's name, the entries
    -- that the list may have, the mark that the refill is for, a cursor, how much to look through, who
    -- refills and under which number. With the cursor '-' all has been looked through, by one process:
    -- the mark goes.
    --
    -- Answers {mark, cursor, members}: another mark where the refill has to begin anew, none where none is there;
    -- and how many have scores.
    register('refill', {}, function(keys, args)
        local deadline, spec, name, most, mark, cursor, count, session, seq = unpack(args)
        local held = call('HMGET', keys[1], 'x', 's:' .. name, 'v:' .. name)
        if held[1] then return 'EDEAD' end
        if is_late(deadline) then return 'ELATE' end
        local members = call('HLEN', keys[2])
        if held[2] ~= mark then return 'R' .. cmsgpack.pack({held[2] or '', '0', members}) end
        if cursor == '-' then
            most = tonumber(most)
            trim_list({meta = keys[1], name = name, rank = keys[3], keep = most, trim_at = most}, 0)
            call('HDEL', keys[1], 's:' .. name)
            return 'R' .. cmsgpack.pack({'', '0', members})
        end
        local step = call('HSCAN', keys[2], cursor, 'COUNT', count)
        local added = put_back(spec, name, keys, tonumber(most), step[2])
        if added > 0 then
            -- Boards that were merged without them are to go.
            call('HSET', keys[1], 'v:' .. name, next_version(held[3], added, session, tonumber(seq)))
        end
        return 'R' .. cmsgpack.pack({mark, step[1], members})
    end)
end
