#ifndef C_INTERLEAVING_H
#define C_INTERLEAVING_H

// The thread sanitizer interposes locks and queues itself, so they are not interposed here.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SANITIZES_THREADS
#endif
#endif

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
    /// It was interrupted while it ran, and occupies its thread until it goes on.
    INTERLEAVING_PARKED = 3,
    /// It is a block of a dispatch queue.
    INTERLEAVING_BLOCK = 4,
} interleaving_kind;

/// How a block shares its dispatch queue with others; in a block's item, the target's `implementation`.
typedef enum {
    /// It runs beside other blocks.
    INTERLEAVING_CONCURRENT = 0,
    /// It runs alone, after all earlier blocks.
    INTERLEAVING_SERIAL = 1,
} interleaving_sharing;

/// A job that is ready to run.
typedef struct {
    /// A job; for a parked one, its worker; for a block, the block.
    void *job;
    /// The executor that it needs; for a parked job, the one that it occupies; for a block, its queue.
    interleaving_executor target;
    /// The ID of its task; if the job isn't a task, the ID of the task that made it, or the job's address.
    uint64_t owner;
    /// For a hop, the function at which it resumes.
    void *resume;
    interleaving_kind kind;
    /// For a parked job, the kind that it had.
    interleaving_kind parked_kind;
    /// For a parked job, the object that must be released first, such as a lock; NULL if it can go on.
    const void *waits_for;
    /// For a parked job that waits for a futex, the futex: it can go on when the value is 0.
    const uint32_t *polls;
    /// For a block, the dispatch group that it belongs to, or NULL.
    void *group;
} interleaving_item;

/// A lock that is held, and the task that holds it.
typedef struct {
    const void *lock;
    uint64_t owner;
} interleaving_held;

/// A block that runs when a dispatch group is empty.
typedef struct {
    void *group, *queue, *block;
} interleaving_notification;

/// A task that was made in a schedule whose steps are recorded.
typedef struct {
    uint64_t id;
    /// Its name, or NULL.
    char *name;
    /// The return addresses of the functions that made it.
    void *callers[16];
    int32_t caller_count;
} interleaving_birth;

/// The beginning of virtual time, in seconds: a day in 2001, so that subtracting a duration doesn't result in a time
/// before 1970.
#define INTERLEAVING_EPOCH 1000000000

/// The state of one exploration. One thread at a time uses it.
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
    /// Whether a running job can be interrupted where it takes and releases locks.
    bool preempts;
    /// Whether to note the use of locks as an effect.
    bool watches;
    /// Whether the current step has done something that other tasks may notice, besides using its actor.
    bool has_effect;
    /// The locks that jobs hold, and the number of parked jobs that wait for something.
    interleaving_held *held;
    int32_t held_count, held_capacity, waiting;
    /// The owner of the running job.
    uint64_t running;
    /// The blocks that wait for dispatch groups.
    interleaving_notification *notifications;
    int32_t notification_count, notification_capacity;
    /// The number of blocks so far.
    uint64_t blocks;
    /// Set while the runtime makes a default actor's job: the next pushed job is that one, and goes to `grabbed`.
    bool grabs, has_grabbed;
    interleaving_item grabbed;
    /// The default actors that the schedule has made: a hash table, with 0 for an empty element and 1 for a removed one.
    uintptr_t *actors;
    int32_t actor_count, actor_capacity;
    /// Whether the schedule may use actors that it hasn't made, which only one schedule at a time does.
    bool has_turn;
    /// The unstructured tasks that were made, each retained.
    void **tasks;
    int32_t task_count, task_capacity;
    /// Whether the schedule's steps are recorded; if so, the tasks that its jobs made.
    bool records;
    interleaving_birth *births;
    int32_t birth_count, birth_capacity;
    /// The printed output, up to a limit.
    char *output;
    size_t output_length, output_capacity;
    /// The exploration's seed, and the number of its schedule, from 1 on; 0 outside a schedule.
    uint64_t seed, schedule;
    /// The seed of the running schedule's random numbers.
    uint64_t schedule_seed;
    /// What follows the replay code and the seed in `INTERLEAVING_REPLAY`, and what follows `swift test`; or NULL.
    char *replay_place, *test_filter;
    /// The last steps of a schedule whose steps are recorded, or NULL.
    char *last_steps;
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

