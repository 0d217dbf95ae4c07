// The system's libarchive: https://www.libarchive.org/

#ifndef CARCHIVE_H
#define CARCHIVE_H

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

// A macro with a cast, which Swift can't import.
static inline unsigned int carchive_regular_file(void) { return AE_IFREG; }

// Writes the header of an entry whose path is UTF-8, and marks it as such: libarchive takes the encoding of paths from the
// thread's locale, which is ASCII unless the program has set another one.
static inline int carchive_write_header_utf8(struct archive *archive, struct archive_entry *entry) {
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (!utf8) utf8 = newlocale(LC_CTYPE_MASK, "en_US.UTF-8", (locale_t)0);
    locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
    int status = archive_write_header(archive, entry);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    return status;
}

#endif
