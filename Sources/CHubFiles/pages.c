#include "CHubFiles.h"

// What the hub serves to browsers, read by the compiler where it lies: a new file is its bytes and its row of the table here,
// and nothing anywhere else. `tools/check` finds those that were forgotten.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char line_index_html[] = {
#embed "../pages/line/index.html"
};
static const unsigned char line_line_css[] = {
#embed "../pages/line/line.css"
};
static const unsigned char line_line_js[] = {
#embed "../pages/line/line.js"
};
static const unsigned char board_board_css[] = {
#embed "../pages/board/board.css"
};
static const unsigned char board_board_js[] = {
#embed "../pages/board/board.js"
};
static const unsigned char board_index_html[] = {
#embed "../pages/board/index.html"
};
static const unsigned char join_index_html[] = {
#embed "../pages/join/index.html"
};
static const unsigned char join_join_js[] = {
#embed "../pages/join/join.js"
};
static const unsigned char drive_drive_css[] = {
#embed "../pages/drive/drive.css"
};
static const unsigned char drive_drive_js[] = {
#embed "../pages/drive/drive.js"
};
static const unsigned char drive_index_html[] = {
#embed "../pages/drive/index.html"
};
static const unsigned char drive_minibus_js[] = {
#embed "../pages/drive/minibus.js"
};
static const unsigned char drive_ground_js[] = {
#embed "../pages/drive/ground.js"
};
static const unsigned char drive_hand_js[] = {
#embed "../pages/drive/hand.js"
};
static const unsigned char drive_offer_js[] = {
#embed "../pages/drive/offer.js"
};
static const unsigned char drive_place_js[] = {
#embed "../pages/drive/place.js"
};
static const unsigned char drive_ring_js[] = {
#embed "../pages/drive/ring.js"
};
static const unsigned char drive_route_js[] = {
#embed "../pages/drive/route.js"
};
static const unsigned char drive_sos_js[] = {
#embed "../pages/drive/sos.js"
};
static const unsigned char drive_state_js[] = {
#embed "../pages/drive/state.js"
};
static const unsigned char drive_views_js[] = {
#embed "../pages/drive/views.js"
};
static const unsigned char drive_words_js[] = {
#embed "../pages/drive/words.js"
};
static const unsigned char bus_alarm_js[] = {
#embed "../pages/bus/alarm.js"
};
static const unsigned char bus_morph_js[] = {
#embed "../pages/bus/morph.js"
};
static const unsigned char bus_bus_css[] = {
#embed "../pages/bus/bus.css"
};
static const unsigned char bus_bus_js[] = {
#embed "../pages/bus/bus.js"
};
static const unsigned char bus_choice_js[] = {
#embed "../pages/bus/choice.js"
};
static const unsigned char bus_device_js[] = {
#embed "../pages/bus/device.js"
};
static const unsigned char bus_driving_js[] = {
#embed "../pages/bus/driving.js"
};
static const unsigned char bus_duty_js[] = {
#embed "../pages/bus/duty.js"
};
static const unsigned char bus_index_html[] = {
#embed "../pages/bus/index.html"
};
static const unsigned char bus_notices_js[] = {
#embed "../pages/bus/notices.js"
};
static const unsigned char bus_runs_js[] = {
#embed "../pages/bus/runs.js"
};
static const unsigned char bus_seats_js[] = {
#embed "../pages/bus/seats.js"
};
static const unsigned char bus_stops_js[] = {
#embed "../pages/bus/stops.js"
};
static const unsigned char bus_voice_js[] = {
#embed "../pages/bus/voice.js"
};
static const unsigned char control_alarms_js[] = {
#embed "../pages/control/alarms.js"
};
static const unsigned char control_call_form_js[] = {
#embed "../pages/control/call-form.js"
};
static const unsigned char control_calls_js[] = {
#embed "../pages/control/calls.js"
};
static const unsigned char control_chart_js[] = {
#embed "../pages/control/chart.js"
};
static const unsigned char control_control_css[] = {
#embed "../pages/control/control.css"
};
static const unsigned char control_control_js[] = {
#embed "../pages/control/control.js"
};
static const unsigned char control_desk_js[] = {
#embed "../pages/control/desk.js"
};
static const unsigned char control_drivers_js[] = {
#embed "../pages/control/drivers.js"
};
static const unsigned char control_figures_js[] = {
#embed "../pages/control/figures.js"
};
static const unsigned char control_index_html[] = {
#embed "../pages/control/index.html"
};
static const unsigned char control_office_js[] = {
#embed "../pages/control/office.js"
};
static const unsigned char control_queues_js[] = {
#embed "../pages/control/queues.js"
};
static const unsigned char control_receipts_js[] = {
#embed "../pages/control/receipts.js"
};
static const unsigned char control_requests_js[] = {
#embed "../pages/control/requests.js"
};
static const unsigned char control_rides_js[] = {
#embed "../pages/control/rides.js"
};
static const unsigned char control_room_js[] = {
#embed "../pages/control/room.js"
};
static const unsigned char control_search_js[] = {
#embed "../pages/control/search.js"
};
static const unsigned char control_siren_js[] = {
#embed "../pages/control/siren.js"
};
static const unsigned char control_zones_js[] = {
#embed "../pages/control/zones.js"
};
static const unsigned char assets_base_map_js[] = {
#embed "../pages/assets/base-map.js"
};
static const unsigned char assets_map_names_js[] = {
#embed "../pages/assets/map-names.js"
};
static const unsigned char assets_vector_tile_js[] = {
#embed "../pages/assets/vector-tile.js"
};
static const unsigned char assets_map_css[] = {
#embed "../pages/assets/map.css"
};
static const unsigned char assets_map_js[] = {
#embed "../pages/assets/map.js"
};
static const unsigned char assets_vehicles_js[] = {
#embed "../pages/assets/vehicles.js"
};
static const unsigned char follow_follow_css[] = {
#embed "../pages/follow/follow.css"
};
static const unsigned char follow_follow_js[] = {
#embed "../pages/follow/follow.js"
};
static const unsigned char follow_index_html[] = {
#embed "../pages/follow/index.html"
};
static const unsigned char ride_share_js[] = {
#embed "../pages/ride/share.js"
};
static const unsigned char ride_alarm_js[] = {
#embed "../pages/ride/alarm.js"
};
static const unsigned char ride_ground_js[] = {
#embed "../pages/ride/ground.js"
};
static const unsigned char ride_index_html[] = {
#embed "../pages/ride/index.html"
};
static const unsigned char ride_journey_js[] = {
#embed "../pages/ride/journey.js"
};
static const unsigned char ride_kept_js[] = {
#embed "../pages/ride/kept.js"
};
static const unsigned char ride_menu_js[] = {
#embed "../pages/ride/menu.js"
};
static const unsigned char ride_near_js[] = {
#embed "../pages/ride/near.js"
};
static const unsigned char ride_order_js[] = {
#embed "../pages/ride/order.js"
};
static const unsigned char ride_over_js[] = {
#embed "../pages/ride/over.js"
};
static const unsigned char ride_ride_css[] = {
#embed "../pages/ride/ride.css"
};
static const unsigned char ride_ride_js[] = {
#embed "../pages/ride/ride.js"
};
static const unsigned char ride_trips_js[] = {
#embed "../pages/ride/trips.js"
};
static const unsigned char ride_wait_js[] = {
#embed "../pages/ride/wait.js"
};
static const unsigned char ride_where_js[] = {
#embed "../pages/ride/where.js"
};
static const unsigned char ride_words_js[] = {
#embed "../pages/ride/words.js"
};
static const unsigned char sw_js[] = {
#embed "../pages/sw.js"
};
static const unsigned char assets_closed_js[] = {
#embed "../pages/assets/closed.js"
};
static const unsigned char icons_kerbside_svg[] = {
#embed "../pages/assets/icons/kerbside.svg"
};
static const unsigned char icons_180_png[] = {
#embed "../pages/assets/icons/180.png"
};
static const unsigned char icons_192_png[] = {
#embed "../pages/assets/icons/192.png"
};
static const unsigned char icons_512_png[] = {
#embed "../pages/assets/icons/512.png"
};
static const unsigned char ride_manifest[] = {
#embed "../pages/ride/manifest.webmanifest"
};
static const unsigned char drive_manifest[] = {
#embed "../pages/drive/manifest.webmanifest"
};
static const unsigned char bus_manifest[] = {
#embed "../pages/bus/manifest.webmanifest"
};
static const unsigned char line_manifest[] = {
#embed "../pages/line/manifest.webmanifest"
};
// Leaflet, as Debian has it (libjs-leaflet).
static const unsigned char leaflet_leaflet_esm_min_js[] = {
#embed "/usr/share/javascript/leaflet/leaflet.esm.min.js"
};
static const unsigned char leaflet_leaflet_css[] = {
#embed "/usr/share/javascript/leaflet/leaflet.css"
};
static const unsigned char assets_ask_js[] = {
#embed "../pages/assets/ask.js"
};
static const unsigned char assets_awake_js[] = {
#embed "../pages/assets/awake.js"
};
static const unsigned char assets_places_js[] = {
#embed "../pages/assets/places.js"
};
static const unsigned char assets_sound_js[] = {
#embed "../pages/assets/sound.js"
};
static const unsigned char assets_buses_js[] = {
#embed "../pages/assets/buses.js"
};
static const unsigned char assets_departures_js[] = {
#embed "../pages/assets/departures.js"
};
static const unsigned char assets_language_js[] = {
#embed "../pages/assets/language.js"
};
static const unsigned char languages_de_json[] = {
#embed "../pages/assets/languages/de.json"
};
static const unsigned char languages_en_json[] = {
#embed "../pages/assets/languages/en.json"
};
static const unsigned char languages_fr_json[] = {
#embed "../pages/assets/languages/fr.json"
};
static const unsigned char languages_it_json[] = {
#embed "../pages/assets/languages/it.json"
};
static const unsigned char languages_st_json[] = {
#embed "../pages/assets/languages/st.json"
};
static const unsigned char languages_zu_json[] = {
#embed "../pages/assets/languages/zu.json"
};
static const unsigned char assets_page_css[] = {
#embed "../pages/assets/page.css"
};
static const unsigned char assets_page_js[] = {
#embed "../pages/assets/page.js"
};
static const unsigned char assets_sign_in_js[] = {
#embed "../pages/assets/sign-in.js"
};
static const unsigned char kerbside_channels_js[] = {
#embed "../clients/javascript/channels.js"
};
static const unsigned char kerbside_connection_js[] = {
#embed "../clients/javascript/connection.js"
};
static const unsigned char kerbside_decisions_js[] = {
#embed "../clients/javascript/decisions.js"
};
static const unsigned char kerbside_device_js[] = {
#embed "../clients/javascript/device.js"
};
static const unsigned char kerbside_feeds_js[] = {
#embed "../clients/javascript/feeds.js"
};
static const unsigned char kerbside_kerbside_js[] = {
#embed "../clients/javascript/kerbside.js"
};
static const unsigned char kerbside_options_js[] = {
#embed "../clients/javascript/options.js"
};
static const unsigned char kerbside_outbox_js[] = {
#embed "../clients/javascript/outbox.js"
};
static const unsigned char kerbside_storage_js[] = {
#embed "../clients/javascript/storage.js"
};
static const unsigned char kerbside_stream_js[] = {
#embed "../clients/javascript/stream.js"
};
static const unsigned char kerbside_subscription_js[] = {
#embed "../clients/javascript/subscription.js"
};
static const unsigned char kerbside_transport_js[] = {
#embed "../clients/javascript/transport.js"
};

