/*
 * Clocks that a test sets: preloaded into the daemon, it has CLOCK_REALTIME, its coarse variant and
 * CLOCK_BOOTTIME stand where a shared file says. Every other clock runs as it does.
 *
 *     cc -shared -fPIC clock.c -o clock.so
 *     LD_PRELOAD=clock.so MODEL_CLOCK=FILE accountd …
 *
 * FILE has two integers of 64 bits: seconds since 1970, and milliseconds since the boot. It is
 * mapped, so that a step of the clock is one store by whoever wrote it, and no call here.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *page;

__attribute__((constructor)) static void map_file(void)
{
    const char *path = getenv("MODEL_CLOCK");
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    void *mapped = file < 0 ? MAP_FAILED
                            : mmap(NULL, 2 * sizeof *page, PROT_READ, MAP_SHARED, file, 0);
    /* A test that believes that it holds the clock must not run without it. */
    if (mapped == MAP_FAILED) _exit(99);
    close(file);
    page = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
        time->tv_sec = page[0];
        time->tv_nsec = 0;
        return 0;
    case CLOCK_BOOTTIME:
        time->tv_sec = page[1] / 1000;
        time->tv_nsec = page[1] % 1000 * 1000000;
        return 0;
    default:
        return (int)syscall(SYS_clock_gettime, clock, time);
    }
}
