-- `redis` as functions know it, over whoever resumes them.
--
-- A command is a yield: what the function is resumed with is its answer. Answers the functions that are
-- registered, by name.

local functions = {}
local ask = coroutine.yield

-- The first members of a sorted set whose scores are all alike, behind `from`. Asked for by their ranks: a
-- plain list of names might be taken for a message.
local function by_lex(key, from, to, word, offset, count)
    local behind = from == '-' or from:sub(1, 1) == '('
    if not behind or to ~= '+' or word ~= 'LIMIT' or tonumber(offset) ~= 0 then
        error('ZRANGEBYLEX is known as KEY -|(FROM + LIMIT 0 COUNT')
    end
    local first = 0
    if from ~= '-' then first = ask('ZLEXCOUNT', key, '-', '[' .. from:sub(2)) end
    return ask('ZRANGE', key, first, first + tonumber(count) - 1)
end

redis = {
    call = function(command, ...)
        if command == 'ZRANGEBYLEX' then return by_lex(...) end
        return ask(command, ...)
    end,
    register_function = function(given) functions[given.function_name] = given.callback end,
}

return functions
