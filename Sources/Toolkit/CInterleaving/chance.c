// System calls of exploring threads: random numbers, and waiting for a futex.
//
// The standard library makes both by `syscall`, the only function on that path that can be interposed.
// This file includes no header that declares it: the header declares it as variadic, this file with the maximum number
// of arguments. On the processors that Swift supports, callers pass the arguments in the same way.

#if defined(__linux__)

#define _GNU_SOURCE
#include "CInterleaving.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>

typedef long (*syscall_function)(long, long, long, long, long, long, long);
static syscall_function original_syscall;

/// From linux/futex.h: acquire a lock whose value is its holder's thread ID, or 0 if it is free.
enum { futex_lock_pi = 6 };

static void fill(uint64_t *state, uint8_t *at, size_t length) {
    // SplitMix64: https://prng.di.unimi.it/splitmix64.c
    while (length) {
        uint64_t next = (*state += 0x9e3779b97f4a7c15);
        next = (next ^ (next >> 30)) * 0xbf58476d1ce4e5b9;
        next = (next ^ (next >> 27)) * 0x94d049bb133111eb;
        next ^= next >> 31;
        size_t part = length < sizeof next ? length : sizeof next;
        memcpy(at, &next, part);
        at += part;
        length -= part;
    }
}

INTERLEAVING_UNINSTRUMENTED long syscall(long number, long a, long b, long c, long d, long e, long f) {
    interleaving_engine *engine = interleaving_current();
    if (__builtin_expect(engine != NULL, 0) && number == SYS_getrandom && a) {
        fill(&engine->random, (uint8_t *)a, (size_t)b);
        return b;
    }
    if (__builtin_expect(!original_syscall, 0)) original_syscall = (syscall_function)dlsym(RTLD_NEXT, "syscall");
    if (__builtin_expect(engine != NULL, 0) && number == SYS_futex && engine->preempts && interleaving_is_in_job()
        && (b & 0x7f) == futex_lock_pi) {
        // Swift's `Mutex` and the runtime's `once` wait for another job, which an interrupted job keeps waiting.
        uint32_t *futex = (uint32_t *)a;
        uint32_t own = (uint32_t)original_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0), value = 0;
        while (!__atomic_compare_exchange_n(futex, &value, own, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            interleaving_wait_in_job(engine, NULL, futex, INT64_MAX);
            value = 0;
        }
        return 0;
    }
    return original_syscall(number, a, b, c, d, e, f);
}

__attribute__((constructor)) static void look_up(void) {
    original_syscall = (syscall_function)dlsym(RTLD_NEXT, "syscall");
}

#endif
