-- Lists: windows of which only the best stay in the sorted set. Trimmed as they grow, and refilled from the
-- scores where somebody may be missing.
--
-- Of a list meta says, by the name of its window: `b:`, 'SCORE ENTRY', the best that was taken off, so that nobody
-- who is off is better; `s:`, which call found that somebody may be missing, until a refill has gone through all
-- scores. While there is an `s:`, `b:` counts from it on.
--
-- Invariant: who has a score and no entry has at least `keep` better ones on the list, or there is an `s:`.

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

-- Takes off all but the best so many.
local function trim_list(meta, name, rank, most)
    local best = call('ZREVRANGE', rank, most, most, 'WITHSCORES')
    if not best[1] then return end
    note_off(meta, name, best[2], best[1])
    call('ZREMRANGEBYRANK', rank, 0, -most - 1)
end

-- Marks a list as one that may lack somebody.
local function mark_list(meta, name, mark)
    call('HSET', meta, 's:' .. name, mark)
    call('HDEL', meta, 'b:' .. name)
end

-- Looks at a list of which standings went down or left: whether it may lack somebody, now or since before.
local function check_list(meta, name, scores, rank, keep, mark)
    local score, entry = taken_off(meta, name)
    if score and count_above(rank, score, entry, true) < keep then
        if call('HLEN', scores) > call('ZCARD', rank) then
            mark_list(meta, name, mark)
        else
            call('HDEL', meta, 'b:' .. name)
        end
    end
    return call('HEXISTS', meta, 's:' .. name) == 1
end

-- A sorted set that was made anew goes when its scores do.
local function share_end(scores, rank)
    if call('PTTL', rank) ~= -1 then return end
    local left = call('PTTL', scores)
    if left > 0 then call('PEXPIRE', rank, left) end
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

    -- Puts standings back on a list. Answers how many were not there.
    local function put_back(spec, name, keys, most, held)
        local meta, rank = keys[1], keys[3]
        local put, off_score, off = sorted_out(spec, rank, most, held)
        if off then note_off(meta, name, digits(off_score), off) end
        local added = 0
        for first = 1, #put, GROUP do
            local last = math.min(first + GROUP - 1, #put)
            added = added + call('ZADD', rank, unpack(put, first, last))
        end
        trim_list(meta, name, rank, most)
        return added
    end

    -- A step of a refill. KEYS: meta, scores, rank. ARGV: deadline, rules, the window's name, the entries
    -- that the list may have, the mark that the refill is for, a cursor, how much to look through, who
    -- refills and under which number. With the cursor '-' all has been looked through, by one process:
    -- the mark goes.
    --
    -- Answers {mark, cursor}: another mark where the refill has to begin anew, none where none is there.
    register('refill', {}, function(keys, args)
        local deadline, spec, name, most, mark, cursor, count, session, seq = unpack(args)
        local held = call('HMGET', keys[1], 'x', 's:' .. name, 'v:' .. name)
        if held[1] then return 'EDEAD' end
        if is_late(deadline) then return 'ELATE' end
        if held[2] ~= mark then return 'R' .. cmsgpack.pack({held[2] or '', '0'}) end
        if cursor == '-' then
            call('HDEL', keys[1], 's:' .. name)
            return 'R' .. cmsgpack.pack({'', '0'})
        end
        local step = call('HSCAN', keys[2], cursor, 'COUNT', count)
        local added = put_back(spec, name, keys, tonumber(most), step[2])
        if added > 0 then
            -- Boards that were merged without them are to go.
            call('HSET', keys[1], 'v:' .. name, next_version(held[3], added, session, tonumber(seq)))
            share_end(keys[2], keys[3])
        end
        return 'R' .. cmsgpack.pack({mark, step[1]})
    end)
end
