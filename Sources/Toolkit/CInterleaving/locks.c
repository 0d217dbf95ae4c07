// Interposes what blocks a thread: pthread locks and conditions, semaphores, sleeping. For explorations in which a
// running job can be interrupted, see EngineInterruption.swift.
//
// A job is interrupted after it has released its last lock, before it takes one while it holds another, and after it has
// made another job ready: other jobs see what it has done only there. A job that waits for a lock lets others run.

#if defined(__linux__)

#define _GNU_SOURCE
#include "CInterleaving.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

// MARK: Whether a job runs, and where

static __thread bool in_job;
/// The number of locks that this thread's job holds, and of sections in which it can't be interrupted.
static __thread int held, uninterrupted;

void interleaving_set_in_job(bool is_in_job) {
    in_job = is_in_job;
    held = 0;
}

INTERLEAVING_UNINSTRUMENTED bool interleaving_is_in_job(void) { return in_job; }

typedef struct {
    uintptr_t start, end;
} range;

enum { most_ranges = 16 };
static range explored[most_ranges];
static int explored_count;

static void note(uintptr_t start, size_t size) {
    if (explored_count < most_ranges) explored[explored_count++] = (range){start, start + size};
}

static int note_object(struct dl_phdr_info *info, size_t size, void *is_later) {
    (void)size;
    // The program itself comes first, without a name. Foundation's locks are for programs.
    bool is_program = !*(bool *)is_later;
    *(bool *)is_later = true;
    if (strstr(info->dlpi_name, "/libswift_Concurrency.so")) {
        // They aren't exported; without them, streams are not scheduling points.
        static const char *const names[] = {"_swift_async_stream_lock_lock", "_swift_async_stream_lock_unlock"};
        uintptr_t start;
        size_t length;
        for (int index = 0; index < 2; index++) {
            if (!interleaving_find_function(info->dlpi_name, names[index], &start, &length)) continue;
            note(info->dlpi_addr + start, length);
        }
    }
    if (!is_program && !strstr(info->dlpi_name, "/libFoundation.so")) return 0;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[index];
        if (header->p_type == PT_LOAD && header->p_flags & PF_X) note(info->dlpi_addr + header->p_vaddr, header->p_memsz);
    }
    return 0;
}

void interleaving_find_locks(void) {
    bool is_later = false;
    dl_iterate_phdr(note_object, &is_later);
}

/// Whether a lock that is used at this place belongs to the program, and not to the runtime or a system library.
static bool is_explored(void *place) {
    for (int index = 0; index < explored_count; index++) {
        if ((uintptr_t)place >= explored[index].start && (uintptr_t)place < explored[index].end) return true;
    }
    return false;
}

void interleaving_set_uninterrupted(bool is_uninterrupted) { uninterrupted += is_uninterrupted ? 1 : -1; }

/// The engine, if a job that can be interrupted runs on this thread. Notes that the job uses a lock at a place.
__attribute__((unused)) static inline interleaving_engine *running(void *place) {
    if (__builtin_expect(!in_job, 1)) return NULL;
    interleaving_engine *engine = interleaving_current();
    if (!engine) return NULL;
    if (engine->watches && is_explored(place)) engine->has_effect = true;
    return engine->preempts ? engine : NULL;
}

int interleaving_callers(void **places, int most) {
#if __has_include(<execinfo.h>)
    return backtrace(places, most);
#else
    (void)places, (void)most;
    return 0;
#endif
}

int interleaving_leave_job(void) {
    in_job = false;
    return held;
}

void interleaving_return_to_job(int own) {
    in_job = true;
    held = own;
}

static void preempt(interleaving_engine *engine) {
    if (uninterrupted || !interleaving_preempt) return;
    int own = interleaving_leave_job();
    interleaving_preempt(engine);
    interleaving_return_to_job(own);
}

bool interleaving_wait_in_job(
    interleaving_engine *engine, const void *object, const uint32_t *futex, int64_t until) {
    int own = interleaving_leave_job();
    bool is_late = interleaving_wait(engine, object, futex, until);
    interleaving_return_to_job(own);
    return is_late;
}

static void release(interleaving_engine *engine, const void *object, bool all) {
    if (engine->waiting) interleaving_release(engine, object, all);
}

