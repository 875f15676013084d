-- One look at one window of a shard, all of it at one moment.
--
-- KEYS: meta, scores, rank. ARGV: the window's name; the place of its period in what was dropped (0 for
-- none) and its start in ms; the counter at which nothing is wanted, or nothing; the rules; 1 where
-- groups are wanted; the asks, packed, and 1 where a member may be off a list. Asks are a list of
--   {before, after, 'r', rank}                  from a rank on
--   {before, after, 'b', score, rest, strict}   behind what is better than a cut
--   {before, after, 'm', member}                where a member stands
--
-- Answers {version, members, short} at that counter, else with a list for each ask behind it: rank of the
-- anchor (-1: not ranked), rank of the first entry, rank of the first of its group, {member, score,
-- ...}, where ties go by member {standing, ...}, and of a member from whom on entries are wanted, or who is off
-- the list, its own standing ('' else, and of packed rules). `short` is 1 of a list that may lack members, else 0.

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
    local function ranks_of(scores, rank, spec, asks)
        local members, ranks, held = {}, {}, {}
        for _, ask in ipairs(asks) do
            if ask[3] == 'm' then members[#members + 1] = ask[4] end
        end
        if #members == 0 then return ranks, held end
        local rules = rules_of(spec)
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

    register('read', {'no-writes'}, function(keys, args)
        local scores, rank = keys[2], keys[3]
        local meta = call('HMGET', keys[1], 'x', 'd', 'v:' .. args[1], 's:' .. args[1])
        if meta[1] then return 'EDEAD' end
        if meta[2] and was_dropped(meta[2], tonumber(args[2]), tonumber(args[3])) then
            return 'EDROPPED'
        end
        local version, members = meta[3] or '', call('ZCARD', rank)
        local answer = {version, members, meta[4] and 1 or 0}
        if (version:match('^%d+') or '0') == args[4] then return 'R' .. cmsgpack.pack(answer) end

        local spec, groups, asks = args[5], args[6] == '1', cmsgpack.unpack(args[7])
        local rules = rules_of(spec)
        local fields_width = 8 * (rules.n - 1)
        local ranks, held = ranks_of(scores, rank, spec, asks)
        local is_list = args[8] == '1'
        for place, ask in ipairs(asks) do
            local anchor
            if ask[3] == 'r' then
                anchor = math.min(ask[4], members)
            elseif ask[3] == 'b' then
                anchor = count_above(rank, digits(ask[4]), ask[5], ask[6])
            else
                anchor = ranks[ask[4]]
            end
            local start, group, entries, standings, own = 0, 0, {}, {}, ''
            if ask[3] == 'm' and (anchor and ask[2] > 0 or is_list and not anchor) then
                own = held[ask[4]] or ''
            end
            if anchor then
                start = math.max(anchor - ask[1], 0)
                local last = math.min(anchor + ask[2], members) - 1
                if start <= last then
                    entries = call('ZREVRANGE', rank, start, last, 'WITHSCORES')
                end
                group = start
                if groups and start > 0 and entries[1] then
                    if rules.packed then
                        local alike = least_alike(rules.packed, tonumber(entries[2]))
                        group = count_above(rank, digits(alike + rules.packed.units), '', false)
                    else
                        local fields = entries[1]:sub(1, fields_width)
                        group = count_above(rank, entries[2], fields, true, fields_width)
                    end
                end
                if rules.by_member then standings = standings_of(scores, names_in(rules, entries)) end
            end
            answer[place + 3] = {anchor or -1, start, group, entries, standings, own}
        end
        return 'R' .. cmsgpack.pack(answer)
    end)
end
