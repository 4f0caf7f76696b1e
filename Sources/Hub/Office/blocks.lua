-- Blocks. Whom the office has blocked says the hash that is read anyway: `blocked` of `vehicle:<driver>`, `passenger:<id>` or
-- `busdriver:<id>`, as
-- `<until> <since> <by> <reason>`: hub time in ms, 0 for good, and the operator's subject. It ends by itself. A pause by the hub itself is such a
-- mark, too; beside a block by the office it stands on a second line, so that neither takes the other away.

local refuse = import('core', 'refuse')

-- By whom the hub itself pauses somebody (reliability.lua).
local blocks = { HUB = 'hub:reliability' }

function blocks.mark(c, till, by, reason) return till .. ' ' .. c.now_text .. ' ' .. by .. ' ' .. reason end

-- The first line of a mark that holds, read and as it is; nil: none. by_hub: true: only the hub's pause; false: only the office's block;
-- nil: either.
local function line(c, mark, by_hub)
    for one in string.gmatch(mark or '', '[^\n]+') do
        local till, since, by, reason = string.match(one, '^(%d+) (%d+) (%S+) (.*)$')
        if till and (till == '0' or tonumber(till) > c.now) and (by_hub == nil or by_hub == (by == blocks.HUB)) then
            return { ['until'] = till ~= '0' and tonumber(till) or nil, since = tonumber(since), by = by, reason = reason }, one
        end
    end
end

-- What a mark says, as long as it holds; nil: nothing, or no more. A block by the office comes first.
function blocks.read(c, mark) return (line(c, mark)) end

-- What it says of a pause by the hub.
function blocks.pause(c, mark) return (line(c, mark, true)) end

-- A mark of a block by the office (nil: none) and a pause by the hub (nil: none); nil: neither.
function blocks.joined(block, pause) return block and pause and block .. '\n' .. pause or block or pause end

-- The part of a mark that is the office's, or the hub's, as long as it holds.
function blocks.part(c, mark, by_hub)
    local _, one = line(c, mark, by_hub)
    return one
end

-- Until when a mark is of any account, hub ms as text: '0' for good; nil: it is none.
function blocks.till(mark)
    local latest
    for one in string.gmatch(mark or '', '[^\n]+') do
        local till = string.match(one, '^(%d+) ')
        if till == '0' then return till end
        if till and (not latest or tonumber(till) > tonumber(latest)) then latest = till end
    end
    return latest
end

function blocks.holds(c, mark) return mark and blocks.read(c, mark) ~= nil end

-- A time in ms as people write it, to the next minute, by UTC: Redis gives its functions no calendar. Years begin in March here, so
-- that the odd day is their last one.
local function written(ms)
    local minutes = math.ceil(ms / 60000)
    local days = math.floor(minutes / 1440) + 719468
    local era, day = math.floor(days / 146097), days % 146097
    local year = math.floor((day - math.floor(day / 1460) + math.floor(day / 36524) - math.floor(day / 146096)) / 365)
    local of_year = day - 365 * year - math.floor(year / 4) + math.floor(year / 100)
    local month = math.floor((5 * of_year + 2) / 153)
    local of_month = of_year - math.floor((153 * month + 2) / 5) + 1
    year, month = year + 400 * era + (month >= 10 and 1 or 0), month < 10 and month + 3 or month - 9
    return string.format('%04d-%02d-%02d %02d:%02d UTC', year, month, of_month, math.floor(minutes % 1440 / 60), minutes % 60)
end

-- What who is blocked is told.
function blocks.text(block)
    local till = block['until'] and ' until ' .. written(block['until']) or ''
    if block.by == blocks.HUB then return 'You are paused' .. till .. '; the office can help. The reason: ' .. block.reason end
    return 'The office has blocked you' .. till .. '; turn to the office. Its reason: ' .. block.reason
end

-- Refuses what a blocked one may not do; nil: it is not blocked.
function blocks.refusal(c, mark)
    local block = mark and blocks.read(c, mark)
    return block and refuse('forbidden', blocks.text(block), block['until'] and block['until'] - c.now)
end

return { blocks = blocks }
