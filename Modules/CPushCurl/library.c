#if defined(__linux__)

#define _GNU_SOURCE
#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

struct entry {
    const char *name;
    size_t place;
};

#define CURL_ENTRY(result, name, arguments) \
    {"curl_" #name, offsetof(struct push_curl_functions, name)},
#define OPENSSL_ENTRY(result, name, arguments) \
    {#name, offsetof(struct push_openssl_functions, name)},

static const struct entry curl_entries[] = {PUSH_CURL_FUNCTIONS(CURL_ENTRY)};
static const struct entry openssl_entries[] = {PUSH_OPENSSL_FUNCTIONS(OPENSSL_ENTRY)};

#define COUNT(entries) (sizeof entries / sizeof *entries)

struct push_curl_functions push_curl;
struct push_openssl_functions push_openssl;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static push_curl_finding finding = push_curl_missing;

static const char *fill_curl(void *library, char *table) {
    for (size_t i = 0; i < COUNT(curl_entries); i++) {
        void *function = dlsym(library, curl_entries[i].name);
        if (function == NULL) return curl_entries[i].name;
        memcpy(table + curl_entries[i].place, &function, sizeof function);
    }
    return NULL;
}

// Looks through libcurl and what it is linked with, nearest first, as the linker does for libcurl
// itself. The linker, though, looks first among what the program is linked with: where that has
// another function of the name, whose contexts libcurl makes can't be told, and none is used.
static int fill_openssl(void *library, char *table) {
    for (size_t i = 0; i < COUNT(openssl_entries); i++) {
        void *function = dlsym(library, openssl_entries[i].name);
        void *earlier = dlsym(RTLD_DEFAULT, openssl_entries[i].name);
        if (function == NULL || (earlier != NULL && earlier != function)) return 0;
        memcpy(table + openssl_entries[i].place, &function, sizeof function);
    }
    return 1;
}

static push_curl_finding load(const char *path, const char **lacking) {
    // Local: no other library of the process gets its OpenSSL by this.
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return push_curl_missing;
    struct push_curl_functions curl;
    *lacking = fill_curl(library, (char *)&curl);
    // Of libcurl 7.80: older ones can't be kept from sending a request twice.
    if (*lacking == NULL && curl.easy_option_by_id(PUSH_CURLOPT_PREREQFUNCTION) == NULL)
        *lacking = "CURLOPT_PREREQFUNCTION";
    if (*lacking != NULL || finding == push_curl_found) {
        dlclose(library);
        return *lacking != NULL ? push_curl_unsuitable : push_curl_found;
    }
    struct push_openssl_functions openssl;
    if (fill_openssl(library, (char *)&openssl)) {
        push_openssl = openssl;
        // Else OpenSSL takes its tables down while the process ends, under threads that still use
        // them.
        openssl.OPENSSL_init_crypto(PUSH_OPENSSL_INIT_NO_ATEXIT, NULL);
    }
    if (curl.global_init(PUSH_CURL_GLOBAL_DEFAULT) != PUSH_CURLE_OK) return push_curl_unusable;
    push_curl = curl;
    finding = push_curl_found;
    return push_curl_found;
}

push_curl_finding push_curl_load(const char *path, const char **lacking) {
    *lacking = NULL;
    pthread_mutex_lock(&lock);
    push_curl_finding result = load(path, lacking);
    pthread_mutex_unlock(&lock);
    return result;
}

#endif
