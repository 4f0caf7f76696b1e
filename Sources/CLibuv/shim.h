#pragma once
// No feature macro here, nor in any other shim: Swift imports Glibc without one, and modules that see the system
// headers differently do not go together.
#include <uv.h>

#include <signal.h>
#include <sys/prctl.h>

// prctl takes a variable number of arguments, which does not import.
static inline int kb_end_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGTERM); }
