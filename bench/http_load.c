/* Load for bench/http_service.py and before_after.py: connections that each ask again once they are answered, from one thread.

       http_load get|post|put PORT [--path PATH] [--body TEXT] [--connections N] [--count N] [--seconds S]
                 [--pause-ms MS] [--reconnect] [--tokens FILE]

   get and post speak HTTP/1.1, put speaks beanstalkd's protocol. In the body of a post or put each @@@@@@@@ becomes the
   number of the request. Ends after --count answers or --seconds, whichever is first. --pause-ms: between an answer
   and the next question of its connection; --reconnect: a new connection for each question, its opening included in the
   time. --tokens: each connection presents one of the file's lines, in turn. Prints one line of JSON. */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER_ROOM = 64 << 10, QUESTION_ROOM = 16 << 10, TOKEN_ROOM = 256, SAMPLES_MAX = 4 << 20 };

struct connection {
    int socket; /* -1: closed */
    bool asking;
    int64_t due_ns, asked_ns;
    size_t received;                /* bytes of the answer, of which the first ANSWER_ROOM - 1 are kept */
    char authorization[TOKEN_ROOM]; /* a header's line; empty: none */
    size_t wanted;                  /* bytes that the whole answer has; 0: not known yet */
    char head[ANSWER_ROOM];
};

struct load {
    const char *protocol, *path, *body, *tokens;
    int port, connections, pause_ms;
    bool reconnect;
    long count;
    double seconds;
    int poll;
    long asked, answered, refused, broken; /* refused: answered, but not with success */
    int64_t *samples_ns;
    struct connection *all;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The question, numbered; its length. */
static size_t question_write(const struct load *load, const struct connection *connection, char *out)
{
    char body[QUESTION_ROOM / 2], number[16];
    snprintf(body, sizeof body, "%s", load->body);
    snprintf(number, sizeof number, "%08ld", load->asked % 100000000);
    for (char *at = body; (at = strstr(at, "@@@@@@@@"));)
        memcpy(at, number, 8);
    int length;
    if (strcmp(load->protocol, "put") == 0)
        length = snprintf(out, QUESTION_ROOM, "put 0 0 60 %zu\r\n%s\r\n", strlen(body), body);
    else if (strcmp(load->protocol, "post") == 0)
        length = snprintf(out, QUESTION_ROOM,
                          "POST %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: application/json\r\n"
                          "Content-Length: %zu\r\n\r\n%s",
                          load->path, connection->authorization, strlen(body), body);
    else
        length = snprintf(out, QUESTION_ROOM, "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", load->path,
                          connection->authorization);
    return (size_t)length;
}

static int connection_open(struct load *load, struct connection *connection)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)load->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    int yes = 1;
    connection->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->socket < 0 ||
        connect(connection->socket, (struct sockaddr *)&address, sizeof address) < 0)
        return -1;
    setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return epoll_ctl(load->poll, EPOLL_CTL_ADD, connection->socket, &event);
}

static void connection_close(struct connection *connection)
{
    if (connection->socket >= 0)
        close(connection->socket);
    connection->socket = -1;
    connection->asking = false;
}

/* A question is far smaller than a socket's buffer, which is empty now: it leaves in one call. */
static void ask(struct load *load, struct connection *connection)
{
    char question[QUESTION_ROOM];
    connection->asked_ns = now_ns();
    connection->received = connection->wanted = 0;
    load->asked++;
    if ((connection->socket < 0 && connection_open(load, connection) < 0) ||
        send(connection->socket, question, question_write(load, connection, question), MSG_NOSIGNAL) < 0) {
        load->broken++;
        connection_close(connection);
        connection->due_ns = now_ns() + 10000000;
        return;
    }
    connection->asking = true;
}

/* Bytes of the whole answer; 0: more must be there to tell. */
static size_t answer_size(const struct load *load, const char *head)
{
    const char *end = strstr(head, load->protocol[1] == 'u' ? "\r\n" : "\r\n\r\n");
    if (!end)
        return 0;
    if (load->protocol[1] == 'u')
        return (size_t)(end - head) + 2;
    const char *length = strcasestr(head, "\r\nContent-Length:");
    return (size_t)(end - head) + 4 + (length && length < end ? strtoul(length + 17, NULL, 10) : 0);
}

static bool answer_good(const struct load *load, const char *head)
{
    if (load->protocol[1] == 'u')
        return strncmp(head, "INSERTED", 8) == 0;
    return strncmp(head, "HTTP/1.1 2", 10) == 0;
}

static void answered(struct load *load, struct connection *connection)
{
    int64_t now = now_ns();
    if (load->answered < SAMPLES_MAX)
        load->samples_ns[load->answered] = now - connection->asked_ns;
    load->answered++;
    load->refused += !answer_good(load, connection->head);
    connection->asking = false;
    if (load->reconnect)
        connection_close(connection);
    connection->due_ns = now + (int64_t)load->pause_ms * 1000000;
    if (!load->pause_ms && load->asked < load->count)
        ask(load, connection);
}

static void hear(struct load *load, struct connection *connection)
{
    char rest[ANSWER_ROOM];
    bool kept = connection->received < ANSWER_ROOM - 1;
    char *to = kept ? connection->head + connection->received : rest;
    size_t room = kept ? ANSWER_ROOM - 1 - connection->received : sizeof rest;
    ssize_t count = recv(connection->socket, to, room, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN)
        return;
    if (count <= 0) {
        load->broken += connection->asking;
        connection_close(connection);
        return;
    }
    connection->received += (size_t)count;
    if (kept)
        connection->head[connection->received] = '\0';
    if (!connection->wanted)
        connection->wanted = answer_size(load, connection->head);
    if (connection->wanted && connection->received >= connection->wanted)
        answered(load, connection);
}

