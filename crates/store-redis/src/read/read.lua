-- One look at one window of several shards, at each of them at one moment. Only a cluster wants all keys in one slot:
-- there, a call has one shard.
--
-- KEYS: meta, scores, rank of each shard, and values where groups are counted. ARGV: the board's time, as the caller
-- has seen it; the window's name; the place of its period in what was dropped (0 for none) and its start in microseconds; the
-- rules; 1 where groups are wanted, 2 where they are counted; 1 where a member may be off a list; packed, lists of
-- asks, and for each shard the counter at which nothing is wanted, or nothing, and the place of its list. Asks are
--   {before, after, 'r', rank}                  from a rank on
--   {before, after, 'b', score, rest, strict}   behind what is better than a cut; where groups are counted, followed by
--                                               a value: its score, its other words, whether entries may have it
--   {before, after, 'm', member}                where a member stands
--
-- Answers for each shard, one after the other, {version, members, short} at that counter, else with a list for each
-- ask behind it: rank of the anchor (-1: not ranked), rank of the first entry, rank of the first of its group, {member,
-- score, ...}, where ties go by member {standing, ...}, and of a member from whom on entries are wanted, or who is off
-- the list, its own standing ('' else, and of packed rules). Where groups are counted also, of the group of the first
-- entry, or else of the anchor, how many distinct values are better, and how many entries are in it. `short` is 1 of a
-- list that may lack members, else 0.

