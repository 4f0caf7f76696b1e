-- A booking is taken back, by its passenger or its driver.

local ok, once, refuse, register = import('core', 'ok', 'once', 'refuse', 'register')
local forget_place, vehicle = import('core', 'forget_place', 'vehicle')
local blocks = import('blocks', 'blocks')
local callers = import('callers', 'callers')
local how_it_comes, is_elsewhere, pay = import('coming', 'how_it_comes', 'is_elsewhere', 'pay')
local cancels = import('limits', 'cancels')
local reliability = import('reliability', 'reliability')
local go_offline = import('minibus', 'go_offline')
local meant = import('ride', 'meant')
local cancel_confirmed, cancel_unanswered = import('seat', 'cancel_confirmed', 'cancel_unanswered')

-- seat_cancel: role (passenger or driver), subject, booking ('' = a passenger's open one), key, who asks for one who telephones.
register('seat_cancel', { 'role', 'subject', 'booking', 'key', 'by?' }, function(c, given)
    local role, subject = given.role, given.subject
    local function cancel()
        local booking, b, no = meant(c, 'booking', role, subject, given.booking)
        if no then return no end
        if b.state == 'cancelled' then return ok({ booking = booking, state = 'cancelled' }), false end
        local was = { state = b.state, driver = b.driver }
        local v = vehicle(c, b.driver)
        local left = b.state == 'aboard' and (role == 'driver' and math.huge or cancels.aboard_for(c, b.aboard_at)) or 0
        if left == math.huge then return refuse('not_available', 'The passenger is aboard: end the booking.') end
        if left > 0 then return cancels.still_aboard(left, 'booking') end
        local how = b.state == 'confirmed' and not v.missing and (b.from and how_it_comes(c, b, v) or 'comes')
        if role == 'passenger' and how then
            pay(c, how, b, v, subject, b.driver)
        elseif role == 'passenger' and b.state == 'aboard' then
            -- Nobody but the two knows who is right: both pay, so that neither can often have a ride, or a fare, for nothing.
            pay(c, 'unclear', b, v, subject, b.driver)
        elseif role == 'passenger' and b.state == 'offered' then
            cancels.add(c, subject)
        elseif role == 'passenger' and b.state == 'waiting' then
            cancels.add(c, subject, not b.rang and 'w' or nil)
        elseif role == 'driver' and b.state == 'confirmed' then
            -- Who came and waited as long as a taxi must has found nobody; else the driver gives back what it has promised.
            local waited = b.arrived_at and c.now - b.arrived_at >= c.noshow_wait_ms and not is_elsewhere(b, v)
            if waited then
                cancels.missed(c, b.passenger, b.passengers)
                reliability.count(c, 'passenger', b.passenger, 'no_shows')
            else
                cancels.add(c, 'driver:' .. subject)
                reliability.count(c, 'driver', subject, 'give_backs', v)
            end
        end
        if b.state == 'confirmed' or b.state == 'aboard' then
            cancel_confirmed(c, booking, b, v, role, role)
            -- What it gave back may have been too much: then it is not to be booked on.
            if v.state == 'available' and blocks.holds(c, v.blocked) then
                forget_place(c, b.driver)
                go_offline(c, b.driver, v, 'paused')
            end
        elseif b.state == 'waiting' or b.state == 'offered' then
            if role == 'driver' then return refuse('not_available', 'It waits for your answer: send seat.decline.') end
            cancel_unanswered(c, booking, b, v, 'passenger')
        else
            return refuse('not_available', 'The booking is over: it is ' .. b.state .. '.')
        end
        return ok({ booking = booking, state = 'cancelled' }), was
    end
    if role == 'passenger' then return callers.once(c, 'seat.cancel', subject, given.key, given.by, 'booking', cancel) end
    return once(c, 'seat.cancel', role .. ':' .. subject, given.key, cancel)
end)
