#if defined(__linux__)

#define _GNU_SOURCE
#include "library.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

const char *push_curl_message(push_curl_code code) { return push_curl.easy_strerror(code); }

void *push_curl_multi_init(void) { return push_curl.multi_init(); }

void push_curl_multi_cleanup(void *multi) { push_curl.multi_cleanup(multi); }

void push_curl_multi_wakeup(void *multi) { push_curl.multi_wakeup(multi); }

bool push_curl_multi_add(void *multi, void *easy) {
    return push_curl.multi_add_handle(multi, easy) == PUSH_CURLM_OK;
}

void push_curl_multi_remove(void *multi, void *easy) {
    push_curl.multi_remove_handle(multi, easy);
}

void push_curl_multi_perform(void *multi) {
    int running = 0;
    push_curl.multi_perform(multi, &running);
}

void *push_curl_multi_ended(void *multi, push_curl_code *code) {
    int left = 0;
    const struct CURLMsg *message;
    while ((message = push_curl.multi_info_read(multi, &left)) != NULL) {
        // Its memory is libcurl's, and ends with the handle's removal.
        const struct push_curl_ending *ending = (const void *)message;
        if (ending->msg != PUSH_CURLMSG_DONE) continue;
        *code = ending->data.result;
        return ending->easy_handle;
    }
    return NULL;
}

void push_curl_multi_wait(void *multi) {
    int ready = 0;
    push_curl.multi_poll(multi, NULL, 0, INT_MAX, &ready);
}

void *push_curl_easy_init(void) { return push_curl.easy_init(); }

void push_curl_easy_cleanup(void *easy) { push_curl.easy_cleanup(easy); }

struct curl_slist *push_curl_lines_append(struct curl_slist *lines, const char *line) {
    return push_curl.slist_append(lines, line);
}

void push_curl_lines_free(struct curl_slist *lines) { push_curl.slist_free_all(lines); }

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

void push_curl_limit_connections(void *multi, long count) {
    push_curl.multi_setopt(multi, PUSH_CURLMOPT_MAX_TOTAL_CONNECTIONS, count);
}

static int is_known(unsigned option) { return push_curl.easy_option_by_id(option) != NULL; }

static int takes(unsigned option, unsigned type) {
    const struct push_curl_known_option *known =
        (const void *)push_curl.easy_option_by_id(option);
    return known != NULL && known->type == type;
}

push_curl_code push_curl_set_number(void *easy, push_curl_option option, long value) {
    if (!takes(option, PUSH_CURLOT_LONG) && !takes(option, PUSH_CURLOT_VALUES))
        return PUSH_CURLE_BAD_FUNCTION_ARGUMENT;
    return push_curl.easy_setopt(easy, option, value);
}

push_curl_code push_curl_set_size(void *easy, push_curl_option option, int64_t value) {
    if (!takes(option, PUSH_CURLOT_OFF_T)) return PUSH_CURLE_BAD_FUNCTION_ARGUMENT;
    return push_curl.easy_setopt(easy, option, value);
}

push_curl_code push_curl_set_string(void *easy, push_curl_option option, const char *value) {
    if (!takes(option, PUSH_CURLOT_STRING)) return PUSH_CURLE_BAD_FUNCTION_ARGUMENT;
    return push_curl.easy_setopt(easy, option, value);
}

push_curl_code push_curl_set_body(void *easy, const void *bytes, size_t count) {
    push_curl_code code = push_curl.easy_setopt(easy, PUSH_CURLOPT_POST, 1L);
    if (code == PUSH_CURLE_OK)
        code = push_curl.easy_setopt(easy, PUSH_CURLOPT_POSTFIELDSIZE_LARGE, (int64_t)count);
    if (code == PUSH_CURLE_OK) code = push_curl.easy_setopt(easy, PUSH_CURLOPT_POSTFIELDS, bytes);
    return code;
}

push_curl_code push_curl_set_fields(void *easy, struct curl_slist *lines) {
    return push_curl.easy_setopt(easy, PUSH_CURLOPT_HTTPHEADER, lines);
}

push_curl_code push_curl_allow_http_only(void *easy) {
    if (is_known(PUSH_CURLOPT_PROTOCOLS_STR))
        return push_curl.easy_setopt(easy, PUSH_CURLOPT_PROTOCOLS_STR, "http,https");
    return push_curl.easy_setopt(
        easy, PUSH_CURLOPT_PROTOCOLS, (long)(PUSH_CURLPROTO_HTTP | PUSH_CURLPROTO_HTTPS));
}

push_curl_code push_curl_abandon_lookups(void *easy) {
    if (!is_known(PUSH_CURLOPT_QUICK_EXIT)) return PUSH_CURLE_OK;
    return push_curl.easy_setopt(easy, PUSH_CURLOPT_QUICK_EXIT, 1L);
}

push_curl_code push_curl_set_receivers(
    void *easy, void *context, push_curl_receiver header, push_curl_receiver body,
    push_curl_attempt attempt) {
    push_curl_code code = push_curl.easy_setopt(easy, PUSH_CURLOPT_HEADERFUNCTION, header);
    if (code == PUSH_CURLE_OK) code = push_curl.easy_setopt(easy, PUSH_CURLOPT_HEADERDATA, context);
    if (code == PUSH_CURLE_OK) code = push_curl.easy_setopt(easy, PUSH_CURLOPT_WRITEFUNCTION, body);
    if (code == PUSH_CURLE_OK) code = push_curl.easy_setopt(easy, PUSH_CURLOPT_WRITEDATA, context);
    if (code == PUSH_CURLE_OK)
        code = push_curl.easy_setopt(easy, PUSH_CURLOPT_PREREQFUNCTION, attempt);
    if (code == PUSH_CURLE_OK) code = push_curl.easy_setopt(easy, PUSH_CURLOPT_PREREQDATA, context);
    return code;
}

static long number(void *easy, unsigned info) {
    long value = 0;
    return push_curl.easy_getinfo(easy, info, &value) == PUSH_CURLE_OK ? value : 0;
}

long push_curl_request_size(void *easy) { return number(easy, PUSH_CURLINFO_REQUEST_SIZE); }

long push_curl_status(void *easy) { return number(easy, PUSH_CURLINFO_RESPONSE_CODE); }

int push_curl_lateness(void *easy) {
    switch (number(easy, PUSH_CURLINFO_SSL_VERIFYRESULT)) {
    case PUSH_X509_V_ERR_CERT_NOT_YET_VALID: return -1;
    case PUSH_X509_V_ERR_CERT_HAS_EXPIRED: return 1;
    default: return 0;
    }
}

#endif
