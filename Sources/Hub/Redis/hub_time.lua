-- Hub time that was set back: what was heard before lies ahead, and is no newer than what is heard now.

-- So far, real ms, a worker's hub time may be ahead of that of Redis without a step of the machine's clock (`HubClock.jumpMs`).
local JUMP_MS = 5000

-- Whether what was heard at a time, hub ms, was heard before hub time was set back.
local function is_from_before(c, heard) return heard > c.now + JUMP_MS * math.max(1, c.clock_scale) end

return { is_from_before = is_from_before }
