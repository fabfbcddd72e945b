#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

static int argument_count;
static char **argument_words;

// glibc passes to constructors what it passes to main, in static programs too.
__attribute__((constructor)) static void keep_arguments(int count, char **words) {
    argument_count = count;
    argument_words = words;
}

char **clinux_arguments(int *count) {
    *count = argument_count;
    return argument_words;
}

int clinux_memfd_secret(unsigned int flags) { return (int)syscall(SYS_memfd_secret, flags); }

int clinux_mlock_onfault(const void *start, size_t size) {
    return mlock2(start, size, MLOCK_ONFAULT);
}

int clinux_memlock_limit(size_t *bytes) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0) return -1;
    *bytes = limit.rlim_cur == RLIM_INFINITY ? SIZE_MAX : (size_t)limit.rlim_cur;
    return 0;
}

int clinux_peer_credentials(int fd, int *pid, unsigned int *uid, unsigned int *gid) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -1;
    *pid = peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return 0;
}

int clinux_peer_groups(int fd, unsigned int *groups, int capacity) {
    socklen_t size = (socklen_t)((size_t)capacity * sizeof *groups);
    // ERANGE comes with the size that would have been enough.
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0 && errno != ERANGE) return -1;
    return (int)(size / sizeof *groups);
}

int clinux_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_open_path(int directory, const char *path, int follow) {
    return openat(directory, path, O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
}

int clinux_open_unnamed(int directory) {
    return openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

int clinux_memfd_create(const char *name) {
    return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

int clinux_seal(int fd) {
    return fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}

int clinux_set_undumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int clinux_set_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

int clinux_set_thread_name(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

static int spawn(
    int *pid, const char *path, char *const argv[], char *const envp[],
    posix_spawn_file_actions_t *actions, short flags) {
    posix_spawnattr_t attributes;
    sigset_t none, all;
    pid_t child = -1;
    int error = posix_spawnattr_init(&attributes);
    if (error) return error;
    sigemptyset(&none);
    sigfillset(&all);
    error = posix_spawnattr_setsigmask(&attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
    if (!error) {
        error = posix_spawnattr_setflags(
            &attributes, (short)(flags | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    }
    if (!error) error = posix_spawn(&child, path, actions, &attributes, argv, envp);
    if (!error) *pid = child;
    posix_spawnattr_destroy(&attributes);
    return error;
}

int clinux_spawn_detached(
    int *pid, const char *path, char *const argv[], char *const envp[], int passed) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    // First of all, since it may itself be one of 0 to 2. The same number twice clears
    // close-on-exec.
    if (passed >= 0) error = posix_spawn_file_actions_adddup2(&actions, passed, 3);
    for (int fd = 0; fd < 3 && !error; fd++) {
        error = posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    }
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, passed >= 0 ? 4 : 3);
    if (!error) error = posix_spawn_file_actions_addchdir_np(&actions, "/");
    if (!error) error = spawn(pid, path, argv, envp, &actions, POSIX_SPAWN_SETSID);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int clinux_spawn(
    int *pid, const char *path, char *const argv[], char *const envp[], int input, int output,
    int error_output) {
    // Above 2 first, so that no step overwrites what a later one needs.
    int from[3] = {input, output, error_output};
    int kept[3] = {-1, -1, -1};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    for (int fd = 0; fd < 3 && !error; fd++) {
        kept[fd] = fcntl(from[fd], F_DUPFD_CLOEXEC, 3);
        if (kept[fd] < 0) error = errno;
    }
    for (int fd = 0; fd < 3 && !error; fd++) {
        error = posix_spawn_file_actions_adddup2(&actions, kept[fd], fd);
    }
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    if (!error) error = spawn(pid, path, argv, envp, &actions, 0);
    for (int fd = 0; fd < 3; fd++) {
        if (kept[fd] >= 0) close(kept[fd]);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int clinux_execvpe(const char *file, char *const argv[], char *const envp[]) {
    return execvpe(file, argv, envp);
}

int clinux_exit_status(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#if defined(__has_attribute)
#if __has_attribute(zero_call_used_regs)
__attribute__((zero_call_used_regs("all")))
#endif
#endif
__attribute__((noinline)) void clinux_clear_registers(void) { __asm__ volatile(""); }

int clinux_unshare_files(void) { return unshare(CLONE_FILES); }

// Not the stack's: without a limit on it the kernel lays out memory in another way.
static const int limits[CLINUX_LIMITS] = {
    RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_AS, RLIMIT_DATA, RLIMIT_MEMLOCK, RLIMIT_NPROC,
};

void clinux_raise_limits(unsigned long long before[CLINUX_LIMITS]) {
    for (int index = 0; index < CLINUX_LIMITS; index++) {
        struct rlimit limit;
        if (getrlimit(limits[index], &limit) < 0) continue;
        before[index] = limit.rlim_cur;
        limit.rlim_cur = limit.rlim_max;
        setrlimit(limits[index], &limit);
    }
}

void clinux_restore_limits(const unsigned long long before[CLINUX_LIMITS]) {
    for (int index = 0; index < CLINUX_LIMITS; index++) {
        struct rlimit limit;
        if (getrlimit(limits[index], &limit) < 0) continue;
        limit.rlim_cur = before[index];
        setrlimit(limits[index], &limit);
    }
}

long clinux_receive(int fd, void *start, size_t size) {
    return syscall(SYS_recvfrom, fd, start, size, 0, NULL, NULL);
}

long clinux_send(int fd, const void *start, size_t size) {
    return syscall(SYS_sendto, fd, start, size, MSG_NOSIGNAL, NULL, 0);
}

int clinux_rename_new(int directory, const char *from, const char *to) {
    return renameat2(directory, from, directory, to, RENAME_NOREPLACE);
}

int clinux_rename_exchange(int directory, const char *first, const char *second) {
    return renameat2(directory, first, directory, second, RENAME_EXCHANGE);
}
