#if defined(__linux__)

#define _GNU_SOURCE
#include "CPushCurl.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/x509_vfy.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static CURLcode preparation = CURLE_FAILED_INIT;

static void prepare(void) {
    // Else OpenSSL takes its tables down while the process ends, under threads that still use them.
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    preparation = curl_global_init(CURL_GLOBAL_DEFAULT);
}

CURLcode push_curl_prepare(void) {
    pthread_once(&prepared, prepare);
    return preparation;
}

struct start {
    void (*body)(void *);
    void *context;
};

static void *run(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    pthread_setname_np(pthread_self(), "push-curl");
    start.body(start.context);
    return NULL;
}

int push_curl_start_thread(void (*body)(void *), void *context) {
    struct start *start = malloc(sizeof *start);
    if (start == NULL) return ENOMEM;
    *start = (struct start){body, context};

    // A thread inherits its mask. SIGPIPE is the one that matters: with CURLOPT_NOSIGNAL libcurl
    // leaves it to us, and a peer that hangs up must not end the process. Faults stay
    // deliverable, so that a crash handler still sees them.
    sigset_t blocked, before;
    sigfillset(&blocked);
    const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);

    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    int failure = pthread_create(&thread, &attributes, run, start);
    pthread_attr_destroy(&attributes);

    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure != 0) free(start);
    return failure;
}

void push_curl_limit_connections(CURLM *multi, long count) {
    curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, count);
}

static int takes(CURLoption option, curl_easytype type) {
    const struct curl_easyoption *known = curl_easy_option_by_id(option);
    return known != NULL && known->type == type;
}

CURLcode push_curl_set_number(CURL *easy, CURLoption option, long value) {
    if (!takes(option, CURLOT_LONG) && !takes(option, CURLOT_VALUES))
        return CURLE_BAD_FUNCTION_ARGUMENT;
    return curl_easy_setopt(easy, option, value);
}

CURLcode push_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    if (!takes(option, CURLOT_OFF_T)) return CURLE_BAD_FUNCTION_ARGUMENT;
    return curl_easy_setopt(easy, option, value);
}

CURLcode push_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    if (!takes(option, CURLOT_STRING)) return CURLE_BAD_FUNCTION_ARGUMENT;
    return curl_easy_setopt(easy, option, value);
}

CURLcode push_curl_set_body(CURL *easy, const void *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POST, 1L);
    if (code == CURLE_OK)
        code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_POSTFIELDS, bytes);
    return code;
}

CURLcode push_curl_set_fields(CURL *easy, struct curl_slist *lines) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, lines);
}

CURLcode push_curl_allow_http_only(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

CURLcode push_curl_abandon_lookups(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)easy;
    return CURLE_OK;
#endif
}

CURLcode push_curl_set_receivers(
    CURL *easy, void *context, curl_write_callback header, curl_write_callback body,
    curl_prereq_callback attempt) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, header);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, attempt);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
    return code;
}

static long number(CURL *easy, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

long push_curl_request_size(CURL *easy) { return number(easy, CURLINFO_REQUEST_SIZE); }

long push_curl_status(CURL *easy) { return number(easy, CURLINFO_RESPONSE_CODE); }

int push_curl_lateness(CURL *easy) {
    switch (number(easy, CURLINFO_SSL_VERIFYRESULT)) {
    case X509_V_ERR_CERT_NOT_YET_VALID: return -1;
    case X509_V_ERR_CERT_HAS_EXPIRED: return 1;
    default: return 0;
    }
}

#endif
