/*
 * Counts what a program has allocated and not given back: preloaded, it keeps two numbers in a shared
 * file, bytes and blocks.
 *
 *     cc -shared -fPIC heap.c -o heap.so
 *     LD_PRELOAD=heap.so HEAP_COUNTS=FILE accountd …
 *
 * The pages that an allocator holds say little of a leak: how blocks of many sizes come and go decides
 * how far they lie scattered. What is in use says it to the byte.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_long before_the_file[2];
static atomic_long *counts = before_the_file;

static void *taken(void *block)
{
    if (block == NULL) return NULL;
    atomic_fetch_add(&counts[0], (long)malloc_usable_size(block));
    atomic_fetch_add(&counts[1], 1);
    return block;
}

static void given_back(void *block)
{
    if (block == NULL) return;
    atomic_fetch_sub(&counts[0], (long)malloc_usable_size(block));
    atomic_fetch_sub(&counts[1], 1);
}

__attribute__((constructor)) static void map_file(void)
{
    const char *path = getenv("HEAP_COUNTS");
    int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    void *mapped = file < 0 ? MAP_FAILED
        : mmap(NULL, sizeof before_the_file, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) _exit(99);
    close(file);
    atomic_long *shared = mapped;
    for (int index = 0; index < 2; index += 1) shared[index] = counts[index];
    counts = shared;
}

void *malloc(size_t size) { return taken(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return taken(__libc_calloc(count, size)); }

void *realloc(void *block, size_t size)
{
    size_t before = block == NULL ? 0 : malloc_usable_size(block);
    void *moved = __libc_realloc(block, size);
    if (moved == NULL && size > 0) return NULL;
    if (block != NULL) {
        atomic_fetch_sub(&counts[0], (long)before);
        atomic_fetch_sub(&counts[1], 1);
    }
    return taken(moved);
}

void *memalign(size_t alignment, size_t size) { return taken(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size)
{
    void *made = memalign(alignment, size);
    if (made == NULL) return ENOMEM;
    *block = made;
    return 0;
}

void free(void *block)
{
    given_back(block);
    __libc_free(block);
}