#define PAGE(path, bytes) {path, bytes, sizeof bytes}
static const struct kerbside_file pages[] = {
    PAGE("/line/index.html", line_index_html),
    PAGE("/line/line.css", line_line_css),
    PAGE("/line/line.js", line_line_js),
    PAGE("/board/board.css", board_board_css),
    PAGE("/board/board.js", board_board_js),
    PAGE("/board/index.html", board_index_html),
    PAGE("/join/index.html", join_index_html),
    PAGE("/join/join.js", join_join_js),
    PAGE("/drive/drive.css", drive_drive_css),
    PAGE("/drive/drive.js", drive_drive_js),
    PAGE("/drive/index.html", drive_index_html),
    PAGE("/drive/minibus.js", drive_minibus_js),
    PAGE("/drive/ground.js", drive_ground_js),
    PAGE("/drive/hand.js", drive_hand_js),
    PAGE("/drive/offer.js", drive_offer_js),
    PAGE("/drive/place.js", drive_place_js),
    PAGE("/drive/ring.js", drive_ring_js),
    PAGE("/drive/route.js", drive_route_js),
    PAGE("/drive/sos.js", drive_sos_js),
    PAGE("/drive/state.js", drive_state_js),
    PAGE("/drive/views.js", drive_views_js),
    PAGE("/drive/words.js", drive_words_js),
    PAGE("/bus/alarm.js", bus_alarm_js),
    PAGE("/bus/morph.js", bus_morph_js),
    PAGE("/bus/bus.css", bus_bus_css),
    PAGE("/bus/bus.js", bus_bus_js),
    PAGE("/bus/choice.js", bus_choice_js),
    PAGE("/bus/device.js", bus_device_js),
    PAGE("/bus/driving.js", bus_driving_js),
    PAGE("/bus/duty.js", bus_duty_js),
    PAGE("/bus/index.html", bus_index_html),
    PAGE("/bus/notices.js", bus_notices_js),
    PAGE("/bus/runs.js", bus_runs_js),
    PAGE("/bus/seats.js", bus_seats_js),
    PAGE("/bus/stops.js", bus_stops_js),
    PAGE("/bus/voice.js", bus_voice_js),
    PAGE("/control/alarms.js", control_alarms_js),
    PAGE("/control/call-form.js", control_call_form_js),
    PAGE("/control/calls.js", control_calls_js),
    PAGE("/control/chart.js", control_chart_js),
    PAGE("/control/control.css", control_control_css),
    PAGE("/control/control.js", control_control_js),
    PAGE("/control/desk.js", control_desk_js),
    PAGE("/control/drivers.js", control_drivers_js),
    PAGE("/control/figures.js", control_figures_js),
    PAGE("/control/index.html", control_index_html),
    PAGE("/control/office.js", control_office_js),
    PAGE("/control/queues.js", control_queues_js),
    PAGE("/control/receipts.js", control_receipts_js),
    PAGE("/control/requests.js", control_requests_js),
    PAGE("/control/rides.js", control_rides_js),
    PAGE("/control/room.js", control_room_js),
    PAGE("/control/search.js", control_search_js),
    PAGE("/control/siren.js", control_siren_js),
    PAGE("/control/zones.js", control_zones_js),
    PAGE("/assets/base-map.js", assets_base_map_js),
    PAGE("/assets/map-names.js", assets_map_names_js),
    PAGE("/assets/vector-tile.js", assets_vector_tile_js),
    PAGE("/assets/map.css", assets_map_css),
    PAGE("/assets/map.js", assets_map_js),
    PAGE("/assets/vehicles.js", assets_vehicles_js),
    PAGE("/follow/follow.css", follow_follow_css),
    PAGE("/follow/follow.js", follow_follow_js),
    PAGE("/follow/index.html", follow_index_html),
    PAGE("/ride/share.js", ride_share_js),
    PAGE("/ride/alarm.js", ride_alarm_js),
    PAGE("/ride/ground.js", ride_ground_js),
    PAGE("/ride/index.html", ride_index_html),
    PAGE("/ride/journey.js", ride_journey_js),
    PAGE("/ride/kept.js", ride_kept_js),
    PAGE("/ride/menu.js", ride_menu_js),
    PAGE("/ride/near.js", ride_near_js),
    PAGE("/ride/order.js", ride_order_js),
    PAGE("/ride/over.js", ride_over_js),
    PAGE("/ride/ride.css", ride_ride_css),
    PAGE("/ride/ride.js", ride_ride_js),
    PAGE("/ride/trips.js", ride_trips_js),
    PAGE("/ride/wait.js", ride_wait_js),
    PAGE("/ride/where.js", ride_where_js),
    PAGE("/ride/words.js", ride_words_js),
    PAGE("/sw.js", sw_js),
    PAGE("/assets/closed.js", assets_closed_js),
    PAGE("/assets/icons/kerbside.svg", icons_kerbside_svg),
    PAGE("/assets/icons/180.png", icons_180_png),
    PAGE("/assets/icons/192.png", icons_192_png),
    PAGE("/assets/icons/512.png", icons_512_png),
    PAGE("/ride/manifest.webmanifest", ride_manifest),
    PAGE("/drive/manifest.webmanifest", drive_manifest),
    PAGE("/bus/manifest.webmanifest", bus_manifest),
    PAGE("/line/manifest.webmanifest", line_manifest),
    PAGE("/assets/leaflet/leaflet.esm.min.js", leaflet_leaflet_esm_min_js),
    PAGE("/assets/leaflet/leaflet.css", leaflet_leaflet_css),
    PAGE("/assets/ask.js", assets_ask_js),
    PAGE("/assets/awake.js", assets_awake_js),
    PAGE("/assets/places.js", assets_places_js),
    PAGE("/assets/sound.js", assets_sound_js),
    PAGE("/assets/buses.js", assets_buses_js),
    PAGE("/assets/departures.js", assets_departures_js),
    PAGE("/assets/language.js", assets_language_js),
    PAGE("/assets/languages/de.json", languages_de_json),
    PAGE("/assets/languages/en.json", languages_en_json),
    PAGE("/assets/languages/fr.json", languages_fr_json),
    PAGE("/assets/languages/it.json", languages_it_json),
    PAGE("/assets/languages/st.json", languages_st_json),
    PAGE("/assets/languages/zu.json", languages_zu_json),
    PAGE("/assets/page.css", assets_page_css),
    PAGE("/assets/page.js", assets_page_js),
    PAGE("/assets/sign-in.js", assets_sign_in_js),
    PAGE("/assets/kerbside/channels.js", kerbside_channels_js),
    PAGE("/assets/kerbside/connection.js", kerbside_connection_js),
    PAGE("/assets/kerbside/decisions.js", kerbside_decisions_js),
    PAGE("/assets/kerbside/device.js", kerbside_device_js),
    PAGE("/assets/kerbside/feeds.js", kerbside_feeds_js),
    PAGE("/assets/kerbside/kerbside.js", kerbside_kerbside_js),
    PAGE("/assets/kerbside/options.js", kerbside_options_js),
    PAGE("/assets/kerbside/outbox.js", kerbside_outbox_js),
    PAGE("/assets/kerbside/storage.js", kerbside_storage_js),
    PAGE("/assets/kerbside/stream.js", kerbside_stream_js),
    PAGE("/assets/kerbside/subscription.js", kerbside_subscription_js),
    PAGE("/assets/kerbside/transport.js", kerbside_transport_js),
};

const struct kerbside_file *kerbside_page_file(size_t index) {
    return index < sizeof pages / sizeof pages[0] ? &pages[index] : NULL;
}