do
    -- Members that one HMGET asks for: `unpack` has room for 8000.
    local MEMBERS_MAX = 4000

    local function was_dropped(dropped, period, start)
        local place = 0
        for latest in dropped:gmatch('%S+') do
            place = place + 1
            if place == period then return latest ~= '-' and start <= tonumber(latest) end
        end
        return false
    end

    -- The standings of members, '' where there is none.
    local function standings_of(scores, members)
        local standings = {}
        for first = 1, #members, MEMBERS_MAX do
            local last = math.min(first + MEMBERS_MAX - 1, #members)
            local held = call('HMGET', scores, unpack(members, first, last))
            for place = 1, #held do standings[first + place - 1] = held[place] or '' end
        end
        return standings
    end

    -- By member: where those stand that are asked for, and their standings; none of packed rules.
    local function ranks_of(scores, rank, rules, asks)
        local members, ranks, held = {}, {}, {}
        for _, ask in ipairs(asks) do
            if ask[3] == 'm' then members[#members + 1] = ask[4] end
        end
        if #members == 0 then return ranks, held end
        local standings = rules.packed and {} or standings_of(scores, members)
        for place, member in ipairs(members) do
            if rules.packed then
                ranks[member] = call('ZREVRANK', rank, member) or nil
            elseif standings[place] ~= '' and not ranks[member] then
                local _, ranked = rank_key(rules, standing_of(rules, standings[place]), member)
                ranks[member] = call('ZREVRANK', rank, ranked) or nil
                held[member] = standings[place]
            end
        end
        return ranks, held
    end

    local function names_in(rules, entries)
        local names = {}
        for place = 1, #entries, 2 do names[#names + 1] = name_in(rules, entries[place]) end
        return names
    end

    -- How many have better fields than the first of these entries: `greater` a greater score than `score`.
    local function group_of(rank, rules, entries, score, greater)
        if rules.packed then
            local alike = least_alike(rules.packed, tonumber(entries[2]))
            return (count_above(rank, digits(alike + rules.packed.units), '', false))
        end
        if rules.n == 1 and greater and tonumber(entries[2]) == tonumber(score) then return greater end
        local width = 8 * (rules.n - 1)
        return (count_above(rank, entries[2], entries[1]:sub(1, width), true, width))
    end

    -- How many distinct values are better than a value, and how many entries have it; `is_whole` where entries may.
    local function counted_group(values, rank, rules, score, words, is_whole)
        if not is_whole then return (count_above(values, score, words, false)), 0 end
        local width = value_width(rules)
        return (count_above(values, score, words, true, width)), holders_of(rank, rules, score, words)
    end

    -- The same of the first of these entries, or else of what an ask is anchored at.
    local function counted_group_of(values, rank, rules, entries, ask, held)
        if entries[1] then
            local score, words = digits(tonumber(entries[2])), entries[1]:sub(1, value_width(rules))
            return counted_group(values, rank, rules, score, words, true)
        elseif ask[3] == 'm' then
            local score, words = value_of(rules, standing_of(rules, held[ask[4]]))
            return counted_group(values, rank, rules, score, words, true)
        elseif ask[7] then
            return counted_group(values, rank, rules, digits(ask[7]), ask[8], ask[9])
        end
        return 0, 0
    end

    -- The look at one shard, packed; or nothing, and the reason.
    local function look_at(window, meta_key, scores, rank, values, unless, asks)
        local meta = call('HMGET', meta_key, 'x', 'd', 'v:' .. window.name, 's:' .. window.name, 'a', 'f')
        if meta[1] then return nil, 'EDEAD' end
        local refusal = meta[5] and settings_refusal(meta[5], window.activity, meta[6])
        if refusal then return nil, refusal end
        if meta[2] and was_dropped(meta[2], window.period, window.start) then return nil, 'EDROPPED' end
        local version, members = meta[3] or '', call('ZCARD', rank)
        local answer = {version, members, meta[4] and 1 or 0}
        if (version:match('^%d+') or '0') == unless then return cmsgpack.pack(answer) end

        local rules = window.rules
        local ranks, held = ranks_of(scores, rank, rules, asks)
        for place, ask in ipairs(asks) do
            local anchor, greater
            if ask[3] == 'r' then
                anchor = math.min(ask[4], members)
            elseif ask[3] == 'b' then
                anchor, greater = count_above(rank, ask[4], ask[5], ask[6])
            else
                anchor = ranks[ask[4]]
            end
            local start, group, entries, standings, own = 0, 0, {}, {}, ''
            local better, holders = 0, 0
            if ask[3] == 'm' and (anchor and ask[2] > 0 or window.is_list and not anchor) then
                own = held[ask[4]] or ''
            end
            if anchor then
                start = math.max(anchor - ask[1], 0)
                local last = math.min(anchor + ask[2], members) - 1
                if start <= last then
                    entries = call('ZREVRANGE', rank, start, last, 'WITHSCORES')
                end
                group = start
                if window.groups and start > 0 and entries[1] then
                    group = group_of(rank, rules, entries, ask[4], greater)
                end
                if values then better, holders = counted_group_of(values, rank, rules, entries, ask, held) end
                if rules.by_member then standings = standings_of(scores, names_in(rules, entries)) end
            end
            answer[place + 3] = {anchor or -1, start, group, entries, standings, own}
            if values then
                local part = answer[place + 3]
                part[7], part[8] = better, holders
            end
        end
        return cmsgpack.pack(answer)
    end

    register('read', {'no-writes'}, function(keys, args)
        local window = {
            activity = args[1],
            name = args[2],
            period = tonumber(args[3]),
            start = tonumber(args[4]),
            rules = rules_of(args[5]),
            groups = args[6] == '1',
            counts = args[6] == '2',
            is_list = args[7] == '1',
        }
        local lists, shards = cmsgpack.unpack(args[8])
        for _, asks in ipairs(lists) do
            for _, ask in ipairs(asks) do
                if ask[3] == 'b' then ask[4] = digits(ask[4]) end
            end
        end
        local answers = {}
        local of_each = window.counts and 4 or 3
        for shard = 1, #keys / of_each do
            local key = of_each * (shard - 1)
            local values = window.counts and keys[key + 4]
            local unless, list = shards[2 * shard - 1], shards[2 * shard]
            local answer, refusal =
                look_at(window, keys[key + 1], keys[key + 2], keys[key + 3], values, unless, lists[list])
            if refusal then return refusal end
            answers[shard] = answer
        end
        return 'R' .. table.concat(answers)
    end)
end
