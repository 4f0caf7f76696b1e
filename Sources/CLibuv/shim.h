#pragma once
// No feature macro here, nor in any other shim: Swift imports Glibc without one, and modules that see the system
// headers differently do not go together.
#include <uv.h>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// prctl takes a variable number of arguments, which does not import.
static inline int kb_end_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGTERM); }

// The functions for this are hidden without a feature macro.
static inline void kb_take_cores(int pid) {
    unsigned long cores[128];
    long size = syscall(SYS_sched_getaffinity, pid, sizeof cores, cores);
    if (size > 0) syscall(SYS_sched_setaffinity, 0, size, cores);
}

// CrowdPoll: epoll with the events of libuv. Its struct is packed, which Swift can't read.
#include <sys/epoll.h>

typedef struct {
    int descriptor;
    unsigned number;
    int events;
} kb_crowd_event;

static inline int kb_crowd_make(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int kb_crowd_watch(int epoll, int descriptor, unsigned number, int events, int is_watched) {
    struct epoll_event event;
    event.events = (events & UV_READABLE ? EPOLLIN : 0) | (events & UV_WRITABLE ? EPOLLOUT : 0)
        | (events & UV_DISCONNECT ? EPOLLRDHUP : 0);
    event.data.u64 = (unsigned long long)number << 32 | (unsigned)descriptor;
    // Not by epoll_ctl, to which the program adds something for libuv (CTurn).
    return (int)syscall(SYS_epoll_ctl, epoll, is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event);
}

static inline int kb_crowd_forget(int epoll, int descriptor) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, 0);
}

// Does not wait. One that has hung up or is in error is ready for everything.
static inline int kb_crowd_wait(int epoll, kb_crowd_event *ready, int most) {
    struct epoll_event events[256];
    int count = epoll_wait(epoll, events, most < 256 ? most : 256, 0);
    for (int i = 0; i < count; i++) {
        unsigned found = events[i].events;
        ready[i].descriptor = (int)(unsigned)events[i].data.u64;
        ready[i].number = (unsigned)(events[i].data.u64 >> 32);
        ready[i].events = (found & EPOLLIN ? UV_READABLE : 0) | (found & EPOLLOUT ? UV_WRITABLE : 0)
            | (found & EPOLLRDHUP ? UV_DISCONNECT : 0);
        if (found & (EPOLLHUP | EPOLLERR)) ready[i].events = UV_READABLE | UV_WRITABLE | UV_DISCONNECT;
    }
    return count;
}
