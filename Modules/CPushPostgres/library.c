#include "CPushPostgres.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct entry {
    const char *name;
    size_t place;
};

#define ENTRY(function) {"PQ" #function, offsetof(struct push_pq, function)}

static const struct entry entries[] = {
    ENTRY(conninfoParse), ENTRY(conninfoFree), ENTRY(freemem), ENTRY(connectStartParams),
    ENTRY(connectPoll), ENTRY(status), ENTRY(socket), ENTRY(errorMessage), ENTRY(finish),
    ENTRY(setErrorVerbosity), ENTRY(setNoticeReceiver), ENTRY(setnonblocking), ENTRY(sendPrepare),
    ENTRY(sendQueryPrepared), ENTRY(setSingleRowMode), ENTRY(flush), ENTRY(consumeInput), ENTRY(isBusy),
    ENTRY(getResult), ENTRY(resultStatus), ENTRY(resultErrorField), ENTRY(ntuples), ENTRY(nfields),
    ENTRY(getisnull), ENTRY(getlength), ENTRY(getvalue), ENTRY(clear),
};

const struct push_pq *push_pq_load(const char *path, const char **lacking) {
    *lacking = NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return NULL;
    char *table = calloc(1, sizeof(struct push_pq));
    if (table == NULL) return NULL;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *function = dlsym(library, entries[i].name);
        if (function == NULL) {
            *lacking = entries[i].name;
            free(table);
            dlclose(library);
            return NULL;
        }
        memcpy(table + entries[i].place, &function, sizeof function);
    }
    return (const struct push_pq *)table;
}

static void count_doubt(void *context, const struct pg_result *notice) {
    struct push_pq_notices *notices = context;
    // PG_DIAG_SEVERITY_NONLOCALIZED and PG_DIAG_SQLSTATE
    const char *severity = notices->library->resultErrorField(notice, 'V');
    if (severity != NULL && strcmp(severity, "WARNING") != 0) return;
    const char *state = notices->library->resultErrorField(notice, 'C');
    // A standby that wasn't waited for is told by a warning without a code of its own, or with the one of
    // a server that ends. Other codes of warnings, such as that of rights that weren't granted, say what
    // they mean.
    if (state == NULL || strcmp(state, "01000") == 0 || strncmp(state, "01", 2) != 0)
        notices->doubts++;
}

void push_pq_count_doubts(struct push_pq_notices *notices, struct pg_conn *connection) {
    notices->library->setNoticeReceiver(connection, count_doubt, notices);
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

int push_pq_wait(int socket, bool reads, bool writes, int milliseconds) {
    struct pollfd entry = {.fd = socket};
    if (reads) entry.events |= POLLIN;
    if (writes) entry.events |= POLLOUT;
    long long end = now() + milliseconds;
    while (true) {
        long long left = end - now();
        int count = poll(&entry, 1, left > 0 ? (int)left : 0);
        if (count >= 0) return count;
        if (errno != EINTR && errno != EAGAIN) return 1;
    }
}
