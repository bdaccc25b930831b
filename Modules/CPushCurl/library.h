// What is called of libcurl and of the OpenSSL that it uses, as their manuals declare it. A test
// compares this with their headers.
#pragma once

#include "CPushCurl.h"

struct CURLMsg;
struct curl_easyoption;
struct curl_version_info_data;

// FUNCTION(result, name, arguments); libcurl's names have `curl_` before them.
#define PUSH_CURL_FUNCTIONS(FUNCTION) \
    FUNCTION(unsigned, global_init, (long flags)) \
    FUNCTION(struct curl_version_info_data *, version_info, (unsigned age)) \
    FUNCTION(void *, easy_init, (void)) \
    FUNCTION(void, easy_cleanup, (void *easy)) \
    FUNCTION(unsigned, easy_setopt, (void *easy, unsigned option, ...)) \
    FUNCTION(unsigned, easy_getinfo, (void *easy, unsigned info, ...)) \
    FUNCTION(const char *, easy_strerror, (unsigned code)) \
    FUNCTION(const struct curl_easyoption *, easy_option_by_id, (unsigned option)) \
    FUNCTION(void *, multi_init, (void)) \
    FUNCTION(int, multi_cleanup, (void *multi)) \
    FUNCTION(int, multi_setopt, (void *multi, unsigned option, ...)) \
    FUNCTION(int, multi_add_handle, (void *multi, void *easy)) \
    FUNCTION(int, multi_remove_handle, (void *multi, void *easy)) \
    FUNCTION(int, multi_perform, (void *multi, int *running)) \
    FUNCTION(struct CURLMsg *, multi_info_read, (void *multi, int *left)) \
    FUNCTION( \
        int, multi_poll, \
        (void *multi, struct curl_waitfd *more, unsigned count, int milliseconds, int *ready)) \
    FUNCTION(int, multi_wakeup, (void *multi)) \
    FUNCTION(struct curl_slist *, slist_append, (struct curl_slist *list, const char *line)) \
    FUNCTION(void, slist_free_all, (struct curl_slist *list))

struct curl_waitfd;
struct ssl_ctx_st;
struct x509_st;
struct X509_pubkey_st;
struct x509_store_ctx_st;
struct stack_st;
struct stack_st_X509;
struct evp_md_st;
struct engine_st;
struct crypto_ex_data_st;
struct ossl_init_settings_st;

typedef void push_openssl_new(
    void *parent, void *value, struct crypto_ex_data_st *data, int index, long argl, void *argp);
typedef int push_openssl_dup(
    struct crypto_ex_data_st *to, const struct crypto_ex_data_st *from, void **value, int index,
    long argl, void *argp);

#define PUSH_OPENSSL_FUNCTIONS(FUNCTION) \
    FUNCTION(int, OPENSSL_init_crypto, (uint64_t options, const struct ossl_init_settings_st *)) \
    FUNCTION(const char *, OpenSSL_version, (int kind)) \
    FUNCTION( \
        int, CRYPTO_get_ex_new_index, \
        (int class, long argl, void *argp, push_openssl_new *, push_openssl_dup *, \
         push_openssl_new *release)) \
    FUNCTION(void, CRYPTO_free, (void *memory, const char *file, int line)) \
    FUNCTION(int, SSL_CTX_set_ex_data, (struct ssl_ctx_st *, int index, void *value)) \
    FUNCTION( \
        void, SSL_CTX_set_cert_verify_callback, \
        (struct ssl_ctx_st *, int (*)(struct x509_store_ctx_st *, void *), void *argument)) \
    FUNCTION(int, X509_verify_cert, (struct x509_store_ctx_st *)) \
    FUNCTION( \
        struct stack_st_X509 *, X509_STORE_CTX_get0_chain, (const struct x509_store_ctx_st *)) \
    FUNCTION(void, X509_STORE_CTX_set_error, (struct x509_store_ctx_st *, int error)) \
    FUNCTION(int, OPENSSL_sk_num, (const struct stack_st *)) \
    FUNCTION(void *, OPENSSL_sk_value, (const struct stack_st *, int index)) \
    FUNCTION(struct X509_pubkey_st *, X509_get_X509_PUBKEY, (const struct x509_st *)) \
    FUNCTION(int, i2d_X509_PUBKEY, (const struct X509_pubkey_st *, unsigned char **der)) \
    FUNCTION(const struct evp_md_st *, EVP_sha256, (void)) \
    FUNCTION( \
        int, EVP_Digest, \
        (const void *bytes, size_t count, unsigned char *digest, unsigned *size, \
         const struct evp_md_st *, struct engine_st *))

