/* `coalesced token add|list|revoke`. */
#ifndef COALESCED_SERVER_AUTH_TOKEN_COMMAND_H
#define COALESCED_SERVER_AUTH_TOKEN_COMMAND_H

/* argv[0] is "token". The exit status: 0; 1: it failed; 2: it was asked for wrongly. */
int token_command(int argc, char **argv);

#endif
