/*
 * The load generator: N connections in a closed loop, one thread, epoll.
 *
 *     load --socket PATH [--connections N] [--queries N] [--warmup N] [--reconnect]
 *          [--messages FILE | --redis KEY] [--server-pid PID] [--any-reply]
 *
 * --messages   one call a line, sent in rotation; else GetToken in its plainest spelling
 * --redis      speaks RESP and asks GET KEY instead
 * --reconnect  connects, asks and closes for every query
 * --any-reply  replies may differ (they must still be no errors); else all equal the first one
 *
 * Prints one JSON object: queries a second, p50 and p99 of the time from send to the whole reply,
 * and with --server-pid the processor time the server took a query, in nanoseconds. Every reply is
 * looked at: an error, a different reply or a closed connection ends the run with status 1.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { maximum_messages = 4096, maximum_reply = 65536, events_a_wait = 256 };

struct connection {
    int fd;
    uint64_t asked_at;
    size_t used;            /* bytes of the reply that have come */
    char *early;            /* they, when the reply came in parts */
};

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static char *messages[maximum_messages];
static size_t message_sizes[maximum_messages], message_count, next_message;
static bool reconnects, speaks_redis, any_reply;
static struct connection *connections;
static long connection_count = 16, server_pid;
static int poller;
static char expected[maximum_reply];
static size_t expected_count;
static uint32_t *latencies;

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Processor time of all threads of the server: schedstat counts nanoseconds, stat only ticks. */
static uint64_t server_time(void)
{
    if (server_pid == 0) return 0;
    char path[512];
    snprintf(path, sizeof path, "/proc/%ld/task", server_pid);
    DIR *threads = opendir(path);
    if (threads == NULL) err(1, "%s", path);
    uint64_t sum = 0;
    for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%ld/task/%s/schedstat", server_pid, entry->d_name);
        FILE *file = fopen(path, "r");
        unsigned long long time = 0;
        if (file == NULL || fscanf(file, "%llu", &time) != 1) err(1, "%s", path);
        fclose(file);
        sum += time;
    }
    closedir(threads);
    return sum;
}

static void connect_to_server(struct connection *connection)
{
    connection->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->fd < 0) err(1, "socket");
    if (connect(connection->fd, (struct sockaddr *)&address, sizeof address) < 0)
        err(1, "%s", address.sun_path);
    if (poller < 0) return;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, connection->fd, &event) < 0) err(1, "epoll_ctl");
}

static void ask(struct connection *connection, uint64_t now)
{
    size_t index = next_message;
    next_message = index + 1 == message_count ? 0 : index + 1;
    connection->asked_at = now;
    connection->used = 0;
    ssize_t sent = send(connection->fd, messages[index], message_sizes[index], MSG_NOSIGNAL);
    if (sent != (ssize_t)message_sizes[index]) err(1, "send");
}

static bool is_whole(const char *reply, size_t count)
{
    if (!speaks_redis) return reply[count - 1] == 0;
    if (reply[0] != '$') errx(1, "redis answered %.*s", (int)count, reply);
    const char *line_end = memchr(reply, '\n', count);
    if (line_end == NULL) return false;
    long size = strtol(reply + 1, NULL, 10);
    if (size < 0) errx(1, "redis does not know the key");
    return (size_t)(line_end + 1 - reply) + (size_t)size + 2 == count;
}

static void check(const char *reply, size_t count)
{
    if (any_reply || expected_count == 0) {
        static const char error[] = "\"error\"";
        if (!speaks_redis && memmem(reply, count, error, sizeof error - 1) != NULL)
            errx(1, "the server answered %.*s", (int)count, reply);
        memcpy(expected, reply, count);
        expected_count = count;
    }
    if (!any_reply && (count != expected_count || memcmp(reply, expected, count) != 0))
        errx(1, "a reply differs from the first one: %.*s", (int)count, reply);
}

/* Receives once. True: the reply is whole. */
static bool receive(struct connection *connection)
{
    static char buffer[maximum_reply];
    char *reply = buffer;
    if (connection->used > 0) reply = connection->early;
    ssize_t received = recv(connection->fd, reply + connection->used,
        maximum_reply - connection->used, 0);
    if (received < 0) err(1, "recv");
    if (received == 0) errx(1, "the server closed a connection");
    connection->used += (size_t)received;
    if (is_whole(reply, connection->used)) {
        check(reply, connection->used);
        return true;
    }
    if (connection->used == maximum_reply) errx(1, "the reply is too long");
    if (reply == buffer) {
        if (connection->early == NULL) connection->early = malloc(maximum_reply);
        if (connection->early == NULL) err(1, "malloc");
        memcpy(connection->early, buffer, connection->used);
    }
    return false;
}

/* One connection at a time needs no epoll, as a real client needs none. */
static void run_one_by_one(long queries)
{
    for (long query = 0; query < queries; query += 1) {
        uint64_t start = nanoseconds();
        connect_to_server(&connections[0]);
        ask(&connections[0], start);
        while (!receive(&connections[0])) continue;
        latencies[query] = (uint32_t)(nanoseconds() - start);
        close(connections[0].fd);
    }
}

