// Interposes Dispatch, for exploring threads: blocks of queues become jobs, in the order that their queue allows.
//
// A block runs by `dispatch_sync` on its queue, so that it has the queue for itself, and `dispatch_get_specific` and
// `dispatch_assert_queue` behave as usual.

#if defined(__linux__)

#define _GNU_SOURCE
#include "CInterleaving.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#ifndef SANITIZES_THREADS

extern void *_Block_copy(const void *);
extern void _Block_release(const void *);
extern void dispatch_retain(void *);
extern void dispatch_release(void *);

/// https://clang.llvm.org/docs/Block-ABI-Apple.html
typedef struct {
    void *isa;
    int32_t flags, reserved;
    void (*invoke)(void *);
} block_layout;

#define ORIGINAL(type, name) \
    static inline type name##_original(void) { \
        static type original; \
        if (__builtin_expect(!original, 0)) original = (type)dlsym(RTLD_NEXT, #name); \
        return original; \
    }

void dispatch_group_leave(void *group);

typedef void (*queue_function)(void *, void *);
typedef void (*after_function)(uint64_t, void *, void *);
typedef void (*group_function)(void *, void *, void *);
typedef void (*object_function)(void *);
typedef intptr_t (*group_wait_function)(void *, uint64_t);
typedef void *(*create_function)(const char *, void *);

ORIGINAL(queue_function, dispatch_async)
ORIGINAL(queue_function, dispatch_barrier_async)
ORIGINAL(queue_function, dispatch_sync)
ORIGINAL(queue_function, dispatch_barrier_sync)
ORIGINAL(after_function, dispatch_after)
ORIGINAL(group_function, dispatch_group_async)
ORIGINAL(group_function, dispatch_group_notify)
ORIGINAL(object_function, dispatch_group_enter)
ORIGINAL(object_function, dispatch_group_leave)
ORIGINAL(group_wait_function, dispatch_group_wait)
ORIGINAL(create_function, dispatch_queue_create)

// MARK: Queues

/// Where a queue stores how many blocks it runs at once; 0 if that isn't known.
static size_t width_offset;
static bool has_looked;

/// Finds the offset by comparing two serial and two concurrent queues.
static void look_for_width(void) {
    enum { size = 160, concurrent_width = 0xffe };
    void *concurrent = dlsym(RTLD_DEFAULT, "_dispatch_queue_attr_concurrent");
    if (!concurrent || !dispatch_queue_create_original()) return;
    void *queues[4];
    for (int index = 0; index < 4; index++) {
        queues[index] = dispatch_queue_create_original()("", index < 2 ? NULL : concurrent);
    }
    size_t found = 0;
    for (size_t offset = 16; offset < size && !found; offset += 2) {
        bool fits = true;
        for (int index = 0; index < 4; index++) {
            uint16_t width;
            memcpy(&width, (char *)queues[index] + offset, sizeof width);
            fits = fits && width == (index < 2 ? 1 : concurrent_width);
        }
        if (fits) found = offset;
    }
    for (int index = 0; index < 4; index++) dispatch_release(queues[index]);
    width_offset = found;
    __atomic_store_n(&has_looked, true, __ATOMIC_RELEASE);
}

static bool is_serial(void *queue) {
    if (!__atomic_load_n(&has_looked, __ATOMIC_ACQUIRE)) look_for_width();
    if (!width_offset) return true;
    uint16_t width;
    memcpy(&width, (char *)queue + width_offset, sizeof width);
    return width <= 1;
}

bool interleaving_is_main_queue(void *queue) {
    static void *main_queue;
    if (!main_queue) main_queue = dlsym(RTLD_DEFAULT, "_dispatch_main_q");
    return queue == main_queue;
}

/// The engine, if a job of an exploration runs on this thread, which the use of a queue is an effect of.
static interleaving_engine *running(void) {
    if (!interleaving_is_in_job() || !interleaving_submit) return NULL;
    interleaving_engine *engine = interleaving_current();
    if (engine) engine->has_effect = true;
    return engine;
}

