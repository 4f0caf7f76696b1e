// Written by tools/generate from config/contract/events.yaml; not to be edited.

extension EventCatalogue {
    public static let version = 6

    /// Of each event its name and its fields, `!` behind those that are personal.
    static let rows = """
        audit id operator command target! reason! before! after!
        catalog.changed version changed
        driver.away driver reason
        driver.back driver
        driver.offline driver reason
        driver.online driver reason
        driver.registered driver name! phone! company photo! licence! licence_until! medical_until! vehicle capabilities by at
        driver.removed driver
        notify.sent notice operator to zone text! people
        offer.declined ride zone driver
        offer.expired ride zone driver
        offer.made ride zone driver round attempt reason
        offer.seen ride zone driver
        offer.undelivered ride zone driver
        offer.withdrawn ride zone driver reason
        papers.ending driver paper! until! days!
        payment.changed ride booking zone driver passenger! receipt payment_state
        queue.bottom driver zone score reason
        queue.joined driver zone score reason
        queue.left driver zone reason
        queue.passed_over driver zone times
        reliability.paused passenger! driver kind! total! paused_until!
        reliability.warned passenger! driver kind! total!
        report.closed report operator
        report.sent report category
        reservation.assigned reservation ride zone driver passenger!
        reservation.cancelled reservation ride zone passenger! by reason text!
        reservation.failed reservation ride zone passenger! code
        reservation.made reservation passenger! zone at passengers lat! lon! to_lat! to_lon! payment
        reservation.searching reservation ride zone passenger!
        ride.aboard ride zone driver passengers
        ride.accepted ride zone driver passenger!
        ride.arrived ride zone driver distance_m
        ride.cancelled ride zone driver passenger! by text! aboard_s driven_m
        ride.driver_back ride zone driver passenger!
        ride.driver_lost ride zone driver passenger!
        ride.ended ride zone driver passenger! reason text! receipt payment payment_state amount currency
        ride.failed ride zone passenger! code
        ride.near ride zone driver distance_m
        ride.noshow ride zone driver passenger!
        ride.pickup_moved ride zone driver moved_m
        ride.requested ride passenger! zone passengers lat! lon! to_lat! to_lon! needs!
        ride.searching ride zone driver round reason
        schedule.changed tour bus line reason index stop minutes delay_s
        seat.aboard booking zone driver passenger! passengers
        seat.arrived booking zone driver distance_m
        seat.asked booking zone driver
        seat.cancelled booking zone driver passenger! by reason text! route
        seat.confirmed booking zone driver passenger! passengers
        seat.declined booking zone driver passenger! reason route from_cell! to_cell!
        seat.driver_back booking zone driver passenger!
        seat.driver_lost booking zone driver passenger!
        seat.ended booking zone driver passenger! route receipt payment payment_state amount currency reason text!
        seat.near booking zone driver distance_m
        seat.pickup_moved booking zone driver moved_m
        seat.requested booking zone driver passenger! passengers
        seat.searching booking zone driver passenger! reason
        seat.seen booking zone driver
        seat.undelivered booking zone driver
        seat.unmet zone passenger! passengers reason route from_cell! to_cell!
        seats.changed driver taken seats delta reason! booking version tour bus line
        seats.clamped driver taken capacity reason! booking
        sos.acknowledged sos operator
        sos.cancelled sos
        sos.closed sos operator
        sos.raised sos role subject! ride booking tour vehicle
        sos.updated sos
        stop.accepted request line tour bus citizen!
        stop.arrived request line tour bus distance_m
        stop.cancelled request line tour bus citizen!
        stop.completed request line tour bus citizen!
        stop.declined request line tour bus citizen!
        stop.expired request line tour bus citizen! reason
        stop.near request line tour bus distance_m
        stop.noshow request line tour bus citizen!
        stop.passed tour bus line pattern index stop by delay_s
        stop.reminder request line tour bus
        stop.reopened request line tour bus citizen! reason
        stop.requested request line tour bus citizen! at passengers lat! lon! stop back
        stop.taken_over request line tour bus citizen! from
        stop.unanswered request line tour bus
        tour.ended tour bus line driver reason
        tour.started tour bus line driver pattern trip
        trip.rated ride booking zone driver passenger! by stars! route route_stars! text!
        vehicle.registered vehicle plate registration company model colour capabilities code! by at
        vehicle.removed vehicle
        """

    /// The fields that a channel may choose by, after the name of their filter.
    static let filterRows = """
        line line
        vehicle bus driver vehicle
        zone zone
        """
}
