#define _GNU_SOURCE
#include "CLinux.h"
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

int clinux_memfd_secret(unsigned int flags) { return (int)syscall(SYS_memfd_secret, flags); }

int clinux_mlock_onfault(const void *start, size_t size) {
    return mlock2(start, size, MLOCK_ONFAULT);
}
