#ifndef CLINUX_H
#define CLINUX_H
// What Swift's Glibc module cannot give. No libc header that needs _GNU_SOURCE is included here and
// none defines it: Swift sees plain types only. Unless it is said otherwise a function returns -1
// and sets errno when it fails.
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

// The process's words and how many there are, as the C library was given them.
char **clinux_arguments(int *count);
int clinux_memfd_secret(unsigned int flags);
// Clears every register that a call may change, vector registers too: keys pass through them.
void clinux_clear_registers(void);
// mlock2(2) with MLOCK_ONFAULT.
int clinux_mlock_onfault(const void *start, size_t size);
// The limit on locked memory in bytes, soft; SIZE_MAX for none. getrlimit(2)
int clinux_memlock_limit(size_t *bytes);

// SO_PEERCRED. unix(7)
int clinux_peer_credentials(int fd, int *pid, unsigned int *uid, unsigned int *gid);
// SO_PEERGROUPS: the number of groups, which may be more than `capacity`; then none is written.
// unix(7)
int clinux_peer_groups(int fd, unsigned int *groups, int capacity);
// Non-blocking and close-on-exec. accept4(2)
int clinux_accept(int listener);

// O_PATH | O_CLOEXEC, and O_NOFOLLOW if asked for. open(2)
int clinux_open_path(int directory, const char *path, int follow);
// A file without a name in the directory, of mode 0600, to write. O_TMPFILE, open(2)
int clinux_open_unnamed(int directory);
// A memory file that is closed on exec and can be sealed. memfd_create(2)
int clinux_memfd_create(const char *name);
// Seals a memory file against every change. F_ADD_SEALS, fcntl(2)
int clinux_seal(int fd);

// PR_SET_DUMPABLE to 0, PR_SET_NO_NEW_PRIVS. prctl(2)
int clinux_set_undumpable(void);
int clinux_set_no_new_privileges(void);
// The calling thread's name. PR_SET_NAME, prctl(2)
int clinux_set_thread_name(const char *name);

// Starts `path` in a new session, at "/", with descriptors 0 to 2 on /dev/null, every signal
// unblocked and at its default, and no other descriptor but `passed`, which it gets as number 3
// (-1: none). Returns 0, or the error number; errno is not set. posix_spawn(3)
int clinux_spawn_detached(
    int *pid, const char *path, char *const argv[], char *const envp[], int passed);
// Starts `path` with the given descriptors as 0, 1 and 2 and no other, every signal unblocked and
// at its default. Returns 0, or the error number; errno is not set. posix_spawn(3)
int clinux_spawn(
    int *pid, const char *path, char *const argv[], char *const envp[], int input, int output,
    int error);
// Looks for `file` in PATH. execvpe(3)
int clinux_execvpe(const char *file, char *const argv[], char *const envp[]);
// WIFEXITED, WEXITSTATUS and WTERMSIG: the exit status, or 128 and the number of the signal.
int clinux_exit_status(int status);
// unshare(2) with CLONE_FILES.
int clinux_unshare_files(void);
// recv(2), and send(2) with MSG_NOSIGNAL, as the bare system calls: the C library's are points where
// a thread can be cancelled, and in a process with threads pay for it with four atomic operations.
long clinux_receive(int fd, void *start, size_t size);
long clinux_send(int fd, const void *start, size_t size);
// Raises the soft limits that a caller may have lowered to the hard ones and notes them in `before`,
// which has room for CLINUX_LIMITS. A limit that cannot be had or set stays as it is. setrlimit(2)
enum { CLINUX_LIMITS = 6 };
void clinux_raise_limits(unsigned long long before[CLINUX_LIMITS]);
// Sets them as they were.
void clinux_restore_limits(const unsigned long long before[CLINUX_LIMITS]);
// renameat2(2) with RENAME_NOREPLACE, within one directory.
int clinux_rename_new(int directory, const char *from, const char *to);
// renameat2(2) with RENAME_EXCHANGE, within one directory.
int clinux_rename_exchange(int directory, const char *first, const char *second);
#endif
