/*
 * The yardstick of a login: the system calls without which nothing is durable.
 *
 *     reference_write DIRECTORY BYTES COUNT
 *
 * COUNT times: a new file of BYTES bytes, fsync, rename over the old one, fsync of the directory.
 * Prints the microseconds of each on a line of its own.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

int main(int count, char **arguments)
{
    if (count != 4) errx(2, "usage: reference_write DIRECTORY BYTES COUNT");
    size_t size = strtoul(arguments[2], NULL, 10);
    long rounds = strtol(arguments[3], NULL, 10);
    char *bytes = malloc(size);
    if (bytes == NULL) err(1, "malloc");
    memset(bytes, 'x', size);
    int directory = open(arguments[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) err(1, "%s", arguments[1]);
    for (long round = 0; round < rounds; round += 1) {
        double start = microseconds();
        int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
        int file = openat(directory, "reference.new", flags, 0600);
        if (file < 0) err(1, "reference.new");
        if (write(file, bytes, size) != (ssize_t)size) err(1, "write");
        if (fsync(file) < 0) err(1, "fsync");
        close(file);
        if (renameat(directory, "reference.new", directory, "reference") < 0) err(1, "rename");
        if (fsync(directory) < 0) err(1, "fsync of the directory");
        printf("%.1f\n", microseconds() - start);
    }
    unlinkat(directory, "reference", 0);
    return 0;
}
