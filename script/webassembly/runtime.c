// What Embedded Swift expects of a C library, for a module without one: memory, random bytes, and numbers from text.

#include <stddef.h>
#include <stdint.h>

extern unsigned char __heap_base;

// --- Memory: free blocks are kept in lists by size, four sizes for each power of two. Each block begins with its list.

enum { alignment = 16, smallest = 32, lists = 96 };

typedef struct Block {
    uint32_t list;
    struct Block *next;
} Block;

static Block *free_blocks[lists];
static uintptr_t end_of_heap;

/// The list of blocks with room for `size` bytes, and how large these are.
static uint32_t list_of(size_t size, size_t *block) {
    if (size <= smallest) { *block = smallest; return 0; }
    uint32_t power = 31 - __builtin_clz((uint32_t)size - 1);
    size_t step = (size_t)1 << (power - 2);
    uint32_t quarter = (uint32_t)((size - ((size_t)1 << power) + step - 1) / step);
    *block = ((size_t)1 << power) + quarter * step;
    return (power - 5) * 4 + quarter;
}

static void *grow(size_t size) {
    if (!end_of_heap) end_of_heap = ((uintptr_t)&__heap_base + alignment - 1) & ~(uintptr_t)(alignment - 1);
    uintptr_t start = end_of_heap;
    size_t have = __builtin_wasm_memory_size(0) * 65536;
    if (start + size > have) {
        size_t pages = (start + size - have + 65535) / 65536;
        // Grow by 16 more pages if there is room: each growth detaches the page's views of the memory.
        if (__builtin_wasm_memory_grow(0, pages + 16) == (size_t)-1 && __builtin_wasm_memory_grow(0, pages) == (size_t)-1) return NULL;
    }
    end_of_heap = start + size;
    return (void *)start;
}

int posix_memalign(void **pointer, size_t align, size_t size) {
    size_t block;
    size_t extra = align > alignment ? align : 0;
    if (size > 0x40000000) return 12;
    uint32_t list = list_of(size + alignment + extra, &block);
    if (list >= lists) return 12;
    Block *found = free_blocks[list];
    if (found) free_blocks[list] = found->next;
    else if (!(found = grow(block))) return 12;
    found->list = list;
    uintptr_t start = (uintptr_t)found + alignment;
    if (extra) {
        uintptr_t aligned = (start + align - 1) & ~(uintptr_t)(align - 1);
        // A second head before the aligned memory says where the block begins.
        if (aligned != start) {
            ((uint32_t *)(aligned - alignment))[0] = UINT32_MAX;
            ((uint32_t *)(aligned - alignment))[1] = (uint32_t)(uintptr_t)found;
        }
        start = aligned;
    }
    *pointer = (void *)start;
    return 0;
}

void free(void *pointer) {
    if (!pointer) return;
    uint32_t *head = (uint32_t *)((uintptr_t)pointer - alignment);
    Block *block = head[0] == UINT32_MAX ? (Block *)(uintptr_t)head[1] : (Block *)head;
    block->next = free_blocks[block->list];
    free_blocks[block->list] = block;
}

// --- What the page provides.

__attribute__((import_module("page"), import_name("random"))) void page_random(void *, size_t);
__attribute__((import_module("page"), import_name("number"))) double page_number(const char *, size_t);

void arc4random_buf(void *bytes, size_t count) { page_random(bytes, count); }

const char *_swift_stdlib_strtod_clocale(const char *text, double *number) {
    size_t count = 0;
    while (text[count]) count++;
    *number = page_number(text, count);
    return *number == *number ? text + count : NULL;
}

// --- What the compiler calls.

void *memcpy(void *to, const void *from, size_t count) { __builtin_memcpy(to, from, count); return to; }
void *memmove(void *to, const void *from, size_t count) { __builtin_memmove(to, from, count); return to; }
void *memset(void *to, int byte, size_t count) { __builtin_memset(to, byte, count); return to; }

int memcmp(const void *left, const void *right, size_t count) {
    const unsigned char *a = left, *b = right;
    for (size_t i = 0; i < count; i++) if (a[i] != b[i]) return a[i] - b[i];
    return 0;
}

/// The product of two 128-bit numbers, in four steps of 32 bits.
typedef struct { uint64_t low, high; } Wide;
void __multi3(Wide *result, uint64_t a, uint64_t ah, uint64_t b, uint64_t bh) {
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
    uint64_t middle = (p00 >> 32) + (uint32_t)p01 + (uint32_t)p10;
    result->low = (middle << 32) | (uint32_t)p00;
    result->high = p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32) + a * bh + ah * b;
}