#define MEMBER(result, name, arguments) result(*name) arguments;

struct push_curl_functions { PUSH_CURL_FUNCTIONS(MEMBER) };
struct push_openssl_functions { PUSH_OPENSSL_FUNCTIONS(MEMBER) };

/// libcurl's, once push_curl_load has found them.
extern struct push_curl_functions push_curl;

/// OpenSSL's; all NULL where libcurl uses none, or one that can't be told for sure.
extern struct push_openssl_functions push_openssl;

// The heads of libcurl's structures; its later versions may only append to them.

struct push_curl_version {
    unsigned age;
    const char *version;
    unsigned version_num;
    const char *host;
    int features;
    const char *ssl_version;
};

struct push_curl_known_option {
    const char *name;
    unsigned id;
    unsigned type;
    unsigned flags;
};

struct push_curl_ending {
    unsigned msg;
    void *easy_handle;
    union {
        void *whatever;
        unsigned result;
    } data;
};

enum {
    PUSH_CURL_GLOBAL_DEFAULT = 3,
    PUSH_CURLVERSION_FIRST = 0,
    PUSH_CURLM_OK = 0,
    PUSH_CURLMSG_DONE = 1,
    PUSH_CURLMOPT_MAX_TOTAL_CONNECTIONS = 13,
    PUSH_CURLPROTO_HTTP = 1,
    PUSH_CURLPROTO_HTTPS = 2,
    PUSH_CURLOT_LONG = 0,
    PUSH_CURLOT_VALUES = 1,
    PUSH_CURLOT_OFF_T = 2,
    PUSH_CURLOT_STRING = 4,
    PUSH_CURLINFO_RESPONSE_CODE = 0x200002,
    PUSH_CURLINFO_REQUEST_SIZE = 0x20000c,
    PUSH_CURLINFO_SSL_VERIFYRESULT = 0x20000d,
    PUSH_CURLOPT_POST = 47,
    PUSH_CURLOPT_SSL_SESSIONID_CACHE = 150,
    PUSH_CURLOPT_PROTOCOLS = 181,
    PUSH_CURLOPT_QUICK_EXIT = 322,
    PUSH_CURLOPT_WRITEDATA = 10001,
    PUSH_CURLOPT_POSTFIELDS = 10015,
    PUSH_CURLOPT_HTTPHEADER = 10023,
    PUSH_CURLOPT_HEADERDATA = 10029,
    PUSH_CURLOPT_SSL_CTX_DATA = 10109,
    PUSH_CURLOPT_PREREQDATA = 10313,
    PUSH_CURLOPT_PROTOCOLS_STR = 10318,
    PUSH_CURLOPT_WRITEFUNCTION = 20011,
    PUSH_CURLOPT_HEADERFUNCTION = 20079,
    PUSH_CURLOPT_SSL_CTX_FUNCTION = 20108,
    PUSH_CURLOPT_PREREQFUNCTION = 20312,
    PUSH_CURLOPT_POSTFIELDSIZE_LARGE = 30120,

    PUSH_OPENSSL_INIT_NO_ATEXIT = 0x80000,
    PUSH_OPENSSL_VERSION_STRING = 6,
    PUSH_CRYPTO_EX_INDEX_SSL_CTX = 1,
    PUSH_X509_V_ERR_CERT_NOT_YET_VALID = 9,
    PUSH_X509_V_ERR_CERT_HAS_EXPIRED = 10,
    PUSH_X509_V_ERR_APPLICATION_VERIFICATION = 50,
};
