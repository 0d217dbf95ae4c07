// The system's zlib: https://zlib.net/manual.html

#ifndef CZLIB_H
#define CZLIB_H

#include <string.h>
#include <zlib.h>

// `inflateInit` and `deflateInit` are macros, which Swift can't call.
static inline int czlib_inflate_init(z_stream *stream) {
    memset(stream, 0, sizeof *stream);
    return inflateInit(stream);
}

static inline int czlib_deflate_init(z_stream *stream, int level) {
    memset(stream, 0, sizeof *stream);
    // Without a zlib header and checksum. The other values are those of `deflateInit`.
    return deflateInit2(stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}

static inline int czlib_gunzip_init(z_stream *stream) {
    memset(stream, 0, sizeof *stream);
    return inflateInit2(stream, MAX_WBITS + 16);
}

static inline int czlib_gzip_init(z_stream *stream, int level) {
    memset(stream, 0, sizeof *stream);
    // 16 asks for the header and checksum of gzip.
    return deflateInit2(stream, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
}

#endif
