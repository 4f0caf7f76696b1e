import ClientSupport

/// Reads a city's whole state in one step, so that no change can come between two parts of it. It looks for keys by
/// pattern, which takes time on a large Redis: for test runs only.
///
/// KEYS[1] `{city}:settings`. Answers JSON; scores and rounds as strings.
enum SnapshotScript {
    static let text = """
        local p = string.sub(KEYS[1], 1, -9)
        local function names(kind) return redis.call('KEYS', p .. kind .. ':*') end
        local function hash(key)
            local flat, fields = redis.call('HGETALL', key), {}
            for i = 1, #flat, 2 do fields[flat[i]] = flat[i + 1] end
            return fields
        end
        local s = { queues = {}, free = {}, vehicles = {}, rides = {}, passengers = {}, added = '0',
            noshow_wait = redis.call('HGET', KEYS[1], 'noshow_wait_ms'), round_pause = redis.call('HGET', KEYS[1], 'round_pause_ms'),
            recovery = redis.call('HGET', KEYS[1], 'recovery_ms') }
        local last = redis.call('XREVRANGE', p .. 'events', '+', '-', 'COUNT', 1)
        if last[1] then
            s.last = last[1][1]
            local info = redis.call('XINFO', 'STREAM', p .. 'events')
            for i = 1, #info, 2 do
                if info[i] == 'entries-added' then s.added = tostring(info[i + 1]) end
            end
        end
        local function scores(kind, into)
            for _, key in ipairs(names(kind)) do
                local flat, members = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES'), {}
                for i = 1, #flat, 2 do members[flat[i]] = flat[i + 1] end
                into[string.sub(key, #p + #kind + 2)] = members
            end
        end
        scores('queue', s.queues)
        scores('free', s.free)
        for _, key in ipairs(names('vehicle')) do s.vehicles[string.sub(key, #p + 9)] = hash(key) end
        for _, key in ipairs(names('ride')) do
            local ride = string.sub(key, #p + 6)
            local fields = hash(key)
            fields.asked = table.concat(redis.call('ZRANGE', p .. 'asks:' .. ride, 1, 1, 'BYSCORE'), ' ')
            -- Whom it is offered to now.
            if fields.state == 'offered' then fields.asked = fields.asked .. ' ' .. fields.offered_to end
            s.rides[ride] = fields
        end
        for _, key in ipairs(names('passenger')) do
            local ride = redis.call('HGET', key, 'ride')
            if ride then s.passengers[string.sub(key, #p + 11)] = ride end
        end
        return cjson.encode(s)
        """
}
