/* The commands `coalesced backup`, which copies the database as it is at one moment to a file, while a server
   writes it or not, and `coalesced restore`, which puts such a file back while no server runs. */
#pragma once

/* argv[0] is the command's name. Returns the exit status: 0; 1: it failed; 2: the arguments are wrong. */
int backup_command(int argc, char **argv);
