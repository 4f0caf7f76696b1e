#pragma once
// No feature macro here: see CLibuv.
#include <openssl/ssl.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/crypto.h>

// What OpenSSL offers as macros does not import: each is given a name here.

// Nothing older than TLS 1.2, no renegotiation; for lws_context_creation_info.ssl_options_set.
static inline long kb_tls_options(void) {
    return (long)(SSL_OP_NO_SSLv3 | SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1 | SSL_OP_NO_RENEGOTIATION);
}
// Of TLS 1.2 only what keeps a recorded connection secret when the key is lost later (ECDHE), with authenticated encryption:
// no CBC, no static RSA. Those of TLS 1.3 are all of this kind.
static inline int kb_ctx_set_ciphers(SSL_CTX *context) {
    return SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1;
}
// The two groups that every client has: a key share of another, above all of a large finite field, costs the server up to a
// thousand times as much as it costs the sender.
static inline int kb_ctx_set_groups(SSL_CTX *context) {
    return SSL_CTX_set1_groups_list(context, "X25519:P-256") == 1;
}
static inline int kb_ctx_require_tls12(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1;
}
// A write that could not finish may be repeated from another address, and may finish in part.
static inline void kb_ctx_allow_partial_writes(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                              SSL_MODE_RELEASE_BUFFERS);
}
static inline int kb_ssl_set_server_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name) == 1;
}
// A place for something of ours in every SSL, NULL at first.
static inline int kb_ssl_new_index(void) { return SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL); }
