#ifndef C_INTERLEAVING_H
#define C_INTERLEAVING_H

// The parts of the Swift runtime that Interleaving needs and Swift can't express; see Interleaving's documentation for
// their purpose. Everything here affects only the calling thread's engine; a thread without one runs as usual.

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
    /// It resumes after a hop to its executor.
    INTERLEAVING_HOP = 1,
    /// It waits in the main actor's queue, which is first in, first out.
    INTERLEAVING_MAIN = 2,
} interleaving_kind;

/// A job that is ready to run.
typedef struct {
    void *job;
    interleaving_executor target;
    /// The ID of its task; if the job isn't a task, the ID of the task that made it, or the job's address.
    uint64_t owner;
    /// For a hop, the function at which it resumes.
    void *resume;
    interleaving_kind kind;
} interleaving_item;

/// The state of one exploring thread. Only that thread uses it.
typedef struct {
    interleaving_item *items;
    int32_t count, capacity;
    /// Receives each hop instead of its real target.
    interleaving_executor trap;
    /// The main actor's executor on this thread.
    interleaving_executor main;
    /// The executor that unstructured tasks prefer, so that they stay on this thread.
    interleaving_executor home;
    /// The real target of the current hop, and the function at which it resumes.
    interleaving_executor hop;
    void *hop_resume;
    /// The virtual time, in nanoseconds since its epoch.
    int64_t now;
    uint64_t random;
    /// Set while the runtime makes a default actor's job: the next pushed job is that one, and goes to `grabbed`.
    bool grabs, has_grabbed;
    interleaving_item grabbed;
    /// The unstructured tasks that were made, each retained.
    void **tasks;
    int32_t task_count, task_capacity;
    /// The printed output, up to a limit.
    char *output;
    size_t output_length, output_capacity;
    /// The exploration's seed, and the number of its schedule, from 1 on; 0 outside a schedule.
    uint64_t seed, schedule;
    /// A pointer for the engine's owner.
    void *owner;
} interleaving_engine;

/// Sets the runtime's hooks. Must be called once, before any thread starts.
///
/// Returns what is missing in the runtime, or NULL.
const char *interleaving_install(void);

/// Marks functions that the sanitizers must not instrument: those that the interposed `syscall` runs. A thread calls
/// `syscall` even at its very end, after the thread sanitizer has released the thread's state.
#if defined(__has_attribute) && __has_attribute(disable_sanitizer_instrumentation)
#define INTERLEAVING_UNINSTRUMENTED __attribute__((disable_sanitizer_instrumentation))
#else
#define INTERLEAVING_UNINSTRUMENTED
#endif

/// This thread's engine, or NULL.
INTERLEAVING_UNINSTRUMENTED interleaving_engine *interleaving_current(void);

/// Sets this thread's engine; NULL for none.
void interleaving_enter(interleaving_engine *engine);

/// The engine that this thread explores with, also while it is temporarily not current; NULL for none.
interleaving_engine *interleaving_exploring(void);
void interleaving_set_exploring(interleaving_engine *engine);

/// Adds a job to the ready ones.
void interleaving_push(interleaving_engine *engine, void *job, interleaving_kind kind, interleaving_executor target);

/// Runs a job on this thread until it suspends.
void interleaving_run(interleaving_engine *engine, interleaving_item item);

/// Frees an engine's memory, and releases its tasks.
void interleaving_clear(interleaving_engine *engine);

/// Makes crashes on exploring threads report their schedule. Must be called once.
void interleaving_watch_crashes(void);

/// The ID of a job's task.
uint64_t interleaving_task_id(void *job);

/// Whether a job is a task.
bool interleaving_is_task(void *job);

// MARK: Diagnostics, by the layout of tasks in Swift 6.3, which the self-test verifies at the start

/// Whether a task is done.
bool interleaving_task_is_done(void *task);

/// The first task that awaits this one, or NULL.
void *interleaving_task_waiter(void *task);

/// Stores the addresses at which a suspended task and its callers resume, at most `most`. Returns their number.
int interleaving_task_stack(void *task, void **places, int most);

/// Retains or releases a task, unless it lives on its parent's stack.
void interleaving_retain_task(void *task);
void interleaving_release_task(void *task);

/// The mangled name of the function at an address, or NULL.
const char *interleaving_symbol(void *place);

/// A demangled name, or NULL. The caller frees it by `interleaving_free`.
char *interleaving_demangled(const char *name);
void interleaving_free(char *text);

/// Defined in Swift: installs everything, before main.
extern void interleaving_boot(void) __attribute__((weak));

#endif
