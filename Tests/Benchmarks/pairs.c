/*
 * Compares the time of two whole processes, from their start to their end.
 *
 *     pairs COUNT COMMAND-A… -- COMMAND-B…
 *
 * Runs A and B by turns (and the other way round in every second pair, so that neither always
 * has the warmer caches), their standard output on /dev/null. Prints one JSON object: the medians
 * in microseconds and the median of the ratios A/B of the pairs.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static posix_spawn_file_actions_t actions;

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double time_of(char **command)
{
    pid_t child;
    int status;
    double start = microseconds();
    int error = posix_spawn(&child, command[0], &actions, NULL, command, environ);
    if (error != 0) errx(1, "%s: %s", command[0], strerror(error));
    if (waitpid(child, &status, 0) < 0) err(1, "waitpid");
    double end = microseconds();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        errx(1, "%s failed with status %#x", command[0], (unsigned)status);
    return end - start;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, long count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

int main(int count, char **arguments)
{
    long pairs = count > 1 ? strtol(arguments[1], NULL, 10) : 0;
    char **first = arguments + 2, **second = NULL;
    for (int index = 2; index < count; index += 1) {
        if (strcmp(arguments[index], "--") != 0) continue;
        arguments[index] = NULL;
        second = arguments + index + 1;
        break;
    }
    if (pairs < 1 || second == NULL || *second == NULL)
        errx(2, "usage: pairs COUNT COMMAND-A... -- COMMAND-B...");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);

    double *a = calloc((size_t)pairs, sizeof *a), *b = calloc((size_t)pairs, sizeof *b);
    double *ratios = calloc((size_t)pairs, sizeof *ratios);
    if (a == NULL || b == NULL || ratios == NULL) err(1, "calloc");
    for (int warmup = 0; warmup < 5; warmup += 1) {
        time_of(first);
        time_of(second);
    }
    for (long pair = 0; pair < pairs; pair += 1) {
        if (pair % 2 == 0) {
            a[pair] = time_of(first);
            b[pair] = time_of(second);
        } else {
            b[pair] = time_of(second);
            a[pair] = time_of(first);
        }
        ratios[pair] = a[pair] / b[pair];
    }
    double ratio = median(ratios, pairs);
    printf("{\"a_us\":%.1f,\"b_us\":%.1f,\"ratio\":%.4f,\"pairs\":%ld}\n", median(a, pairs),
        median(b, pairs), ratio, pairs);
    return 0;
}
