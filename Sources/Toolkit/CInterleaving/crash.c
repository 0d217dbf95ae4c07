// When the program crashes in an exploration, prints how to reproduce it.

#if defined(__linux__)

#define _GNU_SOURCE
#include "CInterleaving.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
enum { signal_count = sizeof signals / sizeof *signals };
static struct sigaction before[signal_count];

// Only what is allowed in a signal handler: no printf, and no new memory but the stack's.

/// Text on its way to standard error.
typedef struct {
    char text[256];
    size_t length;
} report;

static void flush(report *report) {
    if (write(STDERR_FILENO, report->text, report->length) < 0) { /* There is nowhere else to report it. */ }
    report->length = 0;
}

static void put_character(report *report, char character) {
    if (report->length == sizeof report->text) flush(report);
    report->text[report->length++] = character;
}

static void put_text(report *report, const char *text) {
    while (text && *text) put_character(report, *text++);
}

static void put_number(report *report, uint64_t number) {
    char digits[20];
    int count = 0;
    do digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count) put_character(report, digits[--count]);
}

/// Puts the replay code of the running schedule, as `ReplayCode` encodes it.
static void put_choices(report *report, const interleaving_engine *engine) {
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    put_text(report, "x1:");
    if (!interleaving_choice) return;
    int64_t zeros = 0;
    for (int64_t index = 0, choice; (choice = interleaving_choice(engine, index)) >= 0; index++) {
        zeros++;
        if (choice == 0) continue;
        // Zeros at the end are omitted.
        while (--zeros) put_character(report, '0');
        if (choice < (int64_t)sizeof digits - 1) {
            put_character(report, digits[choice]);
        } else {
            put_character(report, '(');
            put_number(report, (uint64_t)choice);
            put_character(report, ')');
        }
    }
}

static void put_crash(report *report, const interleaving_engine *engine) {
    put_text(report, "\nInterleaving: the program crashed in schedule ");
    put_number(report, engine->schedule);
    put_text(report, " of an exploration.\nRun only this schedule, to see its last steps: INTERLEAVING_REPLAY='");
    put_choices(report, engine);
    if (engine->schedule_seed != 1) {
        put_text(report, ",");
        put_number(report, engine->schedule_seed);
    }
    put_text(report, engine->replay_place);
    put_text(report, "' swift test");
    put_text(report, engine->test_filter);
    put_text(report, "\n");
    if (engine->last_steps && *engine->last_steps) {
        put_text(report, "Its last steps:\n");
        put_text(report, engine->last_steps);
        return;
    }
    put_text(report, "If that doesn't crash, run all schedules again, and no other test: INTERLEAVING_SEED=");
    put_number(report, engine->seed);
    put_text(report, " swift test");
    put_text(report, engine->test_filter);
    put_text(report, "\n");
}

static void crashed(int signal, siginfo_t *info, void *context) {
    (void)context;
    interleaving_engine *engine = interleaving_exploring();
    if (engine && engine->schedule) {
        report report = {.length = 0};
        put_crash(&report, engine);
        flush(&report);
    }
    // Restore the previous handler. A faulting instruction faults again on return; other signals are raised again.
    for (int index = 0; index < signal_count; index++) {
        if (signals[index] == signal) sigaction(signal, &before[index], NULL);
    }
    if (signal == SIGABRT || signal == SIGTRAP || info->si_code <= 0) raise(signal);
}

void interleaving_set_replay(interleaving_engine *engine, const char *place, const char *filter) {
    free(engine->replay_place);
    free(engine->test_filter);
    engine->replay_place = strdup(place);
    engine->test_filter = strdup(filter);
}

void interleaving_set_last_steps(interleaving_engine *engine, const char *steps) {
    enum { capacity = 2048 };
    if (!engine->last_steps) engine->last_steps = calloc(1, capacity);
    if (engine->last_steps) strncpy(engine->last_steps, steps, capacity - 1);
}

void interleaving_watch_crashes(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = crashed;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (int index = 0; index < signal_count; index++) sigaction(signals[index], &action, &before[index]);
}

#endif
