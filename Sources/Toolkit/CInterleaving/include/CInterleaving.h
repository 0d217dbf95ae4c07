#ifndef C_INTERLEAVING_H
#define C_INTERLEAVING_H

// What Interleaving needs of the Swift runtime that Swift cannot say: see its own documentation for what it is for.
// Everything here concerns the calling thread's engine only; a thread without one runs as if this were not there.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A reference to an executor, as the runtime passes it: an object, and its witness table or 0 for a default actor.
typedef struct {
    uintptr_t object, implementation;
} interleaving_executor;

/// Why a job is ready.
typedef enum {
    /// It may run anywhere.
    INTERLEAVING_ANYWHERE = 0,
    /// It goes on after a hop to its executor.
    INTERLEAVING_HOP = 1,
    /// It waits in the main actor's queue, which is first in, first out.
    INTERLEAVING_MAIN = 2,
} interleaving_kind;

/// A job that is ready to run.
typedef struct {
    void *job;
    interleaving_executor target;
    /// The number of its task; of a job that is none, of the task that made it.
    uint64_t owner;
    /// Where it goes on, of a hop.
    void *resume;
    interleaving_kind kind;
} interleaving_item;

/// What one exploring thread knows. The fields are its own thread's.
typedef struct {
    interleaving_item *items;
    int32_t count, capacity;
    /// Receives each hop instead of its real target.
    interleaving_executor trap;
    /// What the main actor is on this thread.
    interleaving_executor main;
    /// What unstructured tasks prefer, so that they stay.
    interleaving_executor home;
    /// The real target of the hop that is being made, and where it goes on.
    interleaving_executor hop;
    void *hop_resume;
    /// Nanoseconds since the epoch of virtual time.
    int64_t now;
    uint64_t random;
    /// While a default actor's job is made: the next job that is pushed is that one.
    bool grabs, has_grabbed;
    interleaving_item grabbed;
    /// Unstructured tasks that were made, each retained.
    void **tasks;
    int32_t task_count, task_capacity;
    /// What was printed, as far as it fits.
    char *output;
    size_t output_length, output_capacity;
    /// Which exploration this is, and which of its schedules, from 1 on; 0 if it is none.
    uint64_t seed, schedule;
    /// Anything that belongs to the engine, for its owner.
    void *owner;
} interleaving_engine;

/// Finds what stands behind the interposed functions, and sets the runtime's hooks. Once, before any thread starts.
///
/// Returns what is missing, or NULL.
const char *interleaving_install(void);

/// Threads call `syscall` at their very end too, when the thread sanitizer has forgotten them: it must not be told of that.
#if defined(__has_attribute) && __has_attribute(disable_sanitizer_instrumentation)
#define INTERLEAVING_UNTOLD __attribute__((disable_sanitizer_instrumentation))
#else
#define INTERLEAVING_UNTOLD
#endif

/// This thread's engine, or NULL.
INTERLEAVING_UNTOLD interleaving_engine *interleaving_current(void);

/// Makes an engine this thread's; NULL for none.
void interleaving_enter(interleaving_engine *engine);

/// The engine that this thread explores with, also while it stands outside for a moment; NULL for none.
interleaving_engine *interleaving_exploring(void);
void interleaving_set_exploring(interleaving_engine *engine);

/// Adds a job to those that are ready.
void interleaving_push(interleaving_engine *engine, void *job, interleaving_kind kind, interleaving_executor target);

/// Runs a job on this thread until it suspends.
void interleaving_run(interleaving_engine *engine, interleaving_item item);

/// Frees what an engine has allocated; releases the tasks.
void interleaving_clear(interleaving_engine *engine);

/// From now on a crash on a thread that explores says which schedule it was. Once.
void interleaving_watch_crashes(void);

/// The number of a job's task.
uint64_t interleaving_task_id(void *job);

/// Whether a job is a task.
bool interleaving_is_task(void *job);

// MARK: Diagnostics, by the layout of tasks in Swift 6.3; checked at the start, see the self-test.

/// Whether a task is done.
bool interleaving_task_is_done(void *task);

/// The first task that waits for this one, or NULL.
void *interleaving_task_waiter(void *task);

/// Where a suspended task goes on, and its callers: at most so many. Returns how many.
int interleaving_task_stack(void *task, void **places, int most);

/// Keeps a task, unless it lives on its parent's stack; and lets go of it.
void interleaving_retain_task(void *task);
void interleaving_release_task(void *task);

/// The mangled name of the function that a place is in, or NULL.
const char *interleaving_symbol(void *place);

/// A mangled name as it is read, or NULL; to be freed by `interleaving_free`.
char *interleaving_demangled(const char *name);
void interleaving_free(char *text);

/// Defined in Swift: installs everything, before main.
extern void interleaving_boot(void) __attribute__((weak));

#endif
