-- Hub time may be set back. What was heard before that has a time ahead of now, and does not count as newer than what is heard now.

-- A worker's hub time may be ahead of that of Redis by so much, real ms, without a step of the machine's clock (`HubClock.jumpMs`).
local JUMP_MS = 5000

-- Whether what was heard at a time, hub ms, was heard before hub time was set back.
local function is_from_before(c, heard) return heard > c.now + JUMP_MS * math.max(1, c.clock_scale) end

return { is_from_before = is_from_before }
