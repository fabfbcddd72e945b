/*
 * Compares the times of whole processes, from their start to their end.
 *
 *     turns ROUNDS INPUT COMMAND… [-- INPUT COMMAND…]…
 *
 * Each round runs every command once, with the file INPUT as its standard input and its standard
 * output on /dev/null. Each round begins with another command, so that none always has the warmer
 * caches. Prints one line a round: the microseconds of each command, in the order of the arguments.
 * A command that fails ends it all.
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

enum { maximum_commands = 32, warmup_rounds = 5 };

struct command {
    char **words;
    posix_spawn_file_actions_t actions;
};

extern char **environ;
static struct command commands[maximum_commands];

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double time_of(struct command *command)
{
    char *program = command->words[0];
    pid_t child;
    int status;
    double start = microseconds();
    int error = posix_spawn(&child, program, &command->actions, NULL, command->words, environ);
    if (error != 0) errx(1, "%s: %s", program, strerror(error));
    if (waitpid(child, &status, 0) < 0) err(1, "waitpid");
    double end = microseconds();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        errx(1, "%s failed with status %#x", program, (unsigned)status);
    return end - start;
}

/* Takes the words up to "--" or the end. The rest, or NULL. */
static char **take_command(char **words, struct command *command)
{
    if (words[0] == NULL || words[1] == NULL || strcmp(words[1], "--") == 0)
        errx(2, "usage: turns ROUNDS INPUT COMMAND... [-- INPUT COMMAND...]...");
    posix_spawn_file_actions_init(&command->actions);
    posix_spawn_file_actions_addopen(&command->actions, STDIN_FILENO, words[0], O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&command->actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    command->words = words + 1;
    for (char **word = words + 1; *word != NULL; word += 1) {
        if (strcmp(*word, "--") != 0) continue;
        *word = NULL;
        return word + 1;
    }
    return NULL;
}

int main(int argument_count, char **arguments)
{
    long rounds = argument_count > 1 ? strtol(arguments[1], NULL, 10) : 0;
    if (rounds < 1 || argument_count < 4)
        errx(2, "usage: turns ROUNDS INPUT COMMAND... [-- INPUT COMMAND...]...");
    int count = 0;
    for (char **rest = arguments + 2; rest != NULL; count += 1) {
        if (count == maximum_commands) errx(2, "more than %d commands", maximum_commands);
        rest = take_command(rest, &commands[count]);
    }
    for (long round = -warmup_rounds; round < rounds; round += 1) {
        double times[maximum_commands];
        for (int turn = 0; turn < count; turn += 1) {
            int index = (int)((round + warmup_rounds + turn) % count);
            times[index] = time_of(&commands[index]);
        }
        if (round < 0) continue;
        for (int index = 0; index < count; index += 1)
            printf("%.1f%c", times[index], index + 1 < count ? ' ' : '\n');
    }
    return 0;
}
