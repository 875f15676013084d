-- What every function uses: registering, refusing, deadlines.
--
-- A function answers one string: 'R' and its payload, or 'E' and why it refuses.

-- `redis.call`: while a library is loaded, neither that nor any library of Lua's is there.
local call

local function register(name, flags, callback)
    redis.register_function{
        function_name = 'megaboard_' .. name .. '_@DIGEST@',
        callback = function(keys, args)
            call = redis.call
            return callback(keys, args)
        end,
        flags = flags,
    }
end

-- How long a call is remembered, in milliseconds: far longer than it may be sent again.
local REMEMBERED_MS = 120000

-- The node's clock in milliseconds.
local function node_ms()
    local time = call('TIME')
    return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- A function's write goes on only until its deadline: args[1], by the node's clock.
local function is_late(deadline)
    return node_ms() > tonumber(deadline)
end

-- What a shard's meta has as the time of its board (`a`) while a change of it is being decided.
local UNDECIDED = '?'

-- Why a call is refused that comes after its deadline, nothing before it. So long after it as by no delay, the
-- node's clock was set: then what is remembered of the call, if it was done before, may be forgotten.
local FORGOTTEN_MS = REMEMBERED_MS / 2
local function lateness(deadline, ms)
    local late_ms = (ms or node_ms()) - tonumber(deadline)
    if late_ms > FORGOTTEN_MS then return 'EFORGOTTEN' end
    if late_ms > 0 then return 'ELATE' end
end

-- Why a reader that has seen another time of the board (`a` of the meta) is refused, if it is. While a change is being
-- decided it waits; if that was given up, it asks the registry what was decided.
local function settings_refusal(held, seen, freeze)
    if held == seen then return nil end
    if held ~= UNDECIDED then return 'ESETTINGS' end
    local ends = freeze and freeze:match('%d+$')
    return ends and node_ms() < tonumber(ends) and 'EFROZEN' or 'ETHAW'
end

register('ping', {'no-writes'}, function() return 'R' end)
