#pragma once
// No feature macro here: see CLibuv.
#include <openssl/ssl.h>
#include <openssl/evp.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/hmac.h>

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
// Whether the last read or write found nothing, or no room, and may be tried again.
static inline int kb_bio_may_retry(BIO *bio) { return BIO_should_retry(bio) ? 1 : 0; }
// Whether a part of a record has come, its head or more, for which OpenSSL keeps its memory to read.
static inline int kb_ssl_has_part_of_record(SSL *ssl) {
    return SSL_has_pending(ssl) == 1 || SSL_rstate_string(ssl)[1] == 'B';
}
static inline int kb_ssl_set_server_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name) == 1;
}
// A place for something of ours in every SSL, NULL at first.
static inline int kb_ssl_new_index(void) { return SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL); }
// A place for something of ours in every SSL_CTX, NULL at first.
static inline int kb_ctx_new_index(void) { return SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL); }
// One certificate for all names: whoever asks for one by name is answered by the context it came to.
static inline void kb_ctx_ignore_server_name(SSL_CTX *context) { SSL_CTX_set_tlsext_servername_callback(context, NULL); }
// What a client sends before its handshake is done, as it may with a ticket of another server's, ends the connection. By default OpenSSL skips
// 16 KB of it within one call, of which empty records count nothing.
static inline int kb_ctx_skip_no_early_data(SSL_CTX *context) { return SSL_CTX_set_recv_max_early_data(context, 0) == 1; }
// No memory of sessions here: what a client needs to resume one is in its ticket.
static inline void kb_ctx_keep_no_sessions(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}
// Neither of TLS 1.2 nor of 1.3, where the option alone would have them kept here instead.
static inline void kb_ctx_give_no_tickets(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context, 0);
}
// A ticket is sealed as RFC 5077 4 has it: AES-256 in CBC mode, and HMAC-SHA-256 over the whole. Both keys have 32 bytes.
static inline int kb_ticket_use_keys(EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, const unsigned char *cipher_key,
                                     const unsigned char *mac_key, const unsigned char *iv, int seals) {
    OSSL_PARAM settings[3];
    settings[0] = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)mac_key, 32);
    settings[1] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0);
    settings[2] = OSSL_PARAM_construct_end();
    return EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, cipher_key, iv, seals) == 1 &&
           EVP_MAC_CTX_set_params(mac, settings) == 1;
}

// A key of the curve P-256 by its point (65 bytes, not compressed), and with `secret` (32 bytes, the highest first) the whole pair.
// NULL: that is no point of the curve. The caller frees it.
static inline EVP_PKEY *kb_p256_key(const unsigned char *point, const unsigned char *secret) {
    OSSL_PARAM parts[4];
    unsigned char number[32];
    int count = 0;
    parts[count++] = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"prime256v1", 0);
    parts[count++] = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, 65);
    if (secret) {
        // As this machine has numbers.
        BIGNUM *value = BN_bin2bn(secret, 32, NULL);
        int written = value ? BN_bn2nativepad(value, number, 32) : -1;
        BN_clear_free(value);
        if (written != 32) return NULL;
        parts[count++] = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, number, 32);
    }
    parts[count] = OSSL_PARAM_construct_end();
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (context && EVP_PKEY_fromdata_init(context) == 1 &&
        EVP_PKEY_fromdata(context, &key, secret ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, parts) != 1) {
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    OPENSSL_cleanse(number, sizeof number);
    if (key) {
        context = EVP_PKEY_CTX_new(key, NULL);
        int is_good = context && EVP_PKEY_public_check(context) == 1;
        EVP_PKEY_CTX_free(context);
        if (!is_good) {
            EVP_PKEY_free(key);
            key = NULL;
        }
    }
    ERR_clear_error();
    return key;
}
// A new pair of that curve; NULL when there is no memory or no randomness. The caller frees it.
static inline EVP_PKEY *kb_p256_new(void) { return EVP_EC_gen("prime256v1"); }
