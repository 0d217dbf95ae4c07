#ifndef C_ALLOCATION_COUNT_H
#define C_ALLOCATION_COUNT_H

/// How many blocks of memory this process has asked for so far, on all threads.
long allocation_count(void);

#endif
