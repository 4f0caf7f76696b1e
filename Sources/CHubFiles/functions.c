#include "CHubFiles.h"

// The Redis functions, beside the Swift of their capability in Sources/Hub, read by the compiler where they lie: a new file is its bytes and its
// row of the table here, and nothing anywhere else. `tools/check` finds those that were forgotten.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char json[] = {
#embed "../Hub/Redis/json.lua"
};
static const unsigned char settings[] = {
#embed "../Hub/Redis/settings.lua"
};
static const unsigned char workers[] = {
#embed "../Hub/Redis/workers.lua"
};
static const unsigned char waking[] = {
#embed "../Hub/Push/waking.lua"
};
static const unsigned char wishes[] = {
#embed "../Hub/Notifications/wishes.lua"
};
static const unsigned char core[] = {
#embed "../Hub/Redis/core.lua"
};
static const unsigned char hub_time[] = {
#embed "../Hub/Redis/hub_time.lua"
};
static const unsigned char portions[] = {
#embed "../Hub/Redis/portions.lua"
};
static const unsigned char distances[] = {
#embed "../Hub/Redis/distances.lua"
};
static const unsigned char limits[] = {
#embed "../Hub/Redis/limits.lua"
};
static const unsigned char room[] = {
#embed "../Hub/Rides/room.lua"
};
static const unsigned char passed[] = {
#embed "../Hub/Rides/passed.lua"
};
static const unsigned char crowd[] = {
#embed "../Hub/Rides/crowd.lua"
};
static const unsigned char revocations[] = {
#embed "../Hub/Office/revocations.lua"
};
static const unsigned char blocks[] = {
#embed "../Hub/Office/blocks.lua"
};
static const unsigned char walk[] = {
#embed "../Hub/Pickups/walk.lua"
};
static const unsigned char people[] = {
#embed "../Hub/Sessions/people.lua"
};
static const unsigned char notify[] = {
#embed "../Hub/Notifications/notify.lua"
};
static const unsigned char subscriptions[] = {
#embed "../Hub/Push/subscriptions.lua"
};
static const unsigned char figures[] = {
#embed "../Hub/Statistics/figures.lua"
};
static const unsigned char taxi_figures[] = {
#embed "../Hub/Statistics/taxi_figures.lua"
};
static const unsigned char seat_figures[] = {
#embed "../Hub/Statistics/seat_figures.lua"
};
static const unsigned char trip[] = {
#embed "../Hub/Trips/trip.lua"
};
static const unsigned char receipt[] = {
#embed "../Hub/Trips/receipt.lua"
};
static const unsigned char rating[] = {
#embed "../Hub/Trips/rating.lua"
};
static const unsigned char audit[] = {
#embed "../Hub/Office/audit.lua"
};
static const unsigned char reliability[] = {
#embed "../Hub/Reliability/reliability.lua"
};
static const unsigned char callers[] = {
#embed "../Hub/Office/callers.lua"
};
static const unsigned char coming[] = {
#embed "../Hub/Pickups/coming.lua"
};
static const unsigned char papers[] = {
#embed "../Hub/Registry/papers.lua"
};
static const unsigned char lost[] = {
#embed "../Hub/Rides/lost.lua"
};
static const unsigned char queue[] = {
#embed "../Hub/Rides/queue.lua"
};
static const unsigned char candidates[] = {
#embed "../Hub/Rides/candidates.lua"
};
static const unsigned char search[] = {
#embed "../Hub/Rides/search.lua"
};
static const unsigned char offer[] = {
#embed "../Hub/Rides/offer.lua"
};
static const unsigned char request[] = {
#embed "../Hub/Rides/request.lua"
};
static const unsigned char ride[] = {
#embed "../Hub/Rides/ride.lua"
};
static const unsigned char ride_end[] = {
#embed "../Hub/Rides/ride_end.lua"
};
static const unsigned char share[] = {
#embed "../Hub/Sharing/share.lua"
};
static const unsigned char reservation_due[] = {
#embed "../Hub/Reservations/reservation_due.lua"
};
static const unsigned char reservation[] = {
#embed "../Hub/Reservations/reservation.lua"
};
static const unsigned char seat[] = {
#embed "../Hub/Seats/seat.lua"
};
static const unsigned char seat_cancel[] = {
#embed "../Hub/Seats/seat_cancel.lua"
};
static const unsigned char seat_search[] = {
#embed "../Hub/Seats/seat_search.lua"
};
static const unsigned char pickup[] = {
#embed "../Hub/Seats/pickup.lua"
};
static const unsigned char minibus[] = {
#embed "../Hub/Seats/minibus.lua"
};
static const unsigned char driver[] = {
#embed "../Hub/Rides/driver.lua"
};
static const unsigned char registry[] = {
#embed "../Hub/Registry/registry.lua"
};
static const unsigned char office[] = {
#embed "../Hub/Office/office.lua"
};
static const unsigned char office_rides[] = {
#embed "../Hub/Office/office_rides.lua"
};
static const unsigned char office_sessions[] = {
#embed "../Hub/Office/office_sessions.lua"
};
static const unsigned char sos[] = {
#embed "../Hub/Safety/sos.lua"
};
static const unsigned char report[] = {
#embed "../Hub/Safety/report.lua"
};
static const unsigned char bus[] = {
#embed "../Hub/Tours/bus.lua"
};
static const unsigned char stop[] = {
#embed "../Hub/Stops/stop.lua"
};
static const unsigned char stop_tours[] = {
#embed "../Hub/Stops/stop_tours.lua"
};
static const unsigned char stop_times[] = {
#embed "../Hub/Stops/stop_times.lua"
};
static const unsigned char stop_request[] = {
#embed "../Hub/Stops/stop_request.lua"
};
static const unsigned char stop_answers[] = {
#embed "../Hub/Stops/stop_answers.lua"
};
static const unsigned char stop_way[] = {
#embed "../Hub/Stops/stop_way.lua"
};
static const unsigned char stop_line[] = {
#embed "../Hub/Stops/stop_line.lua"
};
static const unsigned char tour[] = {
#embed "../Hub/Tours/tour.lua"
};
static const unsigned char line[] = {
#embed "../Hub/Tours/line.lua"
};
static const unsigned char broadcast[] = {
#embed "../Hub/Broadcasts/broadcast.lua"
};
static const unsigned char presence[] = {
#embed "../Hub/Sessions/presence.lua"
};
static const unsigned char feed[] = {
#embed "../Hub/VehicleFeeds/feed.lua"
};
static const unsigned char sweep[] = {
#embed "../Hub/Worker/sweep.lua"
};
static const unsigned char publisher[] = {
#embed "../Hub/Topics/publisher.lua"
};
static const unsigned char topic[] = {
#embed "../Hub/Topics/topic.lua"
};
static const unsigned char events[] = {
#embed "../Hub/Events/events.lua"
};
static const unsigned char catalog[] = {
#embed "../Hub/Catalog/catalog.lua"
};
static const unsigned char realtime[] = {
#embed "../Hub/Realtime/realtime.lua"
};
static const unsigned char advice[] = {
#embed "../Hub/Advice/advice.lua"
};
static const unsigned char travel[] = {
#embed "../Hub/Pickups/travel.lua"
};

