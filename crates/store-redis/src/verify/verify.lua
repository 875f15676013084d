-- A window's sorted set held against its scores, a step at a time, and put right.
--
-- The looks write nothing. KEYS of all: meta, scores, rank. A step's arguments are the rules, a cursor
-- and how much to look through; it answers {cursor, {code, subject, ...}}.

do
    -- What the sorted set has to hold for a member: its score and the member there.
    local function expected(spec, value, name)
        local rules = rules_of(spec)
        return rank_key(rules, standing_of(rules, value), name)
    end

    local function is_dead(meta)
        return call('HEXISTS', meta, 'x') == 1
    end

    -- Members with scores, and ranked ones.
    register('verify_counts', {'no-writes'}, function(keys)
        if is_dead(keys[1]) then return 'EDEAD' end
        return 'R' .. cmsgpack.pack({call('HLEN', keys[2]), call('ZCARD', keys[3])})
    end)

    -- Whether one may be off the list: so many are better on it, and one that is better still was not taken
    -- off. Of an approximate one it is enough that it holds so many: who fell since stays among them.
    local function may_be_off(keys, name, keep, approximate, score, entry)
        local listed = approximate and call('ZCARD', keys[3]) or count_above(keys[3], digits(score), entry, true)
        if listed < keep then return false end
        if call('HEXISTS', keys[1], 's:' .. name) == 1 then return true end
        local best_score, best = taken_off(keys[1], name)
        return best and not is_better(score, entry, tonumber(best_score), best)
    end

    -- Each score: `garbled`, or `missing`: its place in the order is empty. Of a list the window's name and
    -- the number that it keeps are passed, too, and 1 where it is approximate.
    register('verify_scores', {'no-writes'}, function(keys, args)
        if is_dead(keys[1]) then return 'EDEAD' end
        local spec, found = args[1], {}
        local step = call('HSCAN', keys[2], args[2], 'COUNT', args[3])
        local held = step[2]
        for place = 1, #held, 2 do
            local name, value = held[place], held[place + 1]
            local code
            if not is_standing(spec, value) then
                code = 'garbled'
            else
                local score, ranked = expected(spec, value, name)
                local there = call('ZSCORE', keys[3], ranked)
                local is_there = there and tonumber(there) == score
                local keep = tonumber(args[5])
                if not is_there and not (keep and may_be_off(keys, args[4], keep, args[6] == '1', score, ranked)) then
                    code = 'missing'
                end
            end
            if code then
                found[#found + 1] = code
                found[#found + 1] = name
            end
        end
        return 'R' .. cmsgpack.pack({step[1], found})
    end)

    -- What is wrong with an entry, if anything is.
    local function fault(spec, keys, entry, score)
        local name = name_in(rules_of(spec), entry)
        if name == '' then return 'nameless' end
        local value = call('HGET', keys[2], name)
        if not value then return 'stray' end
        -- The scan of the scores reports it.
        if not is_standing(spec, value) then return nil end
        local right_score, right = expected(spec, value, name)
        if right == entry then return tonumber(score) ~= right_score and 'misplaced' or nil end
        local other = call('ZSCORE', keys[3], right)
        return other and tonumber(other) == right_score and 'twice' or 'misplaced'
    end

    -- Each entry of the sorted set: `nameless`, `stray` without a score, `misplaced`, or there `twice`.
    register('verify_rank', {'no-writes'}, function(keys, args)
        if is_dead(keys[1]) then return 'EDEAD' end
        local found = {}
        local step = call('ZSCAN', keys[3], args[2], 'COUNT', args[3])
        local held = step[2]
        for place = 1, #held, 2 do
            local code = fault(args[1], keys, held[place], held[place + 1])
            if code then
                found[#found + 1] = code
                found[#found + 1] = held[place]
            end
        end
        return 'R' .. cmsgpack.pack({step[1], found})
    end)

    -- Each packed score that is none: `garbled`.
    register('verify_packed', {'no-writes'}, function(keys, args)
        if is_dead(keys[1]) then return 'EDEAD' end
        local packed, found = rules_of(args[1]).packed, {}
        local step = call('ZSCAN', keys[3], args[2], 'COUNT', args[3])
        local held = step[2]
        for place = 1, #held, 2 do
            local score = tonumber(held[place + 1])
            if not is_packed(score) or unpacked(packed, score, 0) > packed.most then
                found[#found + 1] = 'garbled'
                found[#found + 1] = held[place]
            end
        end
        return 'R' .. cmsgpack.pack({step[1], found})
    end)

    -- Whether an entry is to be taken off, since no score stands for it.
    local function is_wrong(spec, keys, entry)
        local name = name_in(rules_of(spec), entry)
        local value = name ~= '' and call('HGET', keys[2], name)
        if value and not is_standing(spec, value) then return false end
        if value and select(2, expected(spec, value, name)) == entry then return false end
        return call('ZSCORE', keys[3], entry) ~= false
    end

    -- The score and the entry of a member that is not where its score says; nothing of others.
    local function missing_entry(spec, keys, name)
        local value = call('HGET', keys[2], name)
        if not value or not is_standing(spec, value) then return end
        local score, ranked = expected(spec, value, name)
        local there = call('ZSCORE', keys[3], ranked)
        if not there or tonumber(there) ~= score then return digits(score), ranked end
    end

    -- ARGV: deadline, rules, the window's name, who mends and under which number, entries and members,
    -- both packed; of a list the entries that it may have: it is marked to be refilled. Looks at each
    -- anew: what was found may have been written since. The version shows a change, since boards that
    -- were merged of the wrong order are to go.
    register('mend', {}, function(keys, args)
        local meta = call('HMGET', keys[1], 'x', 'f', 'v:' .. args[3])
        if meta[1] then return 'EDEAD' end
        if meta[2] and node_ms() < tonumber(meta[2]:match('%d+$')) then return 'EFROZEN' end
        if is_late(args[1]) then return 'ELATE' end
        local off, put, known = {}, {}, {}
        for _, entry in ipairs(cmsgpack.unpack(args[6])) do
            if not known[entry] and is_wrong(args[2], keys, entry) then
                off[#off + 1], known[entry] = entry, true
            end
        end
        for _, name in ipairs(cmsgpack.unpack(args[7])) do
            local score, entry = missing_entry(args[2], keys, name)
            if entry and not known[entry] then
                put[#put + 1], put[#put + 2], known[entry] = score, entry, true
            end
        end
        local changed = #off + #put / 2
        if changed > 0 then
            local left = shared_end(keys[2], keys[3])
            if #put > 0 then call('ZADD', keys[3], unpack(put)) end
            if #off > 0 then call('ZREM', keys[3], unpack(off)) end
            local counter = tonumber((meta[3] or '0'):match('^%d+')) + changed
            local version = digits(counter) .. ' ' .. args[4] .. ' ' .. args[5]
            call('HSET', keys[1], 'v:' .. args[3], version)
            if left > 0 then call('PEXPIRE', keys[3], left) end
            if args[8] then mark_list(keys[1], args[3], args[4] .. ' ' .. args[5]) end
        end
        return 'R'
    end)

    -- The value of an entry.
    local function value_in(rules, entry, score)
        return entry:sub(1, value_width(rules)) .. digits(tonumber(score))
    end

    -- Whether a distinct value is to be removed: it does not fit its score, or no entry has it.
    local function is_unheld(rules, keys, value, score)
        local words = value:sub(1, value_width(rules))
        score = digits(tonumber(score))
        return value ~= words .. score or holders_of(keys[3], rules, score, words) == 0
    end

    -- Each distinct value, in a fourth key: `unheld` where no entry has it.
    register('verify_values', {'no-writes'}, function(keys, args)
        if is_dead(keys[1]) then return 'EDEAD' end
        local rules, found = rules_of(args[1]), {}
        local step = call('ZSCAN', keys[4], args[2], 'COUNT', args[3])
        local held = step[2]
        for place = 1, #held, 2 do
            if is_unheld(rules, keys, held[place], held[place + 1]) then
                found[#found + 1] = 'unheld'
                found[#found + 1] = held[place]
            end
        end
        return 'R' .. cmsgpack.pack({step[1], found})
    end)

    -- Each entry of the sorted set: `uncounted` where the distinct values lack its own.
    register('verify_counted', {'no-writes'}, function(keys, args)
        if is_dead(keys[1]) then return 'EDEAD' end
        local rules, found = rules_of(args[1]), {}
        local step = call('ZSCAN', keys[3], args[2], 'COUNT', args[3])
        local held = step[2]
        for place = 1, #held, 2 do
            if not call('ZSCORE', keys[4], value_in(rules, held[place], held[place + 1])) then
                found[#found + 1] = 'uncounted'
                found[#found + 1] = held[place]
            end
        end
        return 'R' .. cmsgpack.pack({step[1], found})
    end)

    -- ARGV: as of `mend`, with distinct values and entries. Looks at each anew.
    register('mend_values', {}, function(keys, args)
        local meta = call('HMGET', keys[1], 'x', 'f', 'v:' .. args[3])
        if meta[1] then return 'EDEAD' end
        if meta[2] and node_ms() < tonumber(meta[2]:match('%d+$')) then return 'EFROZEN' end
        if is_late(args[1]) then return 'ELATE' end
        local rules, off, put, known = rules_of(args[2]), {}, {}, {}
        for _, value in ipairs(cmsgpack.unpack(args[6])) do
            local score = call('ZSCORE', keys[4], value)
            if score and is_unheld(rules, keys, value, score) then off[#off + 1] = value end
        end
        for _, entry in ipairs(cmsgpack.unpack(args[7])) do
            local score = call('ZSCORE', keys[3], entry)
            local value = score and value_in(rules, entry, score)
            if value and not known[value] and not call('ZSCORE', keys[4], value) then
                put[#put + 1], put[#put + 2], known[value] = digits(tonumber(score)), value, true
            end
        end
        local changed = #off + #put / 2
        if changed > 0 then
            local left = shared_end(keys[2], keys[4])
            in_groups('ZADD', keys[4], put)
            in_groups('ZREM', keys[4], off)
            call('HSET', keys[1], 'v:' .. args[3], next_version(meta[3], changed, args[4], tonumber(args[5])))
            if left > 0 then call('PEXPIRE', keys[4], left) end
        end
        return 'R'
    end)
end
