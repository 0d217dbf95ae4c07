// The system's libarchive: https://www.libarchive.org/

#ifndef CARCHIVE_H
#define CARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

// A macro with a cast, which Swift can't import.
static inline unsigned int carchive_regular_file(void) { return AE_IFREG; }

#endif