int64_t interleaving_virtual_time(uint64_t time) {
    const uint64_t top = 1ull << 63, next = 1ull << 62;
    const int64_t epoch = (int64_t)INTERLEAVING_EPOCH * 1000000000;
    if (time == UINT64_MAX) return INT64_MAX;
    // Dispatch encodes three clocks in one number: uptime, monotonic time, and, negated, the time of day.
    if (!(time & top)) return (int64_t)time - epoch;
    if (!(time & next)) return (int64_t)(time & ~top) - epoch;
    return -(int64_t)time - epoch;
}

static void submit(
    interleaving_engine *engine, void *queue, void *block, void *group, interleaving_sharing sharing, int64_t time) {
    void *copy = _Block_copy(block);
    if (group) dispatch_group_enter_original()(group);
    dispatch_retain(queue);
    interleaving_item item = {
        .job = copy, .target = {(uintptr_t)queue, sharing}, .owner = 1ull << 63 | ++engine->blocks,
        .resume = (void *)((block_layout *)copy)->invoke, .kind = INTERLEAVING_BLOCK, .group = group};
    int held = interleaving_leave_job();
    interleaving_submit(engine, &item, time);
    interleaving_return_to_job(held);
    interleaving_note_effect();
}

static interleaving_sharing sharing(void *queue) {
    return is_serial(queue) ? INTERLEAVING_SERIAL : INTERLEAVING_CONCURRENT;
}

void dispatch_async(void *queue, void *block) {
    interleaving_engine *engine = running();
    if (__builtin_expect(!engine, 1)) return dispatch_async_original()(queue, block);
    submit(engine, queue, block, NULL, sharing(queue), 0);
}

void dispatch_barrier_async(void *queue, void *block) {
    interleaving_engine *engine = running();
    if (__builtin_expect(!engine, 1)) return dispatch_barrier_async_original()(queue, block);
    submit(engine, queue, block, NULL, INTERLEAVING_SERIAL, 0);
}

void dispatch_after(uint64_t time, void *queue, void *block) {
    interleaving_engine *engine = running();
    if (__builtin_expect(!engine, 1)) return dispatch_after_original()(time, queue, block);
    submit(engine, queue, block, NULL, sharing(queue), interleaving_virtual_time(time));
}

/// Runs a synchronous block, alone on its queue or beside others.
static void run_sync(interleaving_engine *engine, queue_function run, void *queue, void *block, bool is_alone) {
    int held = interleaving_leave_job();
    interleaving_drain(engine, queue, is_alone);
    interleaving_occupy(engine, queue, is_alone, true);
    interleaving_return_to_job(held);
    run(queue, block);
    held = interleaving_leave_job();
    interleaving_occupy(engine, queue, is_alone, false);
    interleaving_return_to_job(held);
}

void dispatch_sync(void *queue, void *block) {
    interleaving_engine *engine = running();
    if (__builtin_expect(!engine, 1)) return dispatch_sync_original()(queue, block);
    run_sync(engine, dispatch_sync_original(), queue, block, is_serial(queue));
}

void dispatch_barrier_sync(void *queue, void *block) {
    interleaving_engine *engine = running();
    if (__builtin_expect(!engine, 1)) return dispatch_barrier_sync_original()(queue, block);
    run_sync(engine, dispatch_barrier_sync_original(), queue, block, true);
}

static void free_block(void *queue, void *block) {
    _Block_release(block);
    dispatch_release(queue);
}

void interleaving_run_block(interleaving_item item) {
    void *queue = (void *)item.target.object;
    bool is_alone = item.target.implementation == INTERLEAVING_SERIAL;
    (is_alone ? dispatch_barrier_sync_original() : dispatch_sync_original())(queue, item.job);
    if (item.group) dispatch_group_leave(item.group);
    free_block(queue, item.job);
}

void interleaving_call_block(interleaving_item item) {
    ((block_layout *)item.job)->invoke(item.job);
    if (item.group) dispatch_group_leave(item.group);
    free_block((void *)item.target.object, item.job);
}

