#pragma once
// No feature macro here: see CLibuv.
#include <curl/curl.h>

// libcurl sets its options by functions of any number of arguments, which Swift doesn't see: each that is used has a name here.

static inline int kb_curl_socket_callback(CURLM *multi, curl_socket_callback callback, void *owner) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, owner) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback) == CURLM_OK;
}
static inline int kb_curl_timer_callback(CURLM *multi, curl_multi_timer_callback callback, void *owner) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERDATA, owner) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback) == CURLM_OK;
}
static inline void kb_curl_limit_connections(CURLM *multi, long all, long of_a_host) {
    curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, all);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, all);
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, of_a_host);
}
// What comes back says nothing that is needed. Heads and a body of more than this are not waited for.
static inline size_t kb_curl_discard(char *bytes, size_t size, size_t count, void *taken) {
    (void)bytes;
    *(size_t *)taken += size * count;
    return *(size_t *)taken > 65536 ? 0 : size * count;
}
// A POST by https to this URL and nowhere else. The body is copied; the headers and `taken` must live as long as the handle.
// authorities: a PEM file, NULL: those that the system trusts.
static inline int kb_curl_post(CURL *easy, const char *url, struct curl_slist *headers, const unsigned char *body, long count,
                               long timeout_ms, const char *authorities, size_t *taken) {
    *taken = 0;
    return curl_easy_setopt(easy, CURLOPT_URL, url) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "https") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, count) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, body) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout_ms) == CURLE_OK &&
           // With the handshake of TLS.
           curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, 5000L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           // One that ends while its name is looked up is not waited for: a name server that says nothing would hold up all others, 5 s.
           curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_USERAGENT, "kerbside") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, kb_curl_discard) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEDATA, taken) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, kb_curl_discard) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERDATA, taken) == CURLE_OK &&
           (!authorities || (curl_easy_setopt(easy, CURLOPT_CAINFO, authorities) == CURLE_OK &&
                             curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) == CURLE_OK));
}
// Of the answer; 0: there was none.
static inline long kb_curl_status(CURL *easy) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}
// Seconds that the answer says to wait (RFC 9110, 10.2.3), by their number or by a date; 0: it says nothing.
static inline long kb_curl_retry_after(CURL *easy) {
    curl_off_t seconds = 0;
    curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds);
    return (long)seconds;
}
static inline int kb_curl_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK; }
// The next transfer that has ended, and how; NULL: none is left.
static inline CURL *kb_curl_ended(CURLM *multi, int *code) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *code = (int)message->data.result;
        return message->easy_handle;
    }
    return NULL;
}
