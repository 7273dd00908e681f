/* The commands `coalesced backup` and `coalesced restore`. */
#ifndef COALESCED_SERVER_STORE_BACKUP_COMMAND_H
#define COALESCED_SERVER_STORE_BACKUP_COMMAND_H

/* argv[0] is the command's name. Return the exit status: 0; 1: it failed; 2: the arguments are wrong. */
int backup_command(int argc, char **argv);
int backup_command_restore(int argc, char **argv);

#endif
