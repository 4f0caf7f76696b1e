#include "CHubFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char openapi[] = {
#embed "../Hub/HTTP/openapi.json"
};
static const struct kerbside_file file = {"openapi.json", openapi, sizeof openapi};

const struct kerbside_file *kerbside_openapi_file(void) { return &file; }