static void run(struct load *load)
{
    struct epoll_event events[256];
    int64_t limit = now_ns() + (int64_t)(load->seconds * 1e9);
    for (int i = 0; i < load->connections; i++)
        if (connection_open(load, &load->all[i]) < 0)
            connection_close(&load->all[i]);
    while (load->answered + load->broken < load->count && now_ns() < limit) {
        int64_t now = now_ns();
        for (int i = 0; i < load->connections && load->asked < load->count; i++)
            if (!load->all[i].asking && now >= load->all[i].due_ns)
                ask(load, &load->all[i]);
        int ready = epoll_wait(load->poll, events, 256, load->pause_ms ? 1 : 100);
        for (int i = 0; i < ready; i++)
            hear(load, events[i].data.ptr);
    }
}

static int by_size(const void *one, const void *other)
{
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

/* Questions that were never answered count with the time they have waited. */
static void report(struct load *load, double seconds)
{
    long samples = load->answered < SAMPLES_MAX ? load->answered : SAMPLES_MAX, pending = 0;
    for (int i = 0; i < load->connections; i++)
        if (load->all[i].asking && samples < SAMPLES_MAX) {
            load->samples_ns[samples++] = now_ns() - load->all[i].asked_ns;
            pending++;
        }
    qsort(load->samples_ns, (size_t)samples, sizeof *load->samples_ns, by_size);
    double at[3] = {0};
    if (samples) {
        at[0] = (double)load->samples_ns[samples / 2] / 1e6;
        at[1] = (double)load->samples_ns[samples * 99 / 100] / 1e6;
        at[2] = (double)load->samples_ns[samples - 1] / 1e6;
    }
    printf("{\"answers\":%ld,\"refused\":%ld,\"broken\":%ld,\"pending\":%ld,\"seconds\":%.3f,\"per_s\":%.0f,"
           "\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f}\n",
           load->answered, load->refused, load->broken, pending, seconds, (double)load->answered / seconds,
           at[0], at[1], at[2]);
}

static int options_read(struct load *load, int argc, char **argv)
{
    static const struct option options[] = {
        {"path", 1, NULL, 'p'},      {"body", 1, NULL, 'b'},    {"connections", 1, NULL, 'c'},
        {"count", 1, NULL, 'n'},     {"seconds", 1, NULL, 's'}, {"pause-ms", 1, NULL, 'w'},
        {"reconnect", 0, NULL, 'r'}, {"tokens", 1, NULL, 't'},  {0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) >= 0;) {
        switch (option) {
        case 'p':
            load->path = optarg;
            break;
        case 'b':
            load->body = optarg;
            break;
        case 'c':
            load->connections = atoi(optarg);
            break;
        case 'n':
            load->count = atol(optarg);
            break;
        case 's':
            load->seconds = atof(optarg);
            break;
        case 'w':
            load->pause_ms = atoi(optarg);
            break;
        case 'r':
            load->reconnect = true;
            break;
        case 't':
            load->tokens = optarg;
            break;
        default:
            return -1;
        }
    }
    if (argc - optind != 2)
        return -1;
    load->protocol = argv[optind];
    load->port = atoi(argv[optind + 1]);
    bool known = strcmp(load->protocol, "get") == 0 || strcmp(load->protocol, "post") == 0 ||
                 strcmp(load->protocol, "put") == 0;
    return known && load->port > 0 && load->connections > 0 && strlen(load->body) < QUESTION_ROOM / 4 &&
                   strlen(load->path) < QUESTION_ROOM / 4
               ? 0
               : -1;
}

/* Each connection gets the next line, and the first again after the last. */
static int tokens_read(struct load *load)
{
    FILE *file = fopen(load->tokens, "r");
    char line[TOKEN_ROOM - 32];
    int given = 0;
    if (!file)
        return -1;
    while (given < load->connections) {
        if (!fgets(line, sizeof line, file)) {
            if (!given)
                break;
            rewind(file);
            continue;
        }
        line[strcspn(line, "\n")] = '\0';
        snprintf(load->all[given++].authorization, TOKEN_ROOM, "Authorization: Bearer %s\r\n", line);
    }
    fclose(file);
    return given ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct load load = {.path = "/", .body = "", .connections = 64, .count = SAMPLES_MAX, .seconds = 5};
    struct rlimit files;
    if (options_read(&load, argc, argv) < 0) {
        fprintf(stderr,
                "usage: http_load get|post|put PORT [--path PATH] [--body TEXT] [--connections N] [--count N]"
                " [--seconds S] [--pause-ms MS] [--reconnect] [--tokens FILE]\n");
        return 2;
    }
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    load.poll = epoll_create1(EPOLL_CLOEXEC);
    load.all = calloc((size_t)load.connections, sizeof *load.all);
    load.samples_ns = calloc(SAMPLES_MAX, sizeof *load.samples_ns);
    if (load.poll < 0 || !load.all || !load.samples_ns) {
        perror("http_load");
        return 1;
    }
    if (load.tokens && tokens_read(&load) < 0) {
        perror(load.tokens);
        return 1;
    }
    int64_t begun = now_ns();
    run(&load);
    report(&load, (double)(now_ns() - begun) / 1e9);
    free(load.all);
    free(load.samples_ns);
    return load.refused || load.broken ? 1 : 0;
}
