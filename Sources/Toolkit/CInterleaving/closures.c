// Closures that outlive their parameter.

#include "CInterleaving.h"

extern void *swift_retain(void *);

typedef struct {
    void *function, *context;
} closure;

/// Returns a closure that Swift treats as escaping. Swift declares it: C can't express its type.
__attribute__((swiftcall)) closure interleaving_escaping(void *function, void *context) {
    return (closure){function, swift_retain(context)};
}
