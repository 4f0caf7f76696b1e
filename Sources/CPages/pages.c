#include "CPages.h"

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
static const unsigned char kerbside_subscription_js[] = {
#embed "../clients/javascript/subscription.js"
};
static const unsigned char kerbside_transport_js[] = {
#embed "../clients/javascript/transport.js"
};

#define PAGE(path, bytes) {path, bytes, sizeof bytes}
static const struct kerbside_page pages[] = {
    PAGE("/line/index.html", line_index_html),
    PAGE("/line/line.css", line_line_css),
    PAGE("/line/line.js", line_line_js),
    PAGE("/board/board.css", board_board_css),
    PAGE("/board/board.js", board_board_js),
    PAGE("/board/index.html", board_index_html),
    PAGE("/join/index.html", join_index_html),
    PAGE("/join/join.js", join_join_js),
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
    PAGE("/assets/kerbside/subscription.js", kerbside_subscription_js),
    PAGE("/assets/kerbside/transport.js", kerbside_transport_js),
};

const struct kerbside_page *kerbside_page(size_t index) {
    return index < sizeof pages / sizeof pages[0] ? &pages[index] : NULL;
}
