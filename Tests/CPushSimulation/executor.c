// Takes over the jobs that Swift's concurrency runtime would hand to its thread pool, for threads
// that ask for it. The hooks and `swift_job_run` are exported by the runtime (Concurrency.h,
// Executor.h in the Swift repository).
#define _GNU_SOURCE
#include "CPushSimulation.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define SWIFT_CC __attribute__((swiftcall))

typedef struct Job Job;
typedef SWIFT_CC void (*EnqueueOriginal)(Job *);
typedef SWIFT_CC void (*EnqueueHook)(Job *, EnqueueOriginal);
typedef SWIFT_CC void (*DelayOriginal)(unsigned long long, Job *);
typedef SWIFT_CC void (*DelayHook)(unsigned long long, Job *, DelayOriginal);
typedef SWIFT_CC void (*DeadlineOriginal)(long long, long long, long long, long long, int, Job *);
typedef SWIFT_CC void (*DeadlineHook)(
    long long, long long, long long, long long, int, Job *, DeadlineOriginal);

/// The executor that runs what belongs to no actor: two empty words.
typedef struct {
    void *identity;
    size_t implementation;
} ExecutorRef;
typedef SWIFT_CC void (*RunJob)(Job *, ExecutorRef);

typedef struct {
    Job **jobs;
    size_t count;
    size_t capacity;
    size_t timers;
    int captures;
} Queue;

static _Thread_local Queue queue;
static RunJob run_job;

static void append(Job *job) {
    if (queue.count == queue.capacity) {
        size_t capacity = queue.capacity ? queue.capacity * 2 : 64;
        Job **jobs = realloc(queue.jobs, capacity * sizeof *jobs);
        if (!jobs) abort();
        queue.jobs = jobs;
        queue.capacity = capacity;
    }
    queue.jobs[queue.count++] = job;
}

static SWIFT_CC void enqueue(Job *job, EnqueueOriginal original) {
    if (queue.captures) append(job);
    else original(job);
}

static SWIFT_CC void enqueue_after(unsigned long long delay, Job *job, DelayOriginal original) {
    if (!queue.captures) {
        original(delay, job);
        return;
    }
    queue.timers++;
    append(job);
}

static SWIFT_CC void enqueue_at(
    long long seconds, long long nanoseconds, long long leeway_seconds,
    long long leeway_nanoseconds, int clock, Job *job, DeadlineOriginal original
) {
    if (!queue.captures) {
        original(seconds, nanoseconds, leeway_seconds, leeway_nanoseconds, clock, job);
        return;
    }
    queue.timers++;
    append(job);
}

int push_simulation_install(void) {
    EnqueueHook *hook = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
    DelayHook *delay = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobalWithDelay_hook");
    DeadlineHook *deadline = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobalWithDeadline_hook");
    run_job = (RunJob)dlsym(RTLD_DEFAULT, "swift_job_run");
    if (!hook || !delay || !deadline || !run_job) return -1;
    *delay = enqueue_after;
    *deadline = enqueue_at;
    *hook = enqueue;
    return 0;
}

void push_simulation_begin(void) {
    queue.count = 0;
    queue.timers = 0;
    queue.captures = 1;
}

size_t push_simulation_end(void) {
    size_t left = queue.count;
    free(queue.jobs);
    memset(&queue, 0, sizeof queue);
    return left;
}

size_t push_simulation_waiting(void) { return queue.count; }

size_t push_simulation_timers(void) { return queue.timers; }

int push_simulation_run(size_t index) {
    if (index >= queue.count) return -1;
    Job *job = queue.jobs[index];
    memmove(queue.jobs + index, queue.jobs + index + 1, (queue.count - index - 1) * sizeof job);
    queue.count--;
    run_job(job, (ExecutorRef){0, 0});
    return 0;
}
