/* The subcommand `coalesced token add|list|revoke`. */
#ifndef COALESCED_SERVER_AUTH_TOKEN_COMMAND_H
#define COALESCED_SERVER_AUTH_TOKEN_COMMAND_H

/* argv[0] is "token". Returns the exit status: 0, 1 after a failure, 2 for wrong arguments. */
int token_command(int argc, char **argv);

#endif
