/* Parses lists of hosts and origins and compares them with header fields. */
#include "server/http/origin_check.h"

#include <argz.h>
#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"

struct origin_check {
    bool guarded;
    char *hosts, *origins; /* words one after the other, each ended by a NUL (argz); NULL: none */
    size_t hosts_size, origins_size;
    struct buffer names;
};

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
static const char figures[] = "0123456789abcdefABCDEF:.";
enum { HOST_MAX = 255, PORT_MAX = 5 };

/* Returns the length of the host at the beginning of an authority, with its brackets; 0: not an authority.
   *port is set to what follows the colon, or to the authority's end. */
static size_t host_length(const char *authority, size_t length, const char **port)
{
    bool bracket = length && authority[0] == '[';
    size_t host = bracket ? 1 + strspn(authority + 1, figures) : strspn(authority, letters);
    if (bracket) {
        if (host >= length || authority[host] != ']')
            return 0;
        host++;
    }
    if (!host || host > length || host > HOST_MAX)
        return 0;
    *port = authority + host;
    if (host == length)
        return host;
    size_t digits = strspn(authority + host + 1, "0123456789");
    if (authority[host] != ':' || host + 1 + digits != length || digits > PORT_MAX)
        return 0;
    *port = authority + host + 1;
    return host;
}

static bool text_is(const char *text, size_t length, const char *other)
{
    return strlen(other) == length && strncasecmp(text, other, length) == 0;
}

/* Splits at commas and blanks, and makes small letters, as browsers write names. */
static int words_read(char **words, size_t *size, const char *list, struct error *error)
{
    char *text = strdup(list);
    int failed = !text;
    for (char *at = text; at && *at; at++)
        *at = (char)tolower((unsigned char)*at);
    for (char *word, *rest = text; !failed && (word = strtok_r(rest, ", \t\n", &rest));)
        failed = argz_add(words, size, word);
    free(text);
    return failed ? error_set(error, ERROR_MEMORY, "no memory for options") : 0;
}

static int host_check(const char *name, struct error *error)
{
    const char *port;
    size_t length = host_length(name, strlen(name), &port);
    if (length && length == strlen(name))
        return 0;
    return error_set(error, ERROR_INVALID,
                     "--allow-host takes a name or an address without a port, as lab.example or "
                     "[2001:db8::1], not \"%.100s\"",
                     name);
}

static const struct {
    const char *scheme, *port;
} usual[] = {{"http://", ":80"}, {"https://", ":443"}};

/* Checks an origin as browsers write it: a scheme, a host, and a port if it is not the scheme's default. */
static int origin_is_valid(const char *origin, struct error *error)
{
    const char *port;
    const char *authority = strstr(origin, "://");
    if (strchr(origin, '*'))
        return error_set(error, ERROR_INVALID,
                         "--allow-origin takes no *: every page that anybody opens could then use the "
                         "service; name each origin, as https://lab.example");
    if (!authority || authority == origin || !isalpha((unsigned char)origin[0]) ||
        !host_length(authority + 3, strlen(authority + 3), &port))
        return error_set(error, ERROR_INVALID,
                         "--allow-origin takes an origin, as https://lab.example or http://localhost:8000, "
                         "without a path, not \"%.100s\"",
                         origin);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strncmp(origin, usual[i].scheme, strlen(usual[i].scheme)) == 0 &&
            strcmp(port, usual[i].port + 1) == 0)
            return error_set(error, ERROR_INVALID, "--allow-origin: a browser says \"%.*s\", without %s",
                             (int)(port - origin - 1), origin, usual[i].port);
    return 0;
}

int origin_check_new(struct origin_check **out, const char *hosts, const char *origins, bool guarded,
                     struct error *error)
{
    struct origin_check *origin_check = calloc(1, sizeof *origin_check);
    if (!origin_check)
        return error_set(error, ERROR_MEMORY, "no memory for options");
    if (words_read(&origin_check->hosts, &origin_check->hosts_size, hosts, error) < 0 ||
        words_read(&origin_check->origins, &origin_check->origins_size, origins, error) < 0)
        goto failed;
    buffer_text(&origin_check->names, "localhost, 127.0.0.0/8, [::1]");
    for (const char *host = NULL; (host = argz_next(origin_check->hosts, origin_check->hosts_size, host));) {
        if (host_check(host, error) < 0)
            goto failed;
        buffer_format(&origin_check->names, ", %s", host);
    }
    for (const char *origin = NULL;
         (origin = argz_next(origin_check->origins, origin_check->origins_size, origin));)
        if (origin_is_valid(origin, error) < 0)
            goto failed;
    if (origin_check->names.failed) {
        error_set(error, ERROR_MEMORY, "no memory for options");
        goto failed;
    }
    origin_check->guarded = guarded || origin_check->hosts;
    *out = origin_check;
    return 0;
failed:
    origin_check_free(origin_check);
    return -1;
}

void origin_check_free(struct origin_check *origin_check)
{
    if (!origin_check)
        return;
    free(origin_check->hosts);
    free(origin_check->origins);
    buffer_free(&origin_check->names);
    free(origin_check);
}

/* True for localhost, 127.0.0.0/8 and [::1], in any notation. */
static bool host_is_local(const char *host, size_t length)
{
    char text[INET6_ADDRSTRLEN];
    struct in_addr v4;
    struct in6_addr v6;
    if (text_is(host, length, "localhost"))
        return true;
    bool bracket = host[0] == '[';
    size_t size = bracket ? length - 2 : length;
    if (size >= sizeof text)
        return false;
    memcpy(text, host + bracket, size);
    text[size] = '\0';
    if (bracket)
        return inet_pton(AF_INET6, text, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
    return inet_pton(AF_INET, text, &v4) == 1 && ntohl(v4.s_addr) >> 24 == 127;
}

bool origin_check_answers(const struct origin_check *origin_check, const char *host)
{
    const char *port;
    if (!origin_check->guarded || !host)
        return true;
    size_t length = host_length(host, strlen(host), &port);
    if (!length)
        return false;
    if (host_is_local(host, length))
        return true;
    for (const char *name = NULL; (name = argz_next(origin_check->hosts, origin_check->hosts_size, name));)
        if (text_is(host, length, name))
            return true;
    return false;
}

const char *origin_check_names(const struct origin_check *origin_check)
{
    return origin_check->names.data;
}

bool origin_check_shares(const struct origin_check *origin_check)
{
    return origin_check->origins != NULL;
}

const char *origin_check_allows(const struct origin_check *origin_check, const char *origin)
{
    for (const char *allowed = NULL;
         (allowed = argz_next(origin_check->origins, origin_check->origins_size, allowed));)
        if (strcasecmp(allowed, origin) == 0)
            return allowed;
    return NULL;
}

bool origin_check_same(const char *origin, const char *host)
{
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        size_t scheme = strlen(usual[i].scheme), length = strlen(origin);
        if (strncasecmp(origin, usual[i].scheme, scheme) != 0)
            continue;
        length -= scheme;
        return host && length && strncasecmp(origin + scheme, host, length) == 0 &&
               (!host[length] || strcmp(host + length, usual[i].port) == 0);
    }
    return false;
}
