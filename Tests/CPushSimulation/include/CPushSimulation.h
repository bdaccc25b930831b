#ifndef C_PUSH_SIMULATION_H
#define C_PUSH_SIMULATION_H

#include <stddef.h>

/// Puts this process's Swift concurrency under the hooks below. Threads that capture nothing are
/// left as they were. Returns 0, or -1 if the runtime has no such hooks.
int push_simulation_install(void);

/// From now on, jobs that this thread enqueues wait in a queue of its own.
void push_simulation_begin(void);

/// Ends that, and forgets the jobs that still wait. Returns how many those are.
size_t push_simulation_end(void);

/// How many jobs wait on this thread.
size_t push_simulation_waiting(void);

/// Takes a waiting job out of the queue, by its place in the order of arrival, and runs it here
/// until it suspends. Returns 0, or -1 if there is no such job.
int push_simulation_run(size_t index);

/// How often this thread asked for a timer of the runtime, which no simulation may.
size_t push_simulation_timers(void);

#endif
