#pragma once
// No feature macro here, nor in any other shim: Swift imports Glibc without one, and modules that see the system
// headers differently do not go together.
#include <hiredis/hiredis.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

// Why not hiredis/async.h with its libuv adapter: in 0.14.1 it aborts the process on replies it does not expect,
// frees itself under the feet of its connect callback, ignores uv_poll errors (a refused TCP connection is never
// reported), and its adapter makes two epoll_ctl calls per command. hiredis connects and parses here; watching the
// descriptor is the forty lines below, and what is pending is kept in Swift.

// One watched descriptor. Memory: from kb_redis_watch_open until libuv's close callback, which frees it.
// `owner` is handed back, never dereferenced; after kb_redis_watch_close there is no callback any more.
typedef struct kb_redis_watch {
    uv_poll_t handle;
    int events;
    void *owner;
    // `events` is a set of UV_READABLE and UV_WRITABLE, or negative: an error is pending on the descriptor, and
    // nothing more will be reported.
    void (*ready)(void *owner, int events);
} kb_redis_watch;

static inline void kb_redis_watch_ready(uv_poll_t *handle, int status, int events) {
    kb_redis_watch *watch = (kb_redis_watch *)handle->data;
    if (watch->owner != NULL) {
        watch->ready(watch->owner, status < 0 ? status : events);
    }
}

// NULL when there is no memory, or the loop refuses the descriptor.
static inline kb_redis_watch *kb_redis_watch_open(
    void *loop, int descriptor, void *owner, void (*ready)(void *owner, int events)) {
    kb_redis_watch *watch = (kb_redis_watch *)calloc(1, sizeof(*watch));
    if (watch == NULL) {
        return NULL;
    }
    if (uv_poll_init((uv_loop_t *)loop, &watch->handle, descriptor) != 0) {
        free(watch);
        return NULL;
    }
    watch->handle.data = watch;
    watch->owner = owner;
    watch->ready = ready;
    return watch;
}

// Asks for a set of events. uv_poll_start costs two epoll_ctl calls, so that an unchanged set is left alone.
static inline void kb_redis_watch_set(kb_redis_watch *watch, int events) {
    if (watch->events != events) {
        watch->events = events;
        uv_poll_start(&watch->handle, events, kb_redis_watch_ready);
    }
}

static inline void kb_redis_watch_free(uv_handle_t *handle) {
    free(handle->data);
}

static inline void kb_redis_watch_close(kb_redis_watch *watch) {
    watch->owner = NULL;
    uv_close((uv_handle_t *)&watch->handle, kb_redis_watch_free);
}

// Looks a host name up on libuv's thread pool: hiredis itself would do it in place, and a name server that is down
// would stop the loop. `found` is called per address (numeric), then `done` once with 0 or libuv's error code.
// Memory: freed after `done`; kb_redis_lookup_cancel only says that nobody is interested any more.
typedef struct kb_redis_lookup {
    uv_getaddrinfo_t request;
    void *owner;
    void (*found)(void *owner, const char *address);
    void (*done)(void *owner, int code);
} kb_redis_lookup;

static inline void kb_redis_lookup_answered(uv_getaddrinfo_t *request, int status, struct addrinfo *list) {
    kb_redis_lookup *lookup = (kb_redis_lookup *)request->data;
    if (lookup->owner != NULL) {
        for (struct addrinfo *entry = list; status == 0 && entry != NULL; entry = entry->ai_next) {
            char text[NI_MAXHOST];
            if (getnameinfo(entry->ai_addr, entry->ai_addrlen, text, sizeof(text), NULL, 0, NI_NUMERICHOST) == 0) {
                lookup->found(lookup->owner, text);
            }
        }
        lookup->done(lookup->owner, status);
    }
    uv_freeaddrinfo(list);
    free(lookup);
}

static inline kb_redis_lookup *kb_redis_lookup_start(
    void *loop, const char *host, void *owner,
    void (*found)(void *owner, const char *address), void (*done)(void *owner, int code)) {
    kb_redis_lookup *lookup = (kb_redis_lookup *)calloc(1, sizeof(*lookup));
    if (lookup == NULL) {
        return NULL;
    }
    struct addrinfo hints;
    memset(&hints, 0, sizeof(hints));
    hints.ai_socktype = SOCK_STREAM;
    lookup->request.data = lookup;
    lookup->owner = owner;
    lookup->found = found;
    lookup->done = done;
    if (uv_getaddrinfo((uv_loop_t *)loop, &lookup->request, kb_redis_lookup_answered, host, NULL, &hints) != 0) {
        free(lookup);
        return NULL;
    }
    return lookup;
}

static inline void kb_redis_lookup_cancel(kb_redis_lookup *lookup) {
    lookup->owner = NULL;
    uv_cancel((uv_req_t *)&lookup->request);
}
