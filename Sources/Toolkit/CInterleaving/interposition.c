// Interposes a few functions of the Swift runtime and of libc, for exploring threads.
//
// ELF interposition: the program's own definition of a symbol takes precedence over a library's, also for the library's
// calls. The originals are looked up by RTLD_NEXT: before main, so that nothing races, or by a call that comes even
// earlier.

#if defined(__linux__)

#define _GNU_SOURCE
#include "CInterleaving.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SWIFT __attribute__((swiftcall))
#define SWIFT_ASYNC __attribute__((swiftasynccall))
#define ASYNC_CONTEXT __attribute__((swift_async_context))

// https://github.com/swiftlang/swift/blob/release/6.3/include/swift/Runtime/Concurrency.h
SWIFT interleaving_executor swift_task_getCurrentExecutor(void);
SWIFT void *swift_task_getCurrent(void);
SWIFT void swift_job_run(void *job, uintptr_t object, uintptr_t implementation);
SWIFT void swift_job_run_on_serial_and_task_executor(void *job, interleaving_executor serial, interleaving_executor task);
SWIFT void swift_defaultActor_enqueue(void *job, uintptr_t actor);
SWIFT uint64_t swift_task_getJobTaskId(void *job);
extern void *swift_retain(void *);
extern void swift_release(void *);

static __thread interleaving_engine *current;
static __thread interleaving_engine *exploring;

interleaving_engine *interleaving_current(void) { return current; }
void interleaving_enter(interleaving_engine *engine) { current = engine; }
interleaving_engine *interleaving_exploring(void) { return exploring; }
void interleaving_set_exploring(interleaving_engine *engine) { exploring = engine; }
uint64_t interleaving_task_id(void *job) { return swift_task_getJobTaskId(job); }

/// Looks up the original functions.
static void look_up(void);

void *interleaving_grown(void *list, int32_t count, int32_t *capacity, size_t size) {
    if (count < *capacity) return list;
    *capacity = *capacity ? *capacity * 2 : 64;
    list = realloc(list, (size_t)*capacity * size);
    if (!list) abort();
    return list;
}

void interleaving_push(interleaving_engine *engine, void *job, interleaving_kind kind, interleaving_executor target) {
    uint64_t owner;
    void *task;
    if (interleaving_is_task(job)) owner = swift_task_getJobTaskId(job);
    else if ((task = swift_task_getCurrent())) owner = swift_task_getJobTaskId(task);
    else owner = (uint64_t)job;
    interleaving_item item = {
        .job = job, .target = target, .owner = owner, .kind = kind,
        .resume = kind == INTERLEAVING_HOP ? engine->hop_resume : NULL};
    if (engine->grabs) {
        engine->grabbed = item;
        engine->has_grabbed = true;
        engine->grabs = false;
        return;
    }
    interleaving_append(engine, item);
}

void interleaving_append(interleaving_engine *engine, interleaving_item item) {
    engine->items = interleaving_grown(engine->items, engine->count, &engine->capacity, sizeof *engine->items);
    engine->items[engine->count++] = item;
}

static void run_job(interleaving_engine *engine, interleaving_item item) {
    if (item.kind != INTERLEAVING_HOP || !item.target.object || item.target.implementation) {
        // Pass the executor that the task prefers: if the two differ, the runtime treats a call within one actor as a
        // hop, and other jobs would run in between.
        swift_job_run_on_serial_and_task_executor(item.job, item.target, engine->home);
        return;
    }
    interleaving_will_use(engine, item.target);
    // A default actor: the runtime takes its lock, and makes a job that drains the actor, which contains only this
    // task.
    engine->grabs = true;
    engine->has_grabbed = false;
    swift_defaultActor_enqueue(item.job, item.target.object);
    engine->grabs = false;
    if (engine->has_grabbed) swift_job_run(engine->grabbed.job, 0, 0);
}

SWIFT void swift_task_enqueue(void *job, interleaving_executor executor);

void interleaving_enqueue(interleaving_engine *engine, interleaving_item item) {
    engine->running = item.owner;
    interleaving_set_in_job(true);
    interleaving_set_uninterrupted(true);
    swift_task_enqueue(item.job, item.target);
    interleaving_set_uninterrupted(false);
    interleaving_set_in_job(false);
}

void interleaving_run(interleaving_engine *engine, interleaving_item item) {
    engine->running = item.owner;
    interleaving_set_in_job(true);
    if (item.kind == INTERLEAVING_BLOCK) interleaving_run_block(item);
    else run_job(engine, item);
    interleaving_set_in_job(false);
}

