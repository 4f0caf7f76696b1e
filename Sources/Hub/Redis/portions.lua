-- Lists of which each element costs much are read in portions: between two of them Redis carries out what others want. Which elements
-- there are, and in which order, is settled by the first call, whatever comes, goes or moves until the last one is read.

local portions = {}

-- So many elements are read in one call: 0.5 to 0.8 ms of Redis.
local MOST = 25

-- What a list's function answers of the first `count` of these ids, which are words. before, after: what the reply has around its
-- elements; read: makes the JSON of one of them, or nil. Answers the reply; of a longer list a table (`ListPortions` in Swift reads it):
-- the reply up to the last element of the first portion, what comes after all elements, and for each portion that is left its ids, a
-- space between.
function portions.first(before, after, ids, count, read)
    local found = {}
    for i = 1, math.min(count, MOST) do found[#found + 1] = read(ids[i]) end
    local text = '+' .. before .. table.concat(found, ',')
    if count <= MOST then return text .. after end
    local parts = { text, after }
    for i = MOST + 1, count, MOST do parts[#parts + 1] = table.concat(ids, ' ', i, math.min(count, i + MOST - 1)) end
    return parts
end

-- What the function answers that reads another portion: its elements, a comma between. ids: as `first` has answered them.
function portions.next(ids, read)
    local found = {}
    for id in string.gmatch(ids, '%S+') do found[#found + 1] = read(id) end
    return '+' .. table.concat(found, ',')
end

return { portions = portions }
