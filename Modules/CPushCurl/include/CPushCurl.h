// What Swift can't say to libcurl itself: its setters and getters are variadic. Linux only.
#pragma once

#if defined(__linux__)

#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x075000
#error "libcurl 7.80 or newer is needed: older ones can't be kept from sending a request twice"
#endif

/// Prepares libcurl for this process, once, whichever thread comes first.
CURLcode push_curl_prepare(void);

/// Runs a function on a new detached thread, on which asynchronous signals are blocked.
///
/// Returns 0, or the error number for which no thread could start.
int push_curl_start_thread(void (*body)(void *), void *context);

/// Sets how many connections a multi handle opens at once; further transfers wait.
void push_curl_limit_connections(CURLM *multi, long count);

// Given an option that takes another type of value, these return CURLE_BAD_FUNCTION_ARGUMENT and
// do nothing, so that a slip in the caller can't corrupt memory.

CURLcode push_curl_set_number(CURL *easy, CURLoption option, long value);
CURLcode push_curl_set_size(CURL *easy, CURLoption option, curl_off_t value);

/// Sets a string, which libcurl copies; NULL restores its default, or none.
CURLcode push_curl_set_string(CURL *easy, CURLoption option, const char *value);

/// Sets the body to send. It isn't copied: it must outlive the transfer.
CURLcode push_curl_set_body(CURL *easy, const void *bytes, size_t count);

/// Sets the header lines to send. They aren't copied: they must outlive the transfer.
CURLcode push_curl_set_fields(CURL *easy, struct curl_slist *lines);

/// Allows http and https, nothing else.
CURLcode push_curl_allow_http_only(CURL *easy);

/// Makes the removal of a transfer not wait for its name lookup, where libcurl can do so.
CURLcode push_curl_abandon_lookups(CURL *easy);

/// Sets who is told of header lines, body bytes, and each attempt to send the request.
CURLcode push_curl_set_receivers(
    CURL *easy, void *context, curl_write_callback header, curl_write_callback body,
    curl_prereq_callback attempt);

/// How many bytes a pin has: the SHA-256 of a SubjectPublicKeyInfo in DER.
#define PUSH_CURL_PIN_SIZE 32

/// The pins of one transfer, and whether a chain had none of them.
typedef struct push_curl_pins push_curl_pins;

/// Copies pins, one after the other; NULL for none, or if memory is short.
push_curl_pins *push_curl_pins_create(const void *digests, size_t count);

/// Gives them up. Connections that were checked against them keep them until they close.
void push_curl_pins_release(push_curl_pins *pins);

/// Whether a chain was verified that has no pinned key.
int push_curl_pins_is_mismatch(const push_curl_pins *pins);

/// Demands that a certificate of the verified chain has a pinned key, in every TLS handshake of a
/// transfer, one with a proxy included; no session is resumed.
///
/// The pins must outlive the transfer. CURLE_NOT_BUILT_IN if libcurl doesn't use our OpenSSL.
CURLcode push_curl_set_pins(CURL *easy, push_curl_pins *pins);

/// How many bytes of the request libcurl has written so far; those to a proxy count, too.
long push_curl_request_size(CURL *easy);

/// The status of the last reply, or 0.
long push_curl_status(CURL *easy);

/// Whether the server's certificate, or one above it, isn't valid yet (-1) or has expired (1) by this
/// machine's clock; 0 for anything else, or if libcurl doesn't use our OpenSSL.
int push_curl_lateness(CURL *easy);

#endif
