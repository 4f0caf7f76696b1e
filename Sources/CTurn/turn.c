#define _GNU_SOURCE
#include "CTurn.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

// libuv takes up to 1,024 ready descriptors at once, and has no setting for it. Each may be a socket whose peer has left, which
// libwebsockets closes as soon as it is told, under TLS in some 100 us. So libuv is given fewer: it asks by these names, and a definition
// in the program stands before that of the C library. The others are ready in the next turn as well: the kernel gives those first that
// it has not given yet.

/// So often the kernel is asked in a turn, past those who have left: 5,000 of them hold up the others for five turns.
#define FETCHES_PER_TURN 16

static atomic_bool is_limited;

void kerbside_limit_turns(void) { atomic_store(&is_limited, true); }

static bool limits_turns(void) { return atomic_load_explicit(&is_limited, memory_order_relaxed); }

static int ask(int epoll, struct epoll_event *ready, int most, int timeout_ms, const sigset_t *signals) {
    // The size of the kernel's set of signals, which is not that of the C library's.
    return (int)syscall(SYS_epoll_pwait, epoll, ready, most, timeout_ms, signals, (size_t)(_NSIG / 8));
}

/// Where a read is waited for the kernel also says that the peer sends no more. Who watches takes no notice of that.
int epoll_ctl(int epoll, int what, int descriptor, struct epoll_event *event) {
    struct epoll_event with_end;
    if (event != NULL && (event->events & EPOLLIN) != 0 && limits_turns()) {
        with_end = *event;
        with_end.events |= EPOLLRDHUP;
        event = &with_end;
    }
    return (int)syscall(SYS_epoll_ctl, epoll, what, descriptor, event);
}

int epoll_pwait(int epoll, struct epoll_event *ready, int most, int timeout_ms, const sigset_t *signals) {
    if (most < KERBSIDE_EVENTS_PER_TURN + KERBSIDE_DEPARTURES_PER_TURN || !limits_turns()) {
        return ask(epoll, ready, most, timeout_ms, signals);
    }
    struct epoll_event found[KERBSIDE_EVENTS_PER_TURN];
    uint64_t first = 0;
    int events = 0;
    int endings = 0;
    for (int fetch = 0; fetch < FETCHES_PER_TURN; fetch++) {
        int wanted = KERBSIDE_EVENTS_PER_TURN - events;
        int count = ask(epoll, found, wanted, fetch == 0 ? timeout_ms : 0, signals);
        if (count <= 0) return fetch == 0 ? count : events + endings;
        if (fetch == 0) first = found[0].data.u64;
        for (int i = 0; i < count; i++) {
            // All have been given once.
            if (fetch > 0 && found[i].data.u64 == first) return events + endings;
            if ((found[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) == 0) {
                ready[events++ + endings] = found[i];
            } else if (endings < KERBSIDE_DEPARTURES_PER_TURN) {
                ready[events + endings++] = found[i];
            }
        }
        if (count < wanted || events == KERBSIDE_EVENTS_PER_TURN) break;
    }
    return events + endings;
}

int epoll_wait(int epoll, struct epoll_event *ready, int most, int timeout_ms) {
    return epoll_pwait(epoll, ready, most, timeout_ms, NULL);
}
