/*
 * Opens connections and leaves them idle.
 *
 *     idle SOCKET COUNT
 *
 * Prints "ready" once all are accepted (each has had one GetInfo answered unless COUNT is
 * negative), holds them until its standard input ends, then closes them.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char call[] = "{\"method\":\"org.varlink.service.GetInfo\",\"parameters\":{}}";

int main(int count, char **arguments)
{
    if (count != 3) errx(2, "usage: idle SOCKET COUNT");
    long wanted = strtol(arguments[2], NULL, 10);
    if (wanted < 0) wanted = -wanted;
    int asks = arguments[2][0] != '-';
    struct rlimit limit = {(rlim_t)wanted + 64, (rlim_t)wanted + 64};
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0) err(1, "setrlimit");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(arguments[1]) >= sizeof address.sun_path) errx(2, "the path is too long");
    strcpy(address.sun_path, arguments[1]);
    for (long opened = 0; opened < wanted; opened += 1) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0) err(1, "socket");
        if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) err(1, "connect");
        if (!asks) continue;
        /* An answer shows that the server has accepted it and is done with it. */
        char reply[4096];
        size_t used = 0;
        if (send(fd, call, sizeof call, MSG_NOSIGNAL) != sizeof call) err(1, "send");
        while (used == 0 || reply[used - 1] != 0) {
            ssize_t received = recv(fd, reply + used, sizeof reply - used, 0);
            if (received <= 0) err(1, "connection %ld was closed", opened);
            used += (size_t)received;
        }
    }
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF) continue;
    return 0;
}
