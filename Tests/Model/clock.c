/*
 * Clocks that a test sets: preloaded into the daemon, it has CLOCK_REALTIME, its coarse variant and
 * CLOCK_BOOTTIME stand where a shared file says. Every other clock runs as it does.
 *
 *     cc -shared -fPIC clock.c -o clock.so
 *     LD_PRELOAD=clock.so MODEL_CLOCK=FILE accountd …
 *
 * FILE has two integers of 64 bits: seconds since 1970, and milliseconds since the boot. It is
 * mapped, so that a step of the clock is one store by whoever wrote it, and no call here.
 *
 * MODEL_CHEAP=1: a passphrase becomes a key by one hash, and not by the better part of a second and
 * 256 MiB, so that a test can have many; what is asked of the real function is held to its bounds.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include <dlfcn.h>

static const volatile int64_t *page;
static int is_cheap;

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
    is_cheap = getenv("MODEL_CHEAP") != NULL;
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

/* A point of a clock that stands still does not come: whoever steps it wakes the daemon. */
int timerfd_settime(int timer, int flags, const struct itimerspec *new, struct itimerspec *old)
{
    struct itimerspec never = *new;
    if (flags & TFD_TIMER_ABSTIME && (new->it_value.tv_sec || new->it_value.tv_nsec))
        never.it_value.tv_sec = INT64_C(1) << 40;
    return (int)syscall(SYS_timerfd_settime, timer, flags, &never, old);
}

/* libsodium's, by its own prototypes. */
int crypto_generichash(unsigned char *out, size_t size, const unsigned char *in,
                       unsigned long long count, const unsigned char *key, size_t key_size);

int crypto_pwhash(unsigned char *out, unsigned long long size, const char *passphrase,
                  unsigned long long count, const unsigned char *salt, unsigned long long opslimit,
                  size_t memlimit, int algorithm)
{
    if (!is_cheap) {
        int (*real)(unsigned char *, unsigned long long, const char *, unsigned long long,
                    const unsigned char *, unsigned long long, size_t, int);
        void *found = dlsym(RTLD_NEXT, "crypto_pwhash");
        memcpy(&real, &found, sizeof real);
        return real(out, size, passphrase, count, salt, opslimit, memlimit, algorithm);
    }
    if (size != 32 || opslimit < 3 || opslimit > 16 || memlimit < 268435456 || algorithm != 2)
        return -1;
    return crypto_generichash(out, size, (const unsigned char *)passphrase, count, salt, 16);
}
