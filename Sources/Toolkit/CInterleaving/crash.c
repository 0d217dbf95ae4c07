// When the program crashes in an exploration, prints how to reproduce it.

#if defined(__linux__)

#define _GNU_SOURCE
#include "CInterleaving.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
enum { signal_count = sizeof signals / sizeof *signals };
static struct sigaction before[signal_count];

// Only what is allowed in a signal handler: no printf.

static char *put_text(char *at, const char *text) {
    while (*text) *at++ = *text++;
    return at;
}

static char *put_number(char *at, uint64_t number) {
    char digits[20];
    int count = 0;
    do digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count) *at++ = digits[--count];
    return at;
}

static void crashed(int signal, siginfo_t *info, void *context) {
    (void)context;
    interleaving_engine *engine = interleaving_exploring();
    if (engine && engine->schedule) {
        char text[200];
        char *end = put_text(text, "\nInterleaving: the program crashed in schedule ");
        end = put_number(end, engine->schedule);
        end = put_text(end, " of an exploration. Run its test alone, with INTERLEAVING_SEED=");
        end = put_number(end, engine->seed);
        end = put_text(end, ", to get there again.\n");
        if (write(STDERR_FILENO, text, (size_t)(end - text)) < 0) { /* There is nowhere else to report it. */ }
    }
    // Restore the previous handler. A faulting instruction faults again on return; other signals are raised again.
    for (int index = 0; index < signal_count; index++) {
        if (signals[index] == signal) sigaction(signal, &before[index], NULL);
    }
    if (signal == SIGABRT || signal == SIGTRAP || info->si_code <= 0) raise(signal);
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
