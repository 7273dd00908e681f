/* Answers the page's document and its files. */
#include "server/http/site.h"

#include <stdio.h>
#include <string.h>

#include "server/http/reply.h"

static const char pages[] = "/ui/", assets[] = "/ui/assets/";

/* Allows nothing from other origins, no script or style inside the document, and no frame of another page. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

static const struct site_file *site_find(const char *name)
{
    const struct site_file *file = site_files;
    while (file->name && strcmp(file->name, name) != 0)
        file++;
    return file->name ? file : NULL;
}

enum handled site_answer_page(struct request *request)
{
    static const char mark[] = "{up}";
    const struct site_file *file = site_find("index.html");
    /* References in the document are relative, so that they work behind a proxy's path: from
       /ui/experiments/x one level up. */
    bool below = strchr(request_path(request) + strlen(pages), '/');
    struct buffer body = {0};
    const char *text = file->text;
    for (const char *next; (next = strstr(text, mark)); text = next + strlen(mark)) {
        buffer_append(&body, text, (size_t)(next - text));
        buffer_text(&body, below ? "../" : "");
    }
    buffer_text(&body, text);
    char tag[50];
    snprintf(tag, sizeof tag, "%s%s", file->tag, below ? "-below" : "");
    reply_header(request, "Content-Security-Policy", policy);
    reply_header(request, "Referrer-Policy", "no-referrer");
    reply_header(request, "Cross-Origin-Opener-Policy", "same-origin");
    return reply_immutable(request, &body, tag);
}

enum handled site_answer_file(struct request *request)
{
    const struct site_file *file = site_find(request_path(request) + strlen(assets));
    if (!file)
        return reply_problem(request, PROBLEM_NOT_FOUND, "the page has no file %.100s",
                             request_path(request));
    struct buffer body = {0};
    buffer_text(&body, file->text);
    return reply_immutable(request, &body, file->tag);
}
