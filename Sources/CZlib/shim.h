#pragma once
#include <zlib.h>

// `deflateInit2` is a macro, which Swift doesn't see. Returns the bytes written, 0 when they don't fit.
static inline size_t kerbside_gzip(const unsigned char *bytes, size_t count, unsigned char *out, size_t capacity) {
    z_stream stream = {0};
    // 16 + 15: a gzip header, and the largest window.
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 16 + 15, 9, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = (unsigned char *)bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = out;
    stream.avail_out = (uInt)capacity;
    int result = deflate(&stream, Z_FINISH);
    size_t written = stream.total_out;
    deflateEnd(&stream);
    return result == Z_STREAM_END ? written : 0;
}

// `inflateInit2` is one, too. Returns the bytes that came out; -1: no gzip, damaged, or more than `capacity`.
static inline long kerbside_gunzip(const unsigned char *bytes, size_t count, unsigned char *out, size_t capacity) {
    z_stream stream = {0};
    // 16 + 15: gzip, with the largest window.
    if (inflateInit2(&stream, 16 + 15) != Z_OK) return -1;
    stream.next_in = (unsigned char *)bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = out;
    stream.avail_out = (uInt)capacity;
    int result = inflate(&stream, Z_FINISH);
    long written = (long)stream.total_out;
    inflateEnd(&stream);
    return result == Z_STREAM_END ? written : -1;
}
