#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <hiredis/hiredis.h>
#include <hiredis/async.h>
#include <uv.h>
#include <hiredis/adapters/libuv.h>

// The adapter wants a uv_loop_t; EventLoop hands its loop out as a plain pointer, so that libuv's types stay there.
static inline int kb_redis_attach(redisAsyncContext *context, void *loop) {
    return redisLibuvAttach(context, (uv_loop_t *)loop);
}
