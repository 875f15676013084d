-- `redis` as functions know it, over whoever resumes them.
--
-- A command is a yield: what the function is resumed with is its answer. Answers the functions that are
-- registered, by name.

local functions = {}
local ask = coroutine.yield

-- The first members of a sorted set whose scores are all alike, between two bounds. Asked for by their ranks: a
-- plain list of names might be taken for a message.
local function by_lex(key, from, to, word, offset, count)
    local begins = from == '-' or from:sub(1, 1) == '(' or from:sub(1, 1) == '['
    local ends = to == '+' or to and to:sub(1, 1) == '('
    if not begins or not ends or word ~= 'LIMIT' or tonumber(offset) ~= 0 then
        error('ZRANGEBYLEX is known as KEY -|(FROM|[FROM +|(TO LIMIT 0 COUNT')
    end
    local first = 0
    if from ~= '-' then
        local other = from:sub(1, 1) == '(' and '[' or '('
        first = ask('ZLEXCOUNT', key, '-', other .. from:sub(2))
    end
    local last = first + tonumber(count)
    if to ~= '+' then last = math.min(last, ask('ZLEXCOUNT', key, '-', to)) end
    if last <= first then return {} end
    return ask('ZRANGE', key, first, last - 1)
end

redis = {
    call = function(command, ...)
        if command == 'ZRANGEBYLEX' then return by_lex(...) end
        return ask(command, ...)
    end,
    register_function = function(given) functions[given.function_name] = given.callback end,
}

return functions
