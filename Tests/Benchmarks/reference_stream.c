/*
 * Writes or reads a file sealed by libsodium's secretstream over and over, and prints how long each
 * time took, in microseconds. What stream-speed does, without names, keys, locks and generations:
 * chunks of 64 KiB with the same associated data, a temporary file, fsync, rename, fsync of the
 * directory.
 *
 *     reference_stream write|read DIRECTORY BYTES ROUNDS
 */
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHUNK 65536
#define SEALED (CHUNK + crypto_secretstream_xchacha20poly1305_ABYTES)
#define HEADER crypto_secretstream_xchacha20poly1305_HEADERBYTES

static unsigned char key[crypto_secretstream_xchacha20poly1305_KEYBYTES];
static unsigned char clear[64], plain[CHUNK], sealed[SEALED];

static void need(int holds, const char *what)
{
    if (!holds) {
        perror(what);
        exit(1);
    }
}

static void put(int file, const unsigned char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        need(written > 0, "write");
        bytes += written;
        count -= (size_t)written;
    }
}

static size_t get(int file, unsigned char *bytes, size_t count)
{
    size_t have = 0;
    while (have < count) {
        ssize_t got = read(file, bytes + have, count - have);
        need(got >= 0, "read");
        if (got == 0)
            break;
        have += (size_t)got;
    }
    return have;
}

static void write_file(int directory, size_t size)
{
    crypto_secretstream_xchacha20poly1305_state state;
    unsigned char header[HEADER];
    int file = openat(directory, "temporary", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    need(file >= 0, "temporary");
    crypto_secretstream_xchacha20poly1305_init_push(&state, header, key);
    put(file, clear, sizeof clear);
    put(file, header, sizeof header);
    do {
        size_t count = size < CHUNK ? size : CHUNK;
        unsigned char tag =
            count == size ? crypto_secretstream_xchacha20poly1305_TAG_FINAL : 0;
        crypto_secretstream_xchacha20poly1305_push(
            &state, sealed, NULL, plain, count, clear, sizeof clear, tag);
        put(file, sealed, count + crypto_secretstream_xchacha20poly1305_ABYTES);
        size -= count;
    } while (size > 0);
    need(fsync(file) == 0, "fsync");
    close(file);
    need(renameat(directory, "temporary", directory, "measured") == 0, "rename");
    need(fsync(directory) == 0, "fsync of the directory");
}

static void read_file(int directory, size_t size)
{
    crypto_secretstream_xchacha20poly1305_state state;
    unsigned char head[sizeof clear + HEADER], tag = 0;
    size_t all = 0, have;
    int file = openat(directory, "measured", O_RDONLY | O_CLOEXEC);
    need(file >= 0, "measured");
    need(get(file, head, sizeof head) == sizeof head, "header");
    need(crypto_secretstream_xchacha20poly1305_init_pull(&state, head + sizeof clear, key) == 0,
         "header");
    while ((have = get(file, sealed, sizeof sealed)) > 0) {
        unsigned long long count;
        need(crypto_secretstream_xchacha20poly1305_pull(
                 &state, plain, &count, &tag, sealed, have, head, sizeof clear) == 0,
             "chunk");
        all += count;
    }
    need(all == size && tag == crypto_secretstream_xchacha20poly1305_TAG_FINAL, "size");
    close(file);
}

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **words)
{
    if (count != 5 || sodium_init() < 0)
        return 2;
    int directory = open(words[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    need(directory >= 0, words[2]);
    size_t size = strtoull(words[3], NULL, 10);
    memset(plain, 0x5A, sizeof plain);
    for (int round = atoi(words[4]); round > 0; round--) {
        long long start = now();
        if (strcmp(words[1], "write") == 0)
            write_file(directory, size);
        else
            read_file(directory, size);
        printf("%lld\n", (now() - start) / 1000);
    }
    return 0;
}
