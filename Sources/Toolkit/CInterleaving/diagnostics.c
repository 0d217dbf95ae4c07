// Inspects tasks, only to explain why one hangs. Depends on the layout of Swift 6.3,
// https://github.com/swiftlang/swift/blob/release/6.3/include/swift/ABI/Task.h, which is verified at the start.

#if defined(__linux__)

#define _GNU_SOURCE
#include "CInterleaving.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern void *swift_retain(void *);
extern void swift_release(void *);
__attribute__((swiftcall)) bool swift_task_isCancelled(void *task);

enum { flags_offset = 0x20, resume_offset = 0x38, context_offset = 0x40, status_offset = 0x60, fragments_offset = 0xd0 };

static uint32_t flags(void *task) { return *(uint32_t *)((char *)task + flags_offset); }

bool interleaving_is_task(void *job) { return (flags(job) & 0xff) == 0; }

bool interleaving_is_child(void *task) { return (flags(task) >> 24) & 1; }

/// An `async let` task lives on its parent's stack, and isn't reference-counted.
static bool is_async_let(void *task) { return (flags(task) >> 28) & 1; }

void interleaving_retain_task(void *task) {
    if (!is_async_let(task)) swift_retain(task);
}

void interleaving_release_task(void *task) {
    if (!is_async_let(task)) swift_release(task);
}

/// The head of the task's wait queue, with its state in the lowest two bits. It follows the fragments for children and
/// groups.
static uintptr_t wait_queue(void *task) {
    size_t offset = fragments_offset + ((flags(task) >> 20) & 0x10) + ((flags(task) >> 23) & 8);
    return *(uintptr_t *)((char *)task + offset);
}

bool interleaving_task_is_done(void *task) { return wait_queue(task) & 3; }

bool interleaving_task_is_cancelled(void *task) { return swift_task_isCancelled(task); }

/// What a task waits for, https://github.com/swiftlang/swift/blob/release/6.3/include/swift/ABI/TaskStatus.h. It is the
/// innermost of the task's status records.
typedef struct {
    uintptr_t flags;
    void *parent;
    /// A task, a continuation's context, a task group, or an executor.
    void *object;
    uintptr_t implementation;
    uint32_t kind;
    void *waiting;
} dependency_record;

interleaving_dependency interleaving_task_dependency(void *task, void **object) {
    enum { has_dependency = 0x4000 };
    uint32_t status = *(uint32_t *)((char *)task + status_offset);
    const dependency_record *record = *(dependency_record **)((char *)task + status_offset + sizeof(void *));
    if (!(status & has_dependency) || !record || record->waiting != task) return INTERLEAVING_UNKNOWN;
    if (record->kind > INTERLEAVING_EXECUTOR) return INTERLEAVING_UNKNOWN;
    *object = record->object;
    return (interleaving_dependency)record->kind;
}

void *interleaving_task_group(void *task) {
    bool is_of_group = (flags(task) >> 26) & 1;
    // The fragment for groups follows the one for children.
    return is_of_group ? *(void **)((char *)task + fragments_offset + 0x10) : NULL;
}

int interleaving_task_stack(void *task, void **places, int most) {
    int count = 0;
    if (most > 0) places[count++] = *(void **)((char *)task + resume_offset);
    // Each context begins with its caller's context and the address at which the caller resumes.
    uintptr_t *context = *(uintptr_t **)((char *)task + context_offset);
    while (context && count < most) {
        places[count++] = (void *)context[1];
        context = (uintptr_t *)context[0];
    }
    return count;
}

// MARK: Names, including those of functions that are not exported

/// The symbols of a program or library, mapped from its file for ever.
typedef struct {
    const Elf64_Sym *symbols;
    size_t count;
    const char *strings;
} symbol_table;

static symbol_table table_of(const char *path) {
    symbol_table table = {NULL, 0, NULL};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0) return table;
    const char *image = MAP_FAILED;
    if (!fstat(file, &status)) image = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (image == MAP_FAILED) return table;
    const Elf64_Ehdr *header = (const void *)image;
    const Elf64_Shdr *sections = (const void *)(image + header->e_shoff);
    for (int index = 0; index < header->e_shnum; index++) {
        if (sections[index].sh_type != SHT_SYMTAB) continue;
        table.symbols = (const void *)(image + sections[index].sh_offset);
        table.count = sections[index].sh_size / sizeof *table.symbols;
        table.strings = image + sections[sections[index].sh_link].sh_offset;
    }
    return table;
}

bool interleaving_find_function(const char *path, const char *name, uintptr_t *start, size_t *size) {
    symbol_table table = table_of(path);
    for (size_t index = 0; index < table.count; index++) {
        const Elf64_Sym *symbol = &table.symbols[index];
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || strcmp(table.strings + symbol->st_name, name)) continue;
        *start = symbol->st_value;
        *size = symbol->st_size;
        return true;
    }
    return false;
}

/// The symbols of the program and of the libraries in which an address was looked up, by where they are loaded.
static struct {
    void *base;
    symbol_table table;
} loaded[64];
static int loaded_count;

static symbol_table loaded_table(const Dl_info *object) {
    for (int index = 0; index < loaded_count; index++) {
        if (loaded[index].base == object->dli_fbase) return loaded[index].table;
    }
    Dl_info program;
    bool is_program = dladdr((void *)loaded_table, &program) && program.dli_fbase == object->dli_fbase;
    // The program's own name can be relative to a folder that isn't the current one any more.
    symbol_table table = table_of(is_program ? "/proc/self/exe" : object->dli_fname);
    if (loaded_count < (int)(sizeof loaded / sizeof *loaded)) {
        loaded[loaded_count].base = object->dli_fbase;
        loaded[loaded_count++].table = table;
    }
    return table;
}

const char *interleaving_symbol(void *place) {
    Dl_info found;
    if (!place || !dladdr(place, &found)) return NULL;
    symbol_table table = loaded_table(&found);
    uintptr_t address = (uintptr_t)place - (uintptr_t)found.dli_fbase;
    for (size_t index = 0; index < table.count; index++) {
        const Elf64_Sym *symbol = &table.symbols[index];
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) continue;
        if (address >= symbol->st_value && address < symbol->st_value + symbol->st_size)
            return table.strings + symbol->st_name;
    }
    return found.dli_sname;
}

// https://github.com/swiftlang/swift/blob/main/include/swift/Demangling/Demangle.h
extern char *swift_demangle(const char *name, size_t length, char *buffer, size_t *capacity, uint32_t flags);

char *interleaving_demangled(const char *name) { return swift_demangle(name, strlen(name), NULL, NULL, 0); }

void interleaving_free(char *text) { free(text); }

#endif
