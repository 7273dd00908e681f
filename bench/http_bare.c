/* The rival of bench/http_service.py: libmicrohttpd alone, with the service's threads and polling, answering every request with
   one response that was made beforehand.

       http_bare BODY_FILE [HEADER_FILE]

   HEADER_FILE: "Name: value" lines. Prints its port and ends when its standard input does. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **seen)
{
    (void)path;
    (void)method;
    (void)version;
    (void)upload;
    if (!*seen) {
        *seen = connection;
        return MHD_YES;
    }
    *upload_size = 0;
    return MHD_queue_response(connection, MHD_HTTP_OK, arg);
}

static char *file_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "re");
    char *bytes = malloc(1 << 20);
    *size = file && bytes ? fread(bytes, 1, (1 << 20) - 1, file) : 0;
    if (file)
        fclose(file);
    if (bytes)
        bytes[*size] = '\0';
    return bytes;
}

static void headers_add(struct MHD_Response *response, const char *path)
{
    size_t size;
    char *text = file_read(path, &size), *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *colon = strchr(line, ':');
        if (!colon)
            continue;
        *colon = '\0';
        MHD_add_response_header(response, line, colon + 1 + strspn(colon + 1, " "));
    }
    free(text);
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    size_t size = 0;
    char *body = argc > 1 ? file_read(argv[1], &size) : NULL;
    if (!body || !size) {
        fprintf(stderr, "usage: http_bare BODY_FILE [HEADER_FILE]\n");
        return 2;
    }
    struct MHD_Response *response = MHD_create_response_from_buffer(size, body, MHD_RESPMEM_MUST_FREE);
    if (argc > 2)
        headers_add(response, argv[2]);
    struct MHD_Daemon *daemon =
        MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request,
                         response, MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_THREAD_POOL_SIZE, 4u,
                         MHD_OPTION_CONNECTION_LIMIT, 2048u, MHD_OPTION_END);
    if (!daemon)
        return 1;
    printf("%d\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    MHD_stop_daemon(daemon);
    MHD_destroy_response(response);
    return 0;
}
