-- Numbers and JSON as text, for what is told of each ride.

-- A whole number as text. Small ones come again and again: Lua prints a number with all its digits, which takes longer than to find it here.
local numerals = {}

local function digits(number)
    local text = numerals[number]
    if text then return text end
    text = string.format('%d', number)
    if number < 4096 then numerals[number] = text end
    return text
end

-- Text in JSON. What is known stays so: zones, and what else comes again and again. Ids (of people, vehicles, rides) need none of it: they are of
-- letters, digits and `_.-:` alone (Identifier in Settings).
local quotes, quote_count = {}, 0

local function quoted(text)
    local known = quotes[text]
    if known then return known end
    if quote_count >= 4096 then quotes, quote_count = {}, 0 end
    quotes[text], quote_count = cjson.encode(text), quote_count + 1
    return quotes[text]
end

-- The JSON of an event, or of what a command answers: of a table, or a text that is it already. Those of each ride are texts: of a table it takes
-- three times as long, and the library of Lua prints each number with all its digits.
local function encode(data)
    if type(data) == 'string' then return data end
    return cjson.encode(data)
end

-- A place in such a text. lat, lon: as text.
local function point(lat, lon) return '{"lat":' .. lat .. ',"lon":' .. lon .. '}' end

return { digits = digits, quoted = quoted, encode = encode, point = point }
