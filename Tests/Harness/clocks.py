"""A daemon whose clock can be set: a shim, compiled here, before the C library's clock."""

import subprocess

from cases import needs_program

# Only CLOCK_REALTIME, in its spellings: what nobody sets must go on as it is. clock_gettime(2)
SHIM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long shift(void) {
    char text[32] = {0};
    const char *path = getenv("CLOCK_SHIFT");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return 0;
    if (read(file, text, sizeof text - 1) < 0) text[0] = 0;
    close(file);
    return atoll(text);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    long result = syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        time->tv_sec += shift();
    return (int)result;
}

time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec time;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &time);
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return 0;
}
"""


class ShiftedClock:
    """The wall clock of the daemons that are started with its environment.

        clock = ShiftedClock(room)
        daemon = room.daemon(environment=clock.environment)
        clock.set(3600)
    """

    def __init__(self, room, seconds=0):
        needs_program("cc")
        place = room.place("clock-")
        source, shim, self.file = place / "shim.c", place / "shim.so", place / "shift"
        source.write_text(SHIM)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, source], check=True)
        self.environment = {"LD_PRELOAD": str(shim), "CLOCK_SHIFT": str(self.file)}
        self.set(seconds)

    def set(self, seconds):
        """From now on it is so many seconds ahead of the true time."""
        self.file.write_text(str(seconds))
