/* The commands pause and resume: pause lets no further experiment begin on a device, or on all of them; resume undoes it. */
#include "client/commands/command.h"

#include <stdio.h>
#include <stdlib.h>

#include "client/answers/json_path.h"
#include "client/terminal/language.h"
#include "client/work/fetch.h"

/* Prints how the device, or the queue where none is named, is after the request. */
static void print_hold(struct context *context, const json_t *hold)
{
    const char *device = context->options.words[0], *by = json_path_text(hold, "paused_by", NULL);
    const char *what = device ? device : language_text("the whole queue");
    if (json_path_true(hold, "paused") && by)
        printf(language_text("%s is paused by %s\n"), what, by);
    else if (json_path_true(hold, "paused"))
        printf(language_text("%s is paused\n"), what);
    else
        printf(language_text("%s is resumed\n"), what);
    if (json_path_true(hold, "paused"))
        printf(language_text("coalesce resume%s%s lets it run again\n"), device ? " " : "",
               device ? device : "");
    if (!device && !json_path_true(hold, "paused"))
        fputs(language_text("a device that was paused by itself stays so\n"), stdout);
}

/* device_verb: the last part of the path for one device; queue_verb: for the queue. */
static int post_hold(struct context *context, const char *device_verb, const char *queue_verb)
{
    const char *device = context->options.words[0];
    char *path = device ? fetch_path(context, "/v1/devices", device, device_verb)
                        : fetch_path(context, "/v1/queue", NULL, queue_verb);
    int status = fetch_show_to(stdout, context, &(struct http_client_request){.method = "POST", .path = path},
                               print_hold);
    free(path);
    return status;
}

int command_pause(struct context *context)
{
    return post_hold(context, "/drain", "/pause");
}

int command_resume(struct context *context)
{
    return post_hold(context, "/resume", "/resume");
}
