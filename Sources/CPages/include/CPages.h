#pragma once
#include <stddef.h>

/// A file that a browser may ask for, and its address.
struct kerbside_page {
    const char *path;
    const unsigned char *bytes;
    size_t count;
};

/// All of them; `index` from 0. Null behind the last.
const struct kerbside_page *kerbside_page(size_t index);