void interleaving_note_effect(void) {
    if (!in_job || !interleaving_current()) return;
    interleaving_engine *engine = interleaving_current();
    engine->has_effect = true;
    if (engine->preempts && !held) preempt(engine);
}

void interleaving_note_new_task(void) {
    interleaving_engine *engine = interleaving_current();
    if (in_job && engine && engine->preempts && !held) preempt(engine);
}

// MARK: Who holds which lock

uint64_t interleaving_holder(interleaving_engine *engine, const void *lock) {
    for (int32_t index = 0; index < engine->held_count; index++) {
        if (engine->held[index].lock == lock) return engine->held[index].owner;
    }
    return 0;
}

__attribute__((unused)) static void took(interleaving_engine *engine, const void *lock) {
    engine->held =
        interleaving_grown(engine->held, engine->held_count, &engine->held_capacity, sizeof *engine->held);
    engine->held[engine->held_count++] = (interleaving_held){lock, engine->running};
}

__attribute__((unused)) static void gave_back(interleaving_engine *engine, const void *lock) {
    for (int32_t index = engine->held_count - 1; index >= 0; index--) {
        if (engine->held[index].lock != lock) continue;
        engine->held[index] = engine->held[--engine->held_count];
        break;
    }
    release(engine, lock, true);
}

// MARK: Locks

// The thread sanitizer interposes them itself.
#ifdef SANITIZES_THREADS

bool interleaving_sees_locks(void) { return false; }

#else

bool interleaving_sees_locks(void) { return true; }

typedef int (*lock_function)(void *);
typedef int (*wait_function)(void *, void *);
typedef int (*timed_function)(void *, void *, const struct timespec *);