/// Adds an item.
void interleaving_append(interleaving_engine *engine, interleaving_item item);

/// Runs a job on this thread until it suspends.
void interleaving_run(interleaving_engine *engine, interleaving_item item);

/// Makes list's capacity at least `count + 1`, and returns the list.
void *interleaving_grown(void *list, int32_t count, int32_t *capacity, size_t size);

/// Runs a block that the engine has taken from its items.
void interleaving_run_block(interleaving_item item);

/// Runs and releases a block of the main queue, on the main actor.
void interleaving_call_block(interleaving_item item);

/// Whether a dispatch queue is the main queue.
bool interleaving_is_main_queue(void *queue);

/// Releases blocks that will never run.
void interleaving_drop_blocks(interleaving_engine *engine);
void interleaving_drop_block(interleaving_item item);

/// The time of a dispatch time as nanoseconds of virtual time; INT64_MAX for "forever".
int64_t interleaving_virtual_time(uint64_t time);

/// The owner of a lock that a job holds; 0 if no job holds it.
uint64_t interleaving_holder(interleaving_engine *engine, const void *lock);

/// Notes that the running step has done something that other tasks notice, and interrupts it if jobs can be interrupted.
void interleaving_note_effect(void);

/// Interrupts the running step after it has made a task, if jobs can be interrupted.
void interleaving_note_new_task(void);

/// Whether locks and dispatch queues are interposed; not with the thread sanitizer.
bool interleaving_sees_locks(void);

/// Finds out whose locks are scheduling points. Must be called once, before jobs can be interrupted.
void interleaving_find_locks(void);

/// Notes on this thread that a job begins or ends to run; only in between can it be interrupted.
void interleaving_set_in_job(bool is_in_job);
INTERLEAVING_UNINSTRUMENTED bool interleaving_is_in_job(void);

/// Begins or ends a section in which this thread's job can't be interrupted.
void interleaving_set_uninterrupted(bool is_uninterrupted);

/// Leaves the running job for code of the explorer, and returns to it with the value that leaving returned.
int interleaving_leave_job(void);
void interleaving_return_to_job(int held);

/// Calls ``interleaving_wait`` from within a job.
bool interleaving_wait_in_job(
    interleaving_engine *engine, const void *object, const uint32_t *futex, int64_t until);

/// The return addresses of the calling functions, at most `most`. Returns their number.
int interleaving_callers(void **places, int most);

// MARK: A semaphore that is never a scheduling point

/// Makes a semaphore with the value 0.
void *interleaving_new_baton(void);
void interleaving_free_baton(void *baton);
void interleaving_pass(void *baton);
void interleaving_await(void *baton);

/// Starts a thread, detached. Returns whether there is one.
bool interleaving_start_thread(void (*function)(void *), void *argument);

// MARK: Defined in Swift, and called by an interposed function on the exploring thread

/// Interrupts the running job if the explorer chooses another one; returns when the job goes on.
extern void interleaving_preempt(interleaving_engine *engine) __attribute__((weak));

/// Runs other jobs until the object is released, the futex is 0 or the time has come; returns whether the time has come.
///
/// NULL means no object and no futex, and INT64_MAX no time limit.
extern bool interleaving_wait(
    interleaving_engine *engine, const void *object, const uint32_t *futex, int64_t until) __attribute__((weak));

/// Lets jobs that wait for an object go on: the first of them, or all.
extern void interleaving_release(interleaving_engine *engine, const void *object, bool all) __attribute__((weak));

/// Adds a block to the ready ones, or at a later time.
extern void interleaving_submit(interleaving_engine *engine, const interleaving_item *item, int64_t time)
    __attribute__((weak));

