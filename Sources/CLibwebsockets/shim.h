#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <libwebsockets.h>

// LWS_PRE is a macro of casts, which does not import: the room libwebsockets wants in front of a payload.
enum { KB_LWS_PRE = LWS_PRE };