static void start_query(struct connection *connection, uint64_t now)
{
    if (reconnects) connect_to_server(connection);
    ask(connection, now);
}

static void run(long queries)
{
    if (reconnects && connection_count == 1) {
        run_one_by_one(queries);
        return;
    }
    long started = 0, done = 0;
    for (; started < connection_count && started < queries; started += 1)
        start_query(&connections[started], nanoseconds());
    while (done < queries) {
        struct epoll_event events[events_a_wait];
        int ready = epoll_wait(poller, events, events_a_wait, -1);
        if (ready < 0 && errno != EINTR) err(1, "epoll_wait");
        for (int index = 0; index < ready; index += 1) {
            struct connection *connection = events[index].data.ptr;
            if (!receive(connection)) continue;
            uint64_t now = nanoseconds();
            latencies[done] = (uint32_t)(now - connection->asked_at);
            done += 1;
            if (reconnects) close(connection->fd);
            if (started == queries) continue;
            started += 1;
            start_query(connection, now);
        }
    }
}

static void add_message(const char *text, size_t count)
{
    if (message_count == maximum_messages) errx(2, "too many messages");
    char *copy = malloc(count);
    if (copy == NULL) err(1, "malloc");
    memcpy(copy, text, count);
    messages[message_count] = copy;
    message_sizes[message_count] = count;
    message_count += 1;
}

static void read_messages(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) err(1, "%s", path);
    char *line = NULL;
    size_t size = 0;
    for (ssize_t count; (count = getline(&line, &size, file)) > 0;) {
        if (line[count - 1] == '\n') line[--count] = 0;
        if (count > 0) add_message(line, (size_t)count + 1);
    }
    free(line);
    fclose(file);
}

static int ascending(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

int main(int count, char **arguments)
{
    static const struct option options[] = {
        {"socket", required_argument, NULL, 's'}, {"connections", required_argument, NULL, 'c'},
        {"queries", required_argument, NULL, 'q'}, {"warmup", required_argument, NULL, 'w'},
        {"messages", required_argument, NULL, 'm'}, {"redis", required_argument, NULL, 'r'},
        {"server-pid", required_argument, NULL, 'p'}, {"reconnect", no_argument, NULL, 'o'},
        {"any-reply", no_argument, NULL, 'a'}, {0}};
    long queries = 100000, warmup = -1;
    static const char plain[] = "{\"method\":\"org.accountd.Account.GetToken\",\"parameters\":{}}";
    char redis_call[512];
    for (int option; (option = getopt_long(count, arguments, "", options, NULL)) != -1;) {
        switch (option) {
        case 's':
            if (strlen(optarg) >= sizeof address.sun_path) errx(2, "the path is too long");
            strcpy(address.sun_path, optarg);
            break;
        case 'c': connection_count = strtol(optarg, NULL, 10); break;
        case 'q': queries = strtol(optarg, NULL, 10); break;
        case 'w': warmup = strtol(optarg, NULL, 10); break;
        case 'm': read_messages(optarg); break;
        case 'r':
            speaks_redis = true;
            int size = snprintf(redis_call, sizeof redis_call, "*2\r\n$3\r\nGET\r\n$%zu\r\n%s\r\n",
                strlen(optarg), optarg);
            add_message(redis_call, (size_t)size);
            break;
        case 'p': server_pid = strtol(optarg, NULL, 10); break;
        case 'o': reconnects = true; break;
        case 'a': any_reply = true; break;
        default: return 2;
        }
    }
    if (address.sun_path[0] == 0 || connection_count < 1 || queries < 1)
        errx(2, "usage: load --socket PATH [--connections N] [--queries N] ...");
    if (message_count == 0) add_message(plain, sizeof plain);
    if (warmup < 0) warmup = queries / 10 + 1;

    struct rlimit limit = {(rlim_t)connection_count + 64, (rlim_t)connection_count + 64};
    setrlimit(RLIMIT_NOFILE, &limit);
    poller = reconnects && connection_count == 1 ? -1 : epoll_create1(EPOLL_CLOEXEC);
    connections = calloc((size_t)connection_count, sizeof *connections);
    size_t slots = (size_t)(queries > warmup ? queries : warmup);
    latencies = malloc(slots * sizeof *latencies);
    if (connections == NULL || latencies == NULL) err(1, "malloc");
    memset(latencies, 0, slots * sizeof *latencies);
    for (long index = 0; index < connection_count && !reconnects; index += 1)
        connect_to_server(&connections[index]);

    if (warmup > 0) run(warmup);
    uint64_t server_start = server_time(), start = nanoseconds();
    run(queries);
    double seconds = (double)(nanoseconds() - start) / 1e9;
    double server = (double)(server_time() - server_start) / (double)queries;
    qsort(latencies, (size_t)queries, sizeof *latencies, ascending);
    printf("{\"qps\":%.0f,\"seconds\":%.4f,\"p50_us\":%.2f,\"p99_us\":%.2f,\"server_ns\":%.1f,"
           "\"queries\":%ld}\n",
        (double)queries / seconds, seconds, latencies[queries / 2] / 1e3,
        latencies[queries - 1 - queries / 100] / 1e3, server, queries);
    return 0;
}
