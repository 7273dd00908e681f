/* `coalesced backup` and `coalesced restore`. */
#ifndef COALESCED_SERVER_STORE_BACKUP_COMMAND_H
#define COALESCED_SERVER_STORE_BACKUP_COMMAND_H

/* argv[0] is the command's name. The exit status: 0; 1: it failed; 2: it was asked for wrongly. */
int backup_command(int argc, char **argv);
int restore_command(int argc, char **argv);

#endif
