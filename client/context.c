#include "client/context.h"

#include <stdio.h>

int context_usage(struct context *context, const struct error *error)
{
    screen_say(&context->screen, "%s", error->text);
    const struct manual_command *command = context->options.command;
    fprintf(stderr, "  coalesce help%s%s says more.\n", command ? " " : "", command ? command->name : "");
    return EXIT_USAGE;
}
