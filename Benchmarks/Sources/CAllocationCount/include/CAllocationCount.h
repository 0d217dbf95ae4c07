#ifndef C_ALLOCATION_COUNT_H
#define C_ALLOCATION_COUNT_H

/// The number of allocations by this process so far, on all threads.
long allocation_count(void);

#endif
