/*
 * The yardstick of the speed figures: a single-threaded epoll server with a fixed reply.
 *
 *     reference_server SOCKET REPLY-FILE
 *
 * It reads messages ended by a NUL and answers each with the bytes of REPLY-FILE and a NUL. It does
 * what any server must: level-triggered readiness, accept4, recv, send, half-sent messages kept
 * for their connection, replies that do not fit kept until they do, a bound on both. It does not
 * look into the message and keeps no secrets: what accountd takes longer is the price of those.
 *
 * It ends at SIGTERM. Nothing is printed but "ready" once it listens.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    maximum_message = 65536,
    maximum_reply = 65536,
    maximum_descriptors = 8192,
    events_a_wait = 64,
    backlog = 4096,
};

/* Indexed by descriptor. */
struct connection {
    char *partial;          /* the start of a message whose NUL has not come yet */
    size_t partial_count;
    size_t owed_replies;    /* replies not yet sent whole */
    size_t sent_of_first;   /* bytes of the first of them that are out */
};

static struct connection connections[maximum_descriptors];
static char reply[maximum_reply];
static size_t reply_count;
static int poller;

static void close_connection(int fd)
{
    struct connection *connection = &connections[fd];
    free(connection->partial);
    memset(connection, 0, sizeof *connection);
    close(fd);
}

static void watch(int fd, int operation, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};
    if (epoll_ctl(poller, operation, fd, &event) < 0) err(1, "epoll_ctl");
}

/* Sends what is owed. False: the connection is gone. */
static bool send_owed(int fd)
{
    struct connection *connection = &connections[fd];
    while (connection->owed_replies > 0) {
        size_t left = reply_count - connection->sent_of_first;
        ssize_t sent = send(fd, reply + connection->sent_of_first, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno == EAGAIN) return true;
        if (sent < 0) {
            close_connection(fd);
            return false;
        }
        connection->sent_of_first += (size_t)sent;
        if (connection->sent_of_first == reply_count) {
            connection->sent_of_first = 0;
            connection->owed_replies -= 1;
        }
    }
    return true;
}

static void keep_partial(int fd, const char *bytes, size_t count)
{
    struct connection *connection = &connections[fd];
    if (connection->partial_count + count > maximum_message) {
        close_connection(fd);
        return;
    }
    if (connection->partial == NULL) {
        connection->partial = malloc(maximum_message);
        if (connection->partial == NULL) err(1, "malloc");
    }
    memcpy(connection->partial + connection->partial_count, bytes, count);
    connection->partial_count += count;
}

static void receive(int fd)
{
    static char buffer[maximum_message];
    ssize_t count = recv(fd, buffer, sizeof buffer, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
        close_connection(fd);
        return;
    }
    struct connection *connection = &connections[fd];
    const char *rest = buffer;
    const char *end = buffer + count;
    for (const char *nul; (nul = memchr(rest, 0, (size_t)(end - rest))) != NULL; rest = nul + 1) {
        connection->owed_replies += 1;
        connection->partial_count = 0;
    }
    if (connection->owed_replies > 0 && !send_owed(fd)) return;
    /* Nothing more is read from a peer that does not take its replies. */
    if (connection->owed_replies > 0) watch(fd, EPOLL_CTL_MOD, EPOLLOUT);
    if (rest < end) keep_partial(fd, rest, (size_t)(end - rest));
}

/*
 * One a readiness, though more may wait: level-triggered readiness comes again. For callers that
 * come one by one it saves the accept4 that finds nobody (8 % of a connect, ask and close); for
 * sixteen at once it costs nothing that could be measured.
 */
static void accept_connection(int listener)
{
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    if (fd >= maximum_descriptors) {
        close(fd);
        return;
    }
    watch(fd, EPOLL_CTL_ADD, EPOLLIN);
}

static int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) errx(2, "%s: the path is too long", path);
    strcpy(address.sun_path, path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0) err(1, "socket");
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0) err(1, "%s", path);
    if (listen(listener, backlog) < 0) err(1, "listen");
    return listener;
}

int main(int count, char **arguments)
{
    if (count != 3) errx(2, "usage: reference_server SOCKET REPLY-FILE");
    FILE *file = fopen(arguments[2], "r");
    if (file == NULL) err(1, "%s", arguments[2]);
    reply_count = fread(reply, 1, sizeof reply - 1, file) + 1;
    fclose(file);

    struct rlimit limit = {maximum_descriptors, maximum_descriptors};
    setrlimit(RLIMIT_NOFILE, &limit);
    poller = epoll_create1(EPOLL_CLOEXEC);
    if (poller < 0) err(1, "epoll_create1");
    int listener = listen_at(arguments[1]);
    watch(listener, EPOLL_CTL_ADD, EPOLLIN);
    puts("ready");
    fflush(stdout);

    for (;;) {
        struct epoll_event events[events_a_wait];
        int ready = epoll_wait(poller, events, events_a_wait, -1);
        if (ready < 0 && errno != EINTR) err(1, "epoll_wait");
        for (int index = 0; index < ready; index += 1) {
            int fd = events[index].data.fd;
            if (fd == listener) {
                accept_connection(listener);
            } else if (events[index].events & EPOLLOUT) {
                if (send_owed(fd) && connections[fd].owed_replies == 0)
                    watch(fd, EPOLL_CTL_MOD, EPOLLIN);
            } else {
                receive(fd);
            }
        }
    }
}