#define ORIGINAL(type, name) \
    static type original_##name; \
    static inline type name##_original(void) { \
        if (__builtin_expect(!original_##name, 0)) original_##name = (type)dlsym(RTLD_NEXT, #name); \
        return original_##name; \
    }

ORIGINAL(lock_function, pthread_mutex_lock)
ORIGINAL(lock_function, pthread_mutex_trylock)
ORIGINAL(lock_function, pthread_mutex_unlock)
ORIGINAL(lock_function, pthread_rwlock_rdlock)
ORIGINAL(lock_function, pthread_rwlock_tryrdlock)
ORIGINAL(lock_function, pthread_rwlock_wrlock)
ORIGINAL(lock_function, pthread_rwlock_trywrlock)
ORIGINAL(lock_function, pthread_rwlock_unlock)

/// Before glibc 2.36, `dlsym` finds the oldest version of these functions, which has another layout of conditions:
/// https://sourceware.org/bugzilla/show_bug.cgi?id=14932
static void *newest(const char *name) {
    void *function = NULL;
#if defined(__x86_64__) && defined(__GLIBC__)
    function = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
#endif
    return function ? function : dlsym(RTLD_NEXT, name);
}

#define ORIGINAL_CONDITION(type, name) \
    static type original_##name; \
    static inline type name##_original(void) { \
        if (__builtin_expect(!original_##name, 0)) original_##name = (type)newest(#name); \
        return original_##name; \
    }

ORIGINAL_CONDITION(wait_function, pthread_cond_wait)
ORIGINAL_CONDITION(timed_function, pthread_cond_timedwait)
ORIGINAL_CONDITION(lock_function, pthread_cond_signal)
ORIGINAL_CONDITION(lock_function, pthread_cond_broadcast)

/// Takes a lock, and lets other jobs run while one of them holds it.
static int take(
    interleaving_engine *engine, void *lock, lock_function lock_it, lock_function try_it, bool is_explored_place) {
    if (is_explored_place && held) preempt(engine);
    int result;
    while ((result = try_it(lock)) == EBUSY) {
        // A thread outside the exploration holds it.
        if (!interleaving_holder(engine, lock)) {
            result = lock_it(lock);
            break;
        }
        interleaving_wait_in_job(engine, lock, NULL, INT64_MAX);
    }
    if (result) return result;
    took(engine, lock);
    if (is_explored_place) held++;
    return 0;
}

static int give_back(interleaving_engine *engine, void *lock, lock_function unlock_it, bool is_explored_place) {
    int result = unlock_it(lock);
    if (result) return result;
    gave_back(engine, lock);
    if (is_explored_place) {
        if (held) held--;
        if (!held) preempt(engine);
    }
    return 0;
}

#define PLACE is_explored(__builtin_return_address(0))

#define LOCK(type, name, try_name) \
    int name(type *lock) { \
        interleaving_engine *engine = running(__builtin_return_address(0)); \
        if (__builtin_expect(!engine, 1)) return name##_original()(lock); \
        return take(engine, lock, name##_original(), try_name##_original(), PLACE); \
    }

#define TRY_LOCK(type, name) \
    int name(type *lock) { \
        interleaving_engine *engine = running(__builtin_return_address(0)); \
        int result = name##_original()(lock); \
        if (__builtin_expect(!engine, 1) || result) return result; \
        took(engine, lock); \
        if (PLACE) held++; \
        return 0; \
    }

#define UNLOCK(type, name) \
    int name(type *lock) { \
        interleaving_engine *engine = running(__builtin_return_address(0)); \
        if (__builtin_expect(!engine, 1)) return name##_original()(lock); \
        return give_back(engine, lock, name##_original(), PLACE); \
    }

LOCK(pthread_mutex_t, pthread_mutex_lock, pthread_mutex_trylock)
TRY_LOCK(pthread_mutex_t, pthread_mutex_trylock)
UNLOCK(pthread_mutex_t, pthread_mutex_unlock)
LOCK(pthread_rwlock_t, pthread_rwlock_rdlock, pthread_rwlock_tryrdlock)
TRY_LOCK(pthread_rwlock_t, pthread_rwlock_tryrdlock)
LOCK(pthread_rwlock_t, pthread_rwlock_wrlock, pthread_rwlock_trywrlock)
TRY_LOCK(pthread_rwlock_t, pthread_rwlock_trywrlock)
UNLOCK(pthread_rwlock_t, pthread_rwlock_unlock)

// MARK: Conditions

static int wait_for_condition(interleaving_engine *engine, void *condition, void *lock, int64_t until) {
    bool is_explored_place = held > 0;
    int result = pthread_mutex_unlock_original()(lock);
    if (result) return result;
    gave_back(engine, lock);
    if (held) held--;
    bool is_late = interleaving_wait_in_job(engine, condition, NULL, until);
    result = take(engine, lock, pthread_mutex_lock_original(), pthread_mutex_trylock_original(), is_explored_place);
    return result ? result : is_late ? ETIMEDOUT : 0;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock) {
    interleaving_engine *engine = running(__builtin_return_address(0));
    if (__builtin_expect(!engine, 1)) return pthread_cond_wait_original()(condition, lock);
    return wait_for_condition(engine, condition, lock, INT64_MAX);
}

int pthread_cond_timedwait(
    pthread_cond_t *condition, pthread_mutex_t *lock, const struct timespec *time) {
    interleaving_engine *engine = running(__builtin_return_address(0));
    if (__builtin_expect(!engine, 1)) return pthread_cond_timedwait_original()(condition, lock, time);
    // Every clock shows the same virtual time.
    int64_t until = ((int64_t)time->tv_sec - INTERLEAVING_EPOCH) * 1000000000 + time->tv_nsec;
    return wait_for_condition(engine, condition, lock, until);
}

int pthread_cond_signal(pthread_cond_t *condition) {
    interleaving_engine *engine = running(__builtin_return_address(0));
    if (__builtin_expect(engine != NULL, 0)) release(engine, condition, false);
    return pthread_cond_signal_original()(condition);
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
    interleaving_engine *engine = running(__builtin_return_address(0));
    if (__builtin_expect(engine != NULL, 0)) release(engine, condition, true);
    return pthread_cond_broadcast_original()(condition);
}

// MARK: Sleeping

typedef int (*sleep_function)(const struct timespec *, struct timespec *);
ORIGINAL(sleep_function, nanosleep)

int nanosleep(const struct timespec *time, struct timespec *rest) {
    interleaving_engine *engine = running(__builtin_return_address(0));
    if (__builtin_expect(!engine, 1)) return nanosleep_original()(time, rest);
    interleaving_wait_in_job(engine, NULL, NULL, engine->now + (int64_t)time->tv_sec * 1000000000 + time->tv_nsec);
    return 0;
}

typedef int (*usleep_function)(useconds_t);
typedef unsigned (*seconds_function)(unsigned);
ORIGINAL(usleep_function, usleep)
ORIGINAL(seconds_function, sleep)

int usleep(useconds_t microseconds) {
    interleaving_engine *engine = running(__builtin_return_address(0));
    if (__builtin_expect(!engine, 1)) return usleep_original()(microseconds);
    interleaving_wait_in_job(engine, NULL, NULL, engine->now + (int64_t)microseconds * 1000);
    return 0;
}

unsigned sleep(unsigned seconds) {
    interleaving_engine *engine = running(__builtin_return_address(0));
    if (__builtin_expect(!engine, 1)) return sleep_original()(seconds);
    interleaving_wait_in_job(engine, NULL, NULL, engine->now + (int64_t)seconds * 1000000000);
    return 0;
}

// MARK: Dispatch semaphores

typedef intptr_t (*semaphore_wait_function)(void *, uint64_t);
typedef intptr_t (*semaphore_signal_function)(void *);
ORIGINAL(semaphore_wait_function, dispatch_semaphore_wait)
ORIGINAL(semaphore_signal_function, dispatch_semaphore_signal)

intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t time) {
    interleaving_engine *engine = running(__builtin_return_address(0));
    if (__builtin_expect(!engine, 1) || !time) {
        // Blocks of queues run on this thread, so it must not wait for them.
        while (in_job && time && dispatch_semaphore_wait_original()(semaphore, 0)) {
            if (!interleaving_run_ready_block()) return dispatch_semaphore_wait_original()(semaphore, time);
        }
        return in_job && time ? 0 : dispatch_semaphore_wait_original()(semaphore, time);
    }
    bool is_late = false;
    intptr_t result;
    int64_t until = interleaving_virtual_time(time);
    while ((result = dispatch_semaphore_wait_original()(semaphore, 0)) && !is_late) {
        is_late = interleaving_wait_in_job(engine, semaphore, NULL, until);
    }
    return result;
}

intptr_t dispatch_semaphore_signal(void *semaphore) {
    interleaving_engine *engine = running(__builtin_return_address(0));
    intptr_t result = dispatch_semaphore_signal_original()(semaphore);
    if (__builtin_expect(engine != NULL, 0)) {
        release(engine, semaphore, false);
        if (PLACE && !held) preempt(engine);
    }
    return result;
}

#endif

// MARK: Initialisation of global variables, which other jobs would wait for

typedef void (*once_function)(void *, void *, void *);
static once_function original_once;
static __thread int initialising;

bool interleaving_is_initialising(void) { return initialising; }

void swift_once(void *predicate, void *function, void *context) {
    if (__builtin_expect(!original_once, 0)) original_once = (once_function)dlsym(RTLD_NEXT, "swift_once");
    uninterrupted++;
    initialising++;
    original_once(predicate, function, context);
    initialising--;
    uninterrupted--;
}

// MARK: Threads, and a semaphore that isn't interposed

void *interleaving_new_baton(void) {
    sem_t *baton = malloc(sizeof *baton);
    if (!baton || sem_init(baton, 0, 0)) abort();
    return baton;
}

void interleaving_free_baton(void *baton) {
    sem_destroy(baton);
    free(baton);
}

void interleaving_pass(void *baton) { sem_post(baton); }

void interleaving_await(void *baton) {
    while (sem_wait(baton)) {}
}

typedef struct {
    void (*function)(void *);
    void *argument;
} start;

static void *begin(void *argument) {
    start own = *(start *)argument;
    free(argument);
    own.function(own.argument);
    return NULL;
}

bool interleaving_start_thread(void (*function)(void *), void *argument) {
    start *new = malloc(sizeof *new);
    if (!new) return false;
    *new = (start){function, argument};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    int result = pthread_create(&thread, &attributes, begin, new);
    pthread_attr_destroy(&attributes);
    if (result) free(new);
    return !result;
}

#endif
