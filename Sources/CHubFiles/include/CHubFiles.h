#pragma once
#include <stddef.h>

/// A file that is part of the program, and its name.
struct kerbside_file {
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

/// The modules of the Redis functions, in the order in which they import one another; `index` from 0. Null behind the last.
const struct kerbside_file *kerbside_function_file(size_t index);

/// Those that a browser may ask for, each with its address for a name; `index` from 0. Null behind the last.
const struct kerbside_file *kerbside_page_file(size_t index);

/// What can be asked over HTTP (OpenAPI 3.1, JSON).
const struct kerbside_file *kerbside_openapi_file(void);
