-- What the registry keeps, as text, and the calls that it remembers.
--
-- A board that was created: 'LIFE SHARDS MEANING AT TOUCHED SERVERS EMPTYING ACTIVITY'. AT is when its settings were made, or
-- when it was created without any; EMPTYING is '-', or while an idle board is being emptied the time up to which its
-- writes go. A board with settings only:
-- 'LIFE SHARDS AT ACTIVITY'. ACTIVITY is '-', or where the board's time is bounded
-- 'STARTS,ENDS,EXPIRES', each of them microseconds or '-': EXPIRES is the time when it is deleted, not how long it is
-- kept. Behind it may stand ',IDLE': after how many milliseconds without a write it is deleted. All other times of the
-- registry are milliseconds, rounded down.
-- A kind: 'REVISION MEANING JSON', deleted 'REVISION - '.

-- What the call of this key and number was answered, if it was done before.
local function remembered(key, number)
    local held = call('GET', key)
    local begins = number .. ' '
    if held and held:sub(1, #begins) == begins then
        -- Said again it is written again: replicas that have this have what it speaks of.
        call('PEXPIRE', key, REMEMBERED_MS)
        return held:sub(#begins + 1)
    end
end

local function remember(key, number, answer)
    call('SET', key, number .. ' ' .. answer, 'PX', REMEMBERED_MS)
    return answer
end

-- What the boards of a kind mean, if it is at this revision and was not deleted.
local function meaning_at(kinds, kind, revision)
    local held, meaning = (call('HGET', kinds, kind) or ''):match('^(%d+) (%x+) ')
    if held == revision then return meaning end
end

local RECORD = {'incarnation', 'shards', 'meaning', 'at', 'touched', 'servers', 'emptying', 'activity'}

local function record_text(record)
    local words = {}
    for i, name in ipairs(RECORD) do words[i] = record[name] end
    return table.concat(words, ' ')
end

-- The record of a created board, and its text.
local function record_of(boards, subject)
    local text = call('HGET', boards, subject)
    if not text then return nil end
    local record, i = {}, 0
    for word in text:gmatch('%S+') do
        i = i + 1
        record[RECORD[i]] = word
    end
    return record, text
end

-- A board with settings only: its incarnation, how many shards, since when, and its time.
local function settings_of(settled, subject)
    local text = call('HGET', settled, subject)
    if not text then return nil end
    return text:match('^(%x+) (%d+) (%S+) (%S+)$')
end

-- When a board of this time goes, if it does, in milliseconds. A number has not every digit of a time after 2255, so
-- it may be due a little early or late.
local function expires_at(activity)
    local us = tonumber(activity:match('^[^,]+,[^,]+,([^,]+)'))
    return us and math.floor(us / 1000)
end

-- After how many milliseconds without a write a board of this time goes, if it does.
local function idle_of(activity)
    return tonumber(activity:match('^[^,]+,[^,]+,[^,]+,(%d+)$'))
end

-- When a board is due; nothing while a sweep is about it, which will say so.
local function next_due(due, name)
    local at = tonumber(call('ZSCORE', due, name) or 0.5)
    return at == math.floor(at) and digits(at) or '-'
end