void interleaving_clear_births(interleaving_engine *engine) {
    for (int32_t index = 0; index < engine->birth_count; index++) free(engine->births[index].name);
    engine->birth_count = 0;
}

void interleaving_clear(interleaving_engine *engine) {
    interleaving_clear_births(engine);
    free(engine->births);
    free(engine->replay_place);
    free(engine->test_filter);
    free(engine->last_steps);
    for (int32_t index = 0; index < engine->task_count; index++) swift_release(engine->tasks[index]);
    interleaving_drop_blocks(engine);
    free(engine->held);
    free(engine->notifications);
    free(engine->items);
    free(engine->actors);
    free(engine->tasks);
    free(engine->output);
    memset(engine, 0, sizeof *engine);
}

// MARK: Hops, each of which becomes a choice point; uncontended ones would continue at once

typedef SWIFT_ASYNC void (*switch_function)(ASYNC_CONTEXT void *, void *, uintptr_t, uintptr_t);
static switch_function original_switch;

SWIFT_ASYNC void swift_task_switch(ASYNC_CONTEXT void *context, void *resume, uintptr_t object, uintptr_t implementation) {
    interleaving_engine *engine = current;
    if (__builtin_expect(engine != NULL, 0) && swift_task_getCurrentExecutor().object != object) {
        engine->hop = (interleaving_executor){object, implementation};
        engine->hop_resume = resume;
        object = engine->trap.object;
        implementation = engine->trap.implementation;
    }
    if (__builtin_expect(!original_switch, 0)) look_up();
    __attribute__((musttail)) return original_switch(context, resume, object, implementation);
}

// MARK: New tasks; unstructured ones prefer the engine's executor and never leave it

typedef struct {
    void *task, *context;
} task_and_context;

typedef struct option {
    size_t flags;
    struct option *parent;
    interleaving_executor executor;
} option;

typedef struct {
    size_t flags;
    option *parent;
    const char *name;
} name_option;

enum {
    child_task = 0x100,
    option_kind = 0xff,
    initial_serial_executor = 0,
    initial_task_executor = 5,
    initial_owned_task_executor = 6,
    initial_name = 7,
};

/// Records a task's name, and the functions that make it. The recorder leaves this function out by its name.
__attribute__((noinline)) static void interleaving_note_birth(
    interleaving_engine *engine, void *task, const option *options) {
    if (!interleaving_is_in_job()) return;
    int held = interleaving_leave_job();
    interleaving_birth birth = {.id = swift_task_getJobTaskId(task)};
    for (const option *each = options; each; each = each->parent) {
        const char *name = ((const name_option *)each)->name;
        if ((each->flags & option_kind) == initial_name && name) birth.name = strdup(name);
    }
    birth.caller_count = interleaving_callers(birth.callers, sizeof birth.callers / sizeof *birth.callers);
    engine->births =
        interleaving_grown(engine->births, engine->birth_count, &engine->birth_capacity, sizeof *engine->births);
    engine->births[engine->birth_count++] = birth;
    interleaving_return_to_job(held);
}

typedef SWIFT task_and_context (*create_function)(size_t, option *, void *, void *, void *);
static create_function original_create;

SWIFT task_and_context swift_task_create(size_t flags, option *options, void *type, void *function, void *context) {
    interleaving_engine *engine = current;
    if (__builtin_expect(engine != NULL, 0)) {
        for (option *each = options; each; each = each->parent) {
            if ((each->flags & option_kind) == initial_serial_executor) interleaving_will_use(engine, each->executor);
        }
    }
    if (__builtin_expect(engine == NULL, 1) || (flags & child_task)) {
        if (!original_create) look_up();
        task_and_context child = original_create(flags, options, type, function, context);
        if (engine) {
            if (__builtin_expect(engine->records, 0)) interleaving_note_birth(engine, child.task, options);
            interleaving_note_new_task();
        }
        return child;
    }
    const option *given = options;
    bool prefers = !engine->home.object;
    for (option *each = options; each; each = each->parent) {
        size_t kind = each->flags & option_kind;
        if (kind == initial_task_executor || kind == initial_owned_task_executor) prefers = true;
    }
    option own = {initial_owned_task_executor, options, engine->home};
    if (!prefers) {
        swift_retain((void *)engine->home.object);
        options = &own;
    }
    task_and_context made = original_create(flags, options, type, function, context);
    engine->tasks = interleaving_grown(engine->tasks, engine->task_count, &engine->task_capacity, sizeof *engine->tasks);
    engine->tasks[engine->task_count++] = swift_retain(made.task);
    if (__builtin_expect(engine->records, 0)) interleaving_note_birth(engine, made.task, given);
    interleaving_note_new_task();
    return made;
}

