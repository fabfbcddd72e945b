// Preloaded into the daemon: a write to a file takes a few bytes at a time, a read gives a few, and
// every other one is interrupted first, as read(2) and write(2) may do at any time.
#define _GNU_SOURCE
#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LARGEST = 7 };

static _Thread_local unsigned calls;

static int is_file(int fd) {
    struct stat status;
    int before = errno;
    int known = fstat(fd, &status) == 0;
    errno = before;
    return known && S_ISREG(status.st_mode);
}

static ssize_t transfer(long call, int fd, void *bytes, size_t count) {
    if (is_file(fd)) {
        if (calls++ % 2) {
            errno = EINTR;
            return -1;
        }
        if (count > LARGEST) count = LARGEST;
    }
    return syscall(call, fd, bytes, count);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    return transfer(SYS_write, fd, (void *)bytes, count);
}

ssize_t read(int fd, void *bytes, size_t count) { return transfer(SYS_read, fd, bytes, count); }
