#ifndef CLINUX_H
#define CLINUX_H
// What Swift's Glibc module cannot give. No libc header that needs _GNU_SOURCE is included here and
// none defines it: Swift sees plain types only.
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

int clinux_memfd_secret(unsigned int flags);
// mlock2(2) with MLOCK_ONFAULT.
int clinux_mlock_onfault(const void *start, size_t size);
#endif