typedef SWIFT void (*async_let_function)(void *, option *, void *, void *, void *, void *);
static async_let_function original_async_let;

/// Makes the task of an `async let`, for which the runtime doesn't call the interposed `swift_task_create`.
SWIFT void swift_asyncLet_begin(
    void *let, option *options, void *type, void *function, void *context, void *result) {
    // The lowest bits of the pointer to the task are flags.
    enum { task_offset = 0x18, flag_bits = 7 };
    if (!original_async_let) look_up();
    original_async_let(let, options, type, function, context, result);
    interleaving_engine *engine = current;
    if (__builtin_expect(engine == NULL, 1) || __builtin_expect(!engine->records, 1)) return;
    uintptr_t task = *(uintptr_t *)((char *)let + task_offset) & ~(uintptr_t)flag_bits;
    if (task) interleaving_note_birth(engine, (void *)task, options);
}

// MARK: The runtime's hooks

typedef SWIFT void (*enqueue_function)(void *);
typedef SWIFT interleaving_executor (*main_executor_function)(void);

static SWIFT void enqueue_anywhere(void *job, enqueue_function original) {
    if (current) interleaving_push(current, job, INTERLEAVING_ANYWHERE, (interleaving_executor){0, 0});
    else original(job);
}

static SWIFT interleaving_executor main_executor(main_executor_function original) {
    return current ? current->main : original();
}

// MARK: Time

typedef int (*clock_function)(clockid_t, struct timespec *);
static clock_function original_clock;

int clock_gettime(clockid_t clock, struct timespec *time) {
    enum { second = 1000000000 };
    if (__builtin_expect(current != NULL, 0)) {
        int64_t now = current->now + (int64_t)INTERLEAVING_EPOCH * second;
        time->tv_sec = now / second;
        time->tv_nsec = now % second;
        return 0;
    }
    if (original_clock) return original_clock(clock, time);
    return (int)syscall(SYS_clock_gettime, clock, time);
}

// MARK: Output

typedef size_t (*write_function)(const void *, size_t, size_t, FILE *);
static write_function original_write;

size_t fwrite(const void *data, size_t size, size_t count, FILE *file) {
    enum { most = 1 << 16 };
    interleaving_engine *engine = current;
    if (__builtin_expect(engine == NULL, 1) || file != stdout) {
        if (!original_write) look_up();
        return original_write(data, size, count, file);
    }
    size_t length = size * count;
    if (engine->output_length + length <= most) {
        if (engine->output_length + length > engine->output_capacity) {
            engine->output_capacity = engine->output_length + length + 1024;
            engine->output = realloc(engine->output, engine->output_capacity);
            if (!engine->output) abort();
        }
        memcpy(engine->output + engine->output_length, data, length);
        engine->output_length += length;
    }
    return count;
}

// MARK: Installation

static bool set_hook(const char *name, void *function) {
    void **hook = dlsym(RTLD_DEFAULT, name);
    if (!hook) return false;
    *hook = function;
    return true;
}

const char *interleaving_install(void) {
    if (!original_switch || !original_create) return "the runtime's functions to switch and to create tasks";
    if (!set_hook("swift_task_enqueueGlobal_hook", enqueue_anywhere)) return "the hook for jobs that may run anywhere";
    if (!set_hook("swift_task_getMainExecutor_hook", main_executor)) return "the hook for the main actor's executor";
    return NULL;
}

static void look_up(void) {
    original_switch = (switch_function)dlsym(RTLD_NEXT, "swift_task_switch");
    original_create = (create_function)dlsym(RTLD_NEXT, "swift_task_create");
    original_async_let = (async_let_function)dlsym(RTLD_NEXT, "swift_asyncLet_begin");
    original_write = (write_function)dlsym(RTLD_NEXT, "fwrite");
    original_clock = (clock_function)dlsym(RTLD_NEXT, "clock_gettime");
}

__attribute__((constructor)) static void begin(void) {
    look_up();
    if (interleaving_boot) interleaving_boot();
}

#endif