void interleaving_drop_block(interleaving_item item) {
    if (item.group) dispatch_group_leave_original()(item.group);
    free_block((void *)item.target.object, item.job);
}

void interleaving_drop_blocks(interleaving_engine *engine) {
    for (int32_t index = 0; index < engine->count; index++) {
        if (engine->items[index].kind == INTERLEAVING_BLOCK) interleaving_drop_block(engine->items[index]);
    }
    engine->count = 0;
    for (int32_t index = 0; index < engine->notification_count; index++) {
        interleaving_notification each = engine->notifications[index];
        free_block(each.queue, each.block);
        dispatch_release(each.group);
    }
    engine->notification_count = 0;
}

bool interleaving_run_ready_block(void) {
    interleaving_engine *engine = running();
    if (!engine || engine->preempts) return false;
    int held = interleaving_leave_job();
    bool has_run = interleaving_run_first_block(engine);
    interleaving_return_to_job(held);
    return has_run;
}

// MARK: Groups

void dispatch_group_async(void *group, void *queue, void *block) {
    interleaving_engine *engine = running();
    if (__builtin_expect(!engine, 1)) return dispatch_group_async_original()(group, queue, block);
    submit(engine, queue, block, group, sharing(queue), 0);
}

void dispatch_group_notify(void *group, void *queue, void *block) {
    interleaving_engine *engine = running();
    if (__builtin_expect(!engine, 1)) return dispatch_group_notify_original()(group, queue, block);
    if (!dispatch_group_wait_original()(group, 0)) return submit(engine, queue, block, NULL, sharing(queue), 0);
    engine->notifications = interleaving_grown(
        engine->notifications, engine->notification_count, &engine->notification_capacity,
        sizeof *engine->notifications);
    dispatch_retain(group);
    dispatch_retain(queue);
    engine->notifications[engine->notification_count++] =
        (interleaving_notification){group, queue, _Block_copy(block)};
}

void dispatch_group_leave(void *group) {
    interleaving_engine *engine = running();
    dispatch_group_leave_original()(group);
    if (__builtin_expect(!engine, 1) || dispatch_group_wait_original()(group, 0)) return;
    if (engine->waiting) {
        int held = interleaving_leave_job();
        interleaving_release(engine, group, true);
        interleaving_return_to_job(held);
    }
    for (int32_t index = 0; index < engine->notification_count;) {
        interleaving_notification each = engine->notifications[index];
        if (each.group != group) {
            index++;
            continue;
        }
        memmove(
            engine->notifications + index, engine->notifications + index + 1,
            (size_t)(--engine->notification_count - index) * sizeof each);
        submit(engine, each.queue, each.block, NULL, sharing(each.queue), 0);
        free_block(each.queue, each.block);
        dispatch_release(group);
    }
}

intptr_t dispatch_group_wait(void *group, uint64_t time) {
    interleaving_engine *engine = running();
    if (__builtin_expect(!engine, 1) || !time) return dispatch_group_wait_original()(group, time);
    if (!engine->preempts) {
        intptr_t result;
        while ((result = dispatch_group_wait_original()(group, 0)) && interleaving_run_ready_block()) {}
        return result ? dispatch_group_wait_original()(group, time) : 0;
    }
    bool is_late = false;
    intptr_t result;
    int64_t until = interleaving_virtual_time(time);
    while ((result = dispatch_group_wait_original()(group, 0)) && !is_late) {
        is_late = interleaving_wait_in_job(engine, group, NULL, until);
    }
    return result;
}

#else

void interleaving_run_block(interleaving_item item) { (void)item; }
void interleaving_call_block(interleaving_item item) { (void)item; }
void interleaving_drop_block(interleaving_item item) { (void)item; }
void interleaving_drop_blocks(interleaving_engine *engine) { engine->count = 0; }
bool interleaving_is_main_queue(void *queue) { return queue && false; }
bool interleaving_run_ready_block(void) { return false; }

#endif

#endif