/// Runs the blocks that a synchronous one must follow on a queue, and waits until the queue is free.
extern void interleaving_drain(interleaving_engine *engine, void *queue, bool is_alone) __attribute__((weak));

/// Runs a ready block, if a job of an exploration waits here whose jobs can't be interrupted; returns whether it did.
bool interleaving_run_ready_block(void);
extern bool interleaving_run_first_block(interleaving_engine *engine) __attribute__((weak));

/// Notes that a synchronous block begins or ends on a queue, where others may run beside it, or not.
extern void interleaving_occupy(interleaving_engine *engine, void *queue, bool is_alone, bool is_occupied)
    __attribute__((weak));

/// Waits until no other schedule uses actors that it hasn't made, unless the executor is an actor that this one has made.
void interleaving_will_use(interleaving_engine *engine, interleaving_executor executor);

/// Notes that a schedule has ended, and lets another one use shared actors.
void interleaving_end_turn(interleaving_engine *engine);

/// Whether this thread computes the initial value of a global variable.
bool interleaving_is_initialising(void);

/// Gives a hop's job to the executor that it needs, instead of running it.
void interleaving_enqueue(interleaving_engine *engine, interleaving_item item);

/// Forgets the tasks that were made.
void interleaving_clear_births(interleaving_engine *engine);

/// Frees an engine's memory, and releases its tasks.
void interleaving_clear(interleaving_engine *engine);

// MARK: What a crash reports. The signal handler only reads what was stored before the crash.

/// Makes crashes on exploring threads report their schedule. Must be called once.
void interleaving_watch_crashes(void);

/// Defined in Swift: a choice of the running schedule, or -1 if it hasn't made as many. Neither allocates nor locks, except
/// perhaps at its first call.
extern int64_t interleaving_choice(const interleaving_engine *engine, int64_t index) __attribute__((weak));

/// Stores the ends of the variable and of the command that replay a schedule.
void interleaving_set_replay(interleaving_engine *engine, const char *place, const char *filter);

/// Stores a description of the last steps, which is cut if it is long.
void interleaving_set_last_steps(interleaving_engine *engine, const char *steps);

/// The ID of a job's task.
uint64_t interleaving_task_id(void *job);

/// Whether a job is a task.
bool interleaving_is_task(void *job);

// MARK: Diagnostics, by the layout of tasks in Swift 6.3, which the self-test verifies at the start

/// Whether a task is a child task: made by `async let` or added to a group.
bool interleaving_is_child(void *task);

/// Whether a task is done.
bool interleaving_task_is_done(void *task);

/// Whether a task is cancelled.
bool interleaving_task_is_cancelled(void *task);

/// What a suspended task waits for.
typedef enum {
    INTERLEAVING_UNKNOWN = 0,
    INTERLEAVING_TASK = 1,
    INTERLEAVING_CONTINUATION = 2,
    INTERLEAVING_GROUP = 3,
    /// It is enqueued on an executor.
    INTERLEAVING_EXECUTOR = 4,
} interleaving_dependency;

/// What a suspended task waits for; stores the task, continuation, group or executor.
interleaving_dependency interleaving_task_dependency(void *task, void **object);

/// The group that a task was added to, or NULL.
void *interleaving_task_group(void *task);

/// Stores the addresses at which a suspended task and its callers resume, at most `most`. Returns their number.
int interleaving_task_stack(void *task, void **places, int most);

/// Retains or releases a task, unless it lives on its parent's stack.
void interleaving_retain_task(void *task);
void interleaving_release_task(void *task);

/// The mangled name of the function at an address, or NULL.
const char *interleaving_symbol(void *place);

/// Finds a function in the symbol table of a file: its offset from where the file is loaded, and its size.
bool interleaving_find_function(const char *path, const char *name, uintptr_t *start, size_t *size);

/// A demangled name, or NULL. The caller frees it by `interleaving_free`.
char *interleaving_demangled(const char *name);
void interleaving_free(char *text);

/// Defined in Swift: installs everything, before main.
extern void interleaving_boot(void) __attribute__((weak));

#endif
