// Keeps apart explorations that run in parallel and use the same default actor, such as a global one.
//
// An actor has one queue, and whichever thread runs the actor runs all jobs in it, also those of another exploration.
// So a schedule that uses an actor that it hasn't made waits until no other schedule does, and keeps the others waiting
// until it ends. There is one such turn for all actors: a schedule never waits for it while another one waits for
// something of this schedule.

#if defined(__linux__)

#define _GNU_SOURCE
#include "CInterleaving.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SWIFT __attribute__((swiftcall))

// MARK: The turn

typedef struct waiter {
    interleaving_engine *engine;
    void *baton;
    struct waiter *next;
} waiter;

/// Guards what follows; held only for a few instructions.
static atomic_flag is_locked = ATOMIC_FLAG_INIT;
static interleaving_engine *holder;
/// The engines that wait, in the order of their arrival.
static waiter *first, **end = &first;

static void lock(void) {
    while (atomic_flag_test_and_set_explicit(&is_locked, memory_order_acquire)) sched_yield();
}

static void unlock(void) { atomic_flag_clear_explicit(&is_locked, memory_order_release); }

static void take_turn(interleaving_engine *engine) {
    waiter own = {engine, NULL, NULL};
    lock();
    if (holder) {
        own.baton = interleaving_new_baton();
        *end = &own;
        end = &own.next;
    } else {
        holder = engine;
    }
    unlock();
    if (own.baton) {
        interleaving_await(own.baton);
        interleaving_free_baton(own.baton);
    }
    engine->has_turn = true;
}

void interleaving_end_turn(interleaving_engine *engine) {
    if (engine->actor_count) {
        memset(engine->actors, 0, (size_t)engine->actor_capacity * sizeof *engine->actors);
        engine->actor_count = 0;
    }
    if (!engine->has_turn) return;
    engine->has_turn = false;
    lock();
    waiter *next = first;
    holder = next ? next->engine : NULL;
    if (next) {
        first = next->next;
        if (!first) end = &first;
    }
    unlock();
    // The waiter is on the stack of its thread, which goes on from here.
    if (next) interleaving_pass(next->baton);
}

// MARK: A schedule's own actors, in a hash table

enum { removed = 1, smallest_capacity = 64 };

/// The place of an actor, or that of an empty element, where it would be.
static int32_t place_of(interleaving_engine *engine, uintptr_t actor) {
    int32_t mask = engine->actor_capacity - 1;
    int32_t place = (int32_t)((actor >> 4) * 0x9e3779b1u >> 7) & mask;
    while (engine->actors[place] && engine->actors[place] != actor) place = (place + 1) & mask;
    return place;
}

static void note_own(interleaving_engine *engine, uintptr_t actor) {
    // Removed actors count, too, so that there is always an empty element.
    if (engine->actor_count * 2 >= engine->actor_capacity) {
        uintptr_t *old = engine->actors;
        int32_t old_capacity = engine->actor_capacity;
        engine->actor_capacity = old_capacity ? old_capacity * 2 : smallest_capacity;
        engine->actors = calloc((size_t)engine->actor_capacity, sizeof *engine->actors);
        if (!engine->actors) abort();
        engine->actor_count = 0;
        for (int32_t index = 0; index < old_capacity; index++) {
            if (old[index] > removed) note_own(engine, old[index]);
        }
        free(old);
    }
    int32_t place = place_of(engine, actor);
    if (engine->actors[place]) return;
    engine->actors[place] = actor;
    engine->actor_count++;
}

static bool is_own(interleaving_engine *engine, uintptr_t actor) {
    return engine->actor_count && engine->actors[place_of(engine, actor)] == actor;
}

void interleaving_will_use(interleaving_engine *engine, interleaving_executor executor) {
    if (engine->has_turn || !executor.object || executor.implementation) return;
    if (!is_own(engine, executor.object)) take_turn(engine);
}

// MARK: Where actors begin and end

typedef SWIFT void (*actor_function)(uintptr_t);
static actor_function original_initialize, original_destroy;

static void look_up(void) {
    original_initialize = (actor_function)dlsym(RTLD_NEXT, "swift_defaultActor_initialize");
    original_destroy = (actor_function)dlsym(RTLD_NEXT, "swift_defaultActor_destroy");
}

SWIFT void swift_defaultActor_initialize(uintptr_t actor) {
    if (__builtin_expect(!original_initialize, 0)) look_up();
    original_initialize(actor);
    interleaving_engine *engine = interleaving_current();
    // The initial value of a global variable is for all explorations.
    if (__builtin_expect(engine != NULL, 0) && !interleaving_is_initialising()) note_own(engine, actor);
}

SWIFT void swift_defaultActor_destroy(uintptr_t actor) {
    if (__builtin_expect(!original_destroy, 0)) look_up();
    interleaving_engine *engine = interleaving_current();
    // Another thread may make a global actor at this address.
    if (__builtin_expect(engine != NULL, 0) && is_own(engine, actor)) engine->actors[place_of(engine, actor)] = removed;
    original_destroy(actor);
}

__attribute__((constructor)) static void begin(void) { look_up(); }

#endif