#define MODULE(name) {#name, name, sizeof name}

// In the order in which they import one another.
static const struct kerbside_file functions[] = {
    MODULE(json),
    MODULE(settings),
    MODULE(workers),
    MODULE(waking),
    MODULE(wishes),
    MODULE(core),
    MODULE(hub_time),
    MODULE(portions),
    MODULE(distances),
    MODULE(limits),
    MODULE(room),
    MODULE(passed),
    MODULE(crowd),
    MODULE(revocations),
    MODULE(blocks),
    MODULE(walk),
    MODULE(people),
    MODULE(notify),
    MODULE(subscriptions),
    MODULE(figures),
    MODULE(taxi_figures),
    MODULE(seat_figures),
    MODULE(trip),
    MODULE(receipt),
    MODULE(rating),
    MODULE(audit),
    MODULE(reliability),
    MODULE(callers),
    MODULE(coming),
    MODULE(papers),
    MODULE(lost),
    MODULE(queue),
    MODULE(candidates),
    MODULE(search),
    MODULE(offer),
    MODULE(request),
    MODULE(ride),
    MODULE(ride_end),
    MODULE(share),
    MODULE(reservation_due),
    MODULE(reservation),
    MODULE(seat),
    MODULE(seat_search),
    MODULE(pickup),
    MODULE(minibus),
    MODULE(seat_cancel),
    MODULE(driver),
    MODULE(registry),
    MODULE(office),
    MODULE(office_rides),
    MODULE(office_sessions),
    MODULE(sos),
    MODULE(report),
    MODULE(bus),
    MODULE(stop),
    MODULE(stop_tours),
    MODULE(stop_times),
    MODULE(stop_request),
    MODULE(stop_answers),
    MODULE(stop_way),
    MODULE(stop_line),
    MODULE(tour),
    MODULE(line),
    MODULE(broadcast),
    MODULE(presence),
    MODULE(feed),
    MODULE(sweep),
    MODULE(publisher),
    MODULE(topic),
    MODULE(events),
    MODULE(catalog),
    MODULE(realtime),
    MODULE(advice),
    MODULE(travel),
};

const struct kerbside_file *kerbside_function_file(size_t index) {
    return index < sizeof functions / sizeof functions[0] ? &functions[index] : NULL;
}
