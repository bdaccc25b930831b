#if defined(__linux__)

#include "library.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The transfer that made it owns one reference, each SSL_CTX another: a connection outlives its
// first transfer, and a server may ask for another handshake on it. All of them live on one thread,
// which is why plain numbers will do.
struct push_curl_pins {
    size_t references;
    int is_mismatch;
    size_t count;
    unsigned char digests[][PUSH_CURL_PIN_SIZE];
};

static pthread_once_t numbered = PTHREAD_ONCE_INIT;
static int slot = -1;

static void release_slot(
    void *parent, void *value, struct crypto_ex_data_st *data, int index, long argl, void *argp) {
    (void)parent, (void)data, (void)index, (void)argl, (void)argp;
    push_curl_pins_release(value);
}

static void number(void) {
    slot = push_openssl.CRYPTO_get_ex_new_index(
        PUSH_CRYPTO_EX_INDEX_SSL_CTX, 0, NULL, NULL, NULL, release_slot);
}

push_curl_pins *push_curl_pins_create(const void *digests, size_t count) {
    if (count == 0 || count > 1 << 20) return NULL;
    push_curl_pins *pins = malloc(sizeof *pins + count * PUSH_CURL_PIN_SIZE);
    if (pins == NULL) return NULL;
    pins->references = 1;
    pins->is_mismatch = 0;
    pins->count = count;
    memcpy(pins->digests, digests, count * PUSH_CURL_PIN_SIZE);
    return pins;
}

void push_curl_pins_release(push_curl_pins *pins) {
    if (pins != NULL && --pins->references == 0) free(pins);
}

int push_curl_pins_is_mismatch(const push_curl_pins *pins) { return pins->is_mismatch; }

static int has_pinned_key(const push_curl_pins *pins, const struct x509_st *certificate) {
    unsigned char *key = NULL;
    int size = push_openssl.i2d_X509_PUBKEY(push_openssl.X509_get_X509_PUBKEY(certificate), &key);
    if (size <= 0) return 0;
    unsigned char digest[PUSH_CURL_PIN_SIZE];
    unsigned int length = 0;
    int is_hashed = push_openssl.EVP_Digest(
        key, (size_t)size, digest, &length, push_openssl.EVP_sha256(), NULL);
    push_openssl.CRYPTO_free(key, "", 0);
    if (is_hashed != 1 || length != PUSH_CURL_PIN_SIZE) return 0;
    for (size_t i = 0; i < pins->count; i++)
        if (memcmp(pins->digests[i], digest, PUSH_CURL_PIN_SIZE) == 0) return 1;
    return 0;
}

// Verifies as OpenSSL does without it, then looks through the chain that was verified: what the
// server presented may hold any certificate, and so proves nothing.
static int verify(struct x509_store_ctx_st *store, void *context) {
    push_curl_pins *pins = context;
    int verdict = push_openssl.X509_verify_cert(store);
    if (verdict <= 0) return verdict;
    // OpenSSL's own stacks of each type are this one.
    const struct stack_st *chain = (const void *)push_openssl.X509_STORE_CTX_get0_chain(store);
    for (int i = 0; chain != NULL && i < push_openssl.OPENSSL_sk_num(chain); i++)
        if (has_pinned_key(pins, push_openssl.OPENSSL_sk_value(chain, i))) return verdict;
    pins->is_mismatch = 1;
    push_openssl.X509_STORE_CTX_set_error(store, PUSH_X509_V_ERR_APPLICATION_VERIFICATION);
    return 0;
}

static unsigned prepare_context(void *easy, void *context, void *data) {
    (void)easy;
    push_curl_pins *pins = data;
    // Checked now that OpenSSL has set itself up: a missing slot would leave the pins unowned.
    pthread_once(&numbered, number);
    if (slot < 0 || push_openssl.SSL_CTX_set_ex_data(context, slot, pins) != 1)
        return PUSH_CURLE_OUT_OF_MEMORY;
    pins->references++;
    push_openssl.SSL_CTX_set_cert_verify_callback(context, verify, pins);
    return PUSH_CURLE_OK;
}

// Whether libcurl's TLS is the OpenSSL that was found: another library's context, though given to
// the same callback, would be another type.
static int has_our_openssl(void) {
    if (push_openssl.OpenSSL_version == NULL) return 0;
    const struct push_curl_version *info =
        (const void *)push_curl.version_info(PUSH_CURLVERSION_FIRST);
    const char *name = "OpenSSL/";
    if (info->ssl_version == NULL || strncmp(info->ssl_version, name, strlen(name)) != 0) return 0;
    const char *version = push_openssl.OpenSSL_version(PUSH_OPENSSL_VERSION_STRING);
    const char *theirs = info->ssl_version + strlen(name);
    size_t length = strlen(version);
    return strncmp(theirs, version, length) == 0 && (theirs[length] == 0 || theirs[length] == ' ');
}

push_curl_code push_curl_set_pins(void *easy, push_curl_pins *pins) {
    if (!has_our_openssl()) return PUSH_CURLE_NOT_BUILT_IN;
    push_curl_code code =
        push_curl.easy_setopt(easy, PUSH_CURLOPT_SSL_CTX_FUNCTION, prepare_context);
    if (code == PUSH_CURLE_OK)
        code = push_curl.easy_setopt(easy, PUSH_CURLOPT_SSL_CTX_DATA, pins);
    // A resumed session shows no chain. With none kept, every connection is checked in full.
    if (code == PUSH_CURLE_OK)
        code = push_curl.easy_setopt(easy, PUSH_CURLOPT_SSL_SESSIONID_CACHE, 0L);
    return code;
}

#endif
