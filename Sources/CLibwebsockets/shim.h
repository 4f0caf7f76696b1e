#pragma once
// No feature macro here: see CLibuv.
#include <libwebsockets.h>

// LWS_PRE is a macro of casts, which does not import: the room libwebsockets wants in front of a payload.
enum { KB_LWS_PRE = LWS_PRE };
