// PostgreSQL's client library, libpq, found when the program runs: nobody who doesn't use it needs it,
// neither to build nor to start. The declarations are those of its manual, "libpq - C Library".
#pragma once

#include <stdbool.h>

struct pg_conn;
struct pg_result;

/// One part of a connection string, as PQconninfoParse gives it; the last has no keyword.
struct push_pq_option {
    char *_Nullable keyword;
    char *_Nullable envvar;
    char *_Nullable compiled;
    char *_Nullable val;
    char *_Nullable label;
    char *_Nullable dispchar;
    int dispsize;
};

/// PostgresPollingStatusType
enum { push_pq_polling_failed = 0, push_pq_polling_reading, push_pq_polling_writing, push_pq_polling_ok };

/// ConnStatusType: the one that counts.
enum { push_pq_connection_ok = 0 };

/// ExecStatusType: those that count.
enum { push_pq_command_ok = 1, push_pq_tuples_ok = 2, push_pq_single_tuple = 9 };

/// PGVerbosity: the server's words are left out, its code is not.
enum { push_pq_verbosity_sqlstate = 3 };

/// PG_DIAG_SQLSTATE
enum { push_pq_field_state = 'C' };

typedef void (*push_pq_receiver)(void *_Nullable context, const struct pg_result *_Nullable notice);

/// libpq's functions, by their names without `PQ`.
struct push_pq {
    struct push_pq_option *_Nullable (*_Nonnull conninfoParse)(
        const char *_Nonnull text, char *_Nullable *_Nullable message);
    void (*_Nonnull conninfoFree)(struct push_pq_option *_Nullable options);
    void (*_Nonnull freemem)(void *_Nullable memory);
    struct pg_conn *_Nullable (*_Nonnull connectStartParams)(
        const char *_Nullable const *_Nonnull keywords, const char *_Nullable const *_Nonnull values,
        int expandsName);
    int (*_Nonnull connectPoll)(struct pg_conn *_Nonnull connection);
    int (*_Nonnull status)(const struct pg_conn *_Nonnull connection);
    int (*_Nonnull socket)(const struct pg_conn *_Nonnull connection);
    char *_Nullable (*_Nonnull errorMessage)(const struct pg_conn *_Nonnull connection);
    void (*_Nonnull finish)(struct pg_conn *_Nonnull connection);
    int (*_Nonnull setErrorVerbosity)(struct pg_conn *_Nonnull connection, int verbosity);
    push_pq_receiver _Nullable (*_Nonnull setNoticeReceiver)(
        struct pg_conn *_Nonnull connection, push_pq_receiver _Nullable receiver,
        void *_Nullable context);
    int (*_Nonnull setnonblocking)(struct pg_conn *_Nonnull connection, int isNonblocking);
    int (*_Nonnull sendPrepare)(
        struct pg_conn *_Nonnull connection, const char *_Nonnull name, const char *_Nonnull text,
        int count, const unsigned *_Nullable types);
    int (*_Nonnull sendQueryPrepared)(
        struct pg_conn *_Nonnull connection, const char *_Nonnull name, int count,
        const char *_Nullable const *_Nullable values, const int *_Nullable lengths,
        const int *_Nullable formats, int resultFormat);
    int (*_Nonnull setSingleRowMode)(struct pg_conn *_Nonnull connection);
    int (*_Nonnull flush)(struct pg_conn *_Nonnull connection);
    int (*_Nonnull consumeInput)(struct pg_conn *_Nonnull connection);
    int (*_Nonnull isBusy)(struct pg_conn *_Nonnull connection);
    struct pg_result *_Nullable (*_Nonnull getResult)(struct pg_conn *_Nonnull connection);
    int (*_Nonnull resultStatus)(const struct pg_result *_Nullable result);
    char *_Nullable (*_Nonnull resultErrorField)(const struct pg_result *_Nullable result, int field);
    int (*_Nonnull ntuples)(const struct pg_result *_Nullable result);
    int (*_Nonnull nfields)(const struct pg_result *_Nullable result);
    int (*_Nonnull getisnull)(const struct pg_result *_Nullable result, int row, int column);
    int (*_Nonnull getlength)(const struct pg_result *_Nullable result, int row, int column);
    char *_Nullable (*_Nonnull getvalue)(const struct pg_result *_Nullable result, int row, int column);
    void (*_Nonnull clear)(struct pg_result *_Nullable result);
};

/// Loads the library, and keeps it for as long as the process lasts.
///
/// Returns NULL if it isn't there; or if it lacks a function, whose name is put into `lacking`.
const struct push_pq *_Nullable push_pq_load(
    const char *_Nonnull path, const char *_Nullable *_Nonnull lacking);

/// Counts the warnings of a connection that put a commit in doubt, whatever language they are in.
struct push_pq_notices {
    const struct push_pq *_Nonnull library;
    int doubts;
};

/// Lets such warnings be counted; the counter must outlive the connection.
void push_pq_count_doubts(
    struct push_pq_notices *_Nonnull notices, struct pg_conn *_Nonnull connection);

/// Waits until a socket can be read from, or written to.
///
/// Returns 1 if it can, or if it is broken, which reading from it tells; 0 if the time is over.
int push_pq_wait(int socket, bool reads, bool writes, int milliseconds);
