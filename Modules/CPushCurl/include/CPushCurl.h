// libcurl, found when the program runs: a program that makes no exchange needs it neither to build nor
// to start. Linux only. The names, without `PUSH_`, and the numbers are those of its manual.
#pragma once

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// CURLcode: those that are told apart.
typedef enum push_curl_code {
    PUSH_CURLE_OK = 0,
    PUSH_CURLE_UNSUPPORTED_PROTOCOL = 1,
    PUSH_CURLE_URL_MALFORMAT = 3,
    PUSH_CURLE_NOT_BUILT_IN = 4,
    PUSH_CURLE_WEIRD_SERVER_REPLY = 8,
    PUSH_CURLE_PARTIAL_FILE = 18,
    PUSH_CURLE_OUT_OF_MEMORY = 27,
    PUSH_CURLE_BAD_FUNCTION_ARGUMENT = 43,
    PUSH_CURLE_SSL_CERTPROBLEM = 58,
    PUSH_CURLE_PEER_FAILED_VERIFICATION = 60,
    PUSH_CURLE_FILESIZE_EXCEEDED = 63,
    PUSH_CURLE_LOGIN_DENIED = 67,
    PUSH_CURLE_SSL_CACERT_BADFILE = 77,
    PUSH_CURLE_SSL_CRL_BADFILE = 82,
    PUSH_CURLE_SSL_ISSUER_ERROR = 83,
    PUSH_CURLE_SSL_PINNEDPUBKEYNOTMATCH = 90,
    PUSH_CURLE_SSL_INVALIDCERTSTATUS = 91,
} push_curl_code;

/// CURLoption: those that Swift sets.
typedef enum push_curl_option {
    PUSH_CURLOPT_SSLVERSION = 32,
    PUSH_CURLOPT_NOBODY = 44,
    PUSH_CURLOPT_NETRC = 51,
    PUSH_CURLOPT_FOLLOWLOCATION = 52,
    PUSH_CURLOPT_SSL_VERIFYPEER = 64,
    PUSH_CURLOPT_SSL_VERIFYHOST = 81,
    PUSH_CURLOPT_HTTP_VERSION = 84,
    PUSH_CURLOPT_NOSIGNAL = 99,
    PUSH_CURLOPT_TIMEOUT_MS = 155,
    PUSH_CURLOPT_CONNECTTIMEOUT_MS = 156,
    PUSH_CURLOPT_PATH_AS_IS = 234,
    PUSH_CURLOPT_SUPPRESS_CONNECT_HEADERS = 265,
    PUSH_CURLOPT_DISALLOW_USERNAME_IN_URL = 278,
    PUSH_CURLOPT_HTTP09_ALLOWED = 285,
    PUSH_CURLOPT_URL = 10002,
    PUSH_CURLOPT_PROXY = 10004,
    PUSH_CURLOPT_SSLCERT = 10025,
    PUSH_CURLOPT_CUSTOMREQUEST = 10036,
    PUSH_CURLOPT_CAINFO = 10065,
    PUSH_CURLOPT_SSLKEY = 10087,
    PUSH_CURLOPT_CAPATH = 10097,
    PUSH_CURLOPT_ACCEPT_ENCODING = 10102,
    PUSH_CURLOPT_MAXFILESIZE_LARGE = 30117,
} push_curl_option;

/// Values of options.
enum { PUSH_CURL_HTTP_VERSION_2TLS = 4, PUSH_CURL_SSLVERSION_TLSv1_2 = 6 };

/// What is told to libcurl before it sends a request.
#define PUSH_CURL_PREREQFUNC_OK 0
#define PUSH_CURL_PREREQFUNC_ABORT 1

struct curl_slist;

/// What became of a search for libcurl.
typedef enum push_curl_finding {
    push_curl_found = 0,
    push_curl_missing,
    push_curl_unsuitable,
    push_curl_unusable,
} push_curl_finding;

/// Loads libcurl and prepares it for this process, unless that is done, whichever thread comes first;
/// it stays for as long as the process lasts. Without it nothing else here but the pins' own
/// functions and the thread's may be called.
///
/// `lacking` gets what an unsuitable library doesn't have.
push_curl_finding push_curl_load(const char *path, const char **lacking);

/// libcurl's sentence for a code.
const char *push_curl_message(push_curl_code code);

void *push_curl_multi_init(void);
void push_curl_multi_cleanup(void *multi);
void push_curl_multi_wakeup(void *multi);

/// Whether libcurl took the transfer.
bool push_curl_multi_add(void *multi, void *easy);
void push_curl_multi_remove(void *multi, void *easy);
void push_curl_multi_perform(void *multi);

/// The next transfer that is over, and how it ended; NULL for none.
void *push_curl_multi_ended(void *multi, push_curl_code *code);

/// Sleeps until a socket is ready, a time-out of libcurl's is due, or someone wakes it.
void push_curl_multi_wait(void *multi);

void *push_curl_easy_init(void);
void push_curl_easy_cleanup(void *easy);

struct curl_slist *push_curl_lines_append(struct curl_slist *lines, const char *line);
void push_curl_lines_free(struct curl_slist *lines);

/// Runs a function on a new detached thread, on which asynchronous signals are blocked.
///
/// Returns 0, or the error number for which no thread could start.
int push_curl_start_thread(void (*body)(void *), void *context);

/// Sets how many connections a multi handle opens at once; further transfers wait.
void push_curl_limit_connections(void *multi, long count);

// Given an option that takes another type of value, these return PUSH_CURLE_BAD_FUNCTION_ARGUMENT
// and do nothing, so that a slip in the caller can't corrupt memory.

push_curl_code push_curl_set_number(void *easy, push_curl_option option, long value);
push_curl_code push_curl_set_size(void *easy, push_curl_option option, int64_t value);

/// Sets a string, which libcurl copies; NULL restores its default, or none.
push_curl_code push_curl_set_string(void *easy, push_curl_option option, const char *value);

/// Sets the body to send. It isn't copied: it must outlive the transfer.
push_curl_code push_curl_set_body(void *easy, const void *bytes, size_t count);

/// Sets the header lines to send. They aren't copied: they must outlive the transfer.
push_curl_code push_curl_set_fields(void *easy, struct curl_slist *lines);

/// Allows http and https, nothing else.
push_curl_code push_curl_allow_http_only(void *easy);

/// Makes the removal of a transfer not wait for its name lookup, where libcurl can do so.
push_curl_code push_curl_abandon_lookups(void *easy);

typedef size_t (*push_curl_receiver)(char *bytes, size_t size, size_t count, void *context);
typedef int (*push_curl_attempt)(
    void *context, char *peer, char *local, int peer_port, int local_port);

/// Sets who is told of header lines, body bytes, and each attempt to send the request.
push_curl_code push_curl_set_receivers(
    void *easy, void *context, push_curl_receiver header, push_curl_receiver body,
    push_curl_attempt attempt);

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
/// The pins must outlive the transfer. PUSH_CURLE_NOT_BUILT_IN if libcurl doesn't use the OpenSSL
/// that was found.
push_curl_code push_curl_set_pins(void *easy, push_curl_pins *pins);

/// How many bytes of the request libcurl has written so far; those to a proxy count, too.
long push_curl_request_size(void *easy);

/// The status of the last reply, or 0.
long push_curl_status(void *easy);

/// Whether the server's certificate, or one above it, isn't valid yet (-1) or has expired (1) by this
/// machine's clock; 0 for anything else, or if libcurl doesn't use OpenSSL.
int push_curl_lateness(void *easy);

#endif
