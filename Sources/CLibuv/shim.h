#pragma once
// Every shim of this package sees the same feature macros, or the modules disagree about the system headers.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <uv.h>
