#pragma once
// No feature macro here: see CLibuv.
#include <libwebsockets.h>
#include <malloc.h>

// Linux's, but declared only under _GNU_SOURCE. The accepted socket neither blocks nor outlives an exec.
extern int accept4(int, struct sockaddr *, socklen_t *, int);
static inline int kb_accept(int listener, void *address, unsigned int *size) {
    socklen_t length = *size;
    int accepted = accept4(listener, (struct sockaddr *)address, &length, 02000000 | 04000);
    *size = length;
    return accepted;
}

// A context on our own libuv loop. Names and tables that libwebsockets keeps pointers to are static here.
static inline struct lws_context *kb_create_context(void *uv_loop, void *user, unsigned int read_bytes,
                                                    unsigned int handshake_timeout_s) {
    struct lws_context_creation_info info;
    void *loops[1] = {uv_loop};
    memset(&info, 0, sizeof(info));
    info.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT |
                   LWS_SERVER_OPTION_UV_NO_SIGSEGV_SIGFPE_SPIN;
    info.foreign_loops = loops;
    info.user = user;
    // libwebsockets leaves room before what it reads.
    info.pt_serv_buf_size = read_bytes + LWS_PRE;
    info.timeout_secs = handshake_timeout_s;
    return lws_create_context(&info);
}

// A server's vhost that does not listen: we accept, and hand sockets over. With `tls`, the callback
// LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS gets its SSL_CTX and puts the certificate in.
static inline struct lws_vhost *kb_create_vhost(struct lws_context *context, lws_callback_function *callback, int tls,
                                                long tls_options, unsigned int read_bytes) {
    static const lws_retry_bo_t no_validity_checks;
    struct lws_context_creation_info info;
    struct lws_protocols protocols[2];
    memset(&info, 0, sizeof(info));
    memset(protocols, 0, sizeof(protocols));
    protocols[0].name = "kerbside";
    protocols[0].callback = callback;
    protocols[0].rx_buffer_size = read_bytes;
    info.protocols = protocols;
    info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
    info.vhost_name = "kerbside";
    info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | (tls ? LWS_SERVER_OPTION_CREATE_VHOST_SSL_CTX : 0);
    info.alpn = "http/1.1";
    info.ssl_options_set = tls_options;
    info.retry_and_idle_policy = &no_validity_checks;
    return lws_create_vhost(context, &info);
}

// Gives a connected socket to libwebsockets as a raw byte stream, under TLS if the vhost has a certificate.
// `tag` comes back from lws_get_opaque_user_data. NULL: failed, and the descriptor is closed.
static inline struct lws *kb_adopt_raw(struct lws_vhost *vhost, int descriptor, uintptr_t tag) {
    lws_adopt_desc_t info;
    memset(&info, 0, sizeof(info));
    info.vh = vhost;
    info.type = (lws_adoption_type)(LWS_ADOPT_SOCKET | LWS_ADOPT_ALLOW_SSL);
    info.fd.sockfd = descriptor;
    info.vh_prot_name = "kerbside";
    info.opaque = (void *)tag;
    return lws_adopt_descriptor_vhost_via_info(&info);
}

static inline uintptr_t kb_tag(struct lws *socket) { return (uintptr_t)lws_get_opaque_user_data(socket); }

// Closes at once; its close callback comes from within. Never from one of its own callbacks.
static inline void kb_kill(struct lws *socket) {
    lws_set_timeout(socket, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
}

// libwebsockets' timers are sorted lists: ours replace those that it starts by itself.
static inline void kb_no_timeout(struct lws *socket) { lws_set_timeout(socket, NO_PENDING_TIMEOUT, 0); }

// From then on no thread gets a heap of its own from glibc. Before there are threads.
static inline void kb_use_one_heap(void) { mallopt(M_ARENA_MAX, 1); }
