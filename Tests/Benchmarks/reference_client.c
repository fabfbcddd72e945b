/*
 * The yardstick of `account token`: the same exchange in C, dynamically linked.
 *
 *     reference_client SOCKET
 *
 * Connects, asks for the token, waits for the reply, finds the token, prints it and a newline.
 */
#define _GNU_SOURCE
#include <err.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char call[] = "{\"method\":\"org.accountd.Account.GetToken\",\"parameters\":{}}";
static const char key[] = "\"access_token\":\"";

int main(int count, char **arguments)
{
    if (count != 2) errx(2, "usage: reference_client SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(arguments[1]) >= sizeof address.sun_path) errx(2, "the path is too long");
    strcpy(address.sun_path, arguments[1]);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) err(1, "socket");
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) err(1, "%s", arguments[1]);
    if (send(fd, call, sizeof call, MSG_NOSIGNAL) != sizeof call) err(1, "send");

    char reply[16384];
    size_t used = 0;
    while (used == 0 || reply[used - 1] != 0) {
        if (used == sizeof reply) errx(1, "the reply is too long");
        ssize_t received = recv(fd, reply + used, sizeof reply - used, 0);
        if (received < 0) err(1, "recv");
        if (received == 0) errx(1, "the server closed the connection");
        used += (size_t)received;
    }
    char *token = strstr(reply, key);
    if (token == NULL) errx(1, "the reply holds no token");
    token += sizeof key - 1;
    char *end = strchr(token, '"');
    if (end == NULL) errx(1, "the reply holds no token");
    *end = '\n';
    size_t length = (size_t)(end + 1 - token);
    if (write(STDOUT_FILENO, token, length) != (ssize_t)length) err(1, "write");
    return 0;
}
