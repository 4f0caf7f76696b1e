#define _GNU_SOURCE
#include "CTurn.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

// libuv takes up to 1,024 ready descriptors at once, and has no setting for it. Each may be a socket whose peer has left, which
// libwebsockets closes as soon as it is told, under TLS in some 100 us. So it is given fewer: it asks by these two names, and a definition
// in the program stands before that of the C library. The others are ready in the next turn as well, and the kernel gives those first that
// it has not given yet.

static atomic_bool is_limited;

void kerbside_limit_turns(void) { atomic_store(&is_limited, true); }

int epoll_pwait(int epoll, struct epoll_event *ready, int most, int timeout_ms, const sigset_t *signals) {
    if (most > KERBSIDE_EVENTS_PER_TURN && atomic_load_explicit(&is_limited, memory_order_relaxed)) most = KERBSIDE_EVENTS_PER_TURN;
    // The size of the kernel's set of signals, which is not that of the C library's.
    return (int)syscall(SYS_epoll_pwait, epoll, ready, most, timeout_ms, signals, (size_t)(_NSIG / 8));
}

int epoll_wait(int epoll, struct epoll_event *ready, int most, int timeout_ms) {
    return epoll_pwait(epoll, ready, most, timeout_ms, NULL);
}
