/* `coalesced --sandbox`: the process in which what users send is compiled. */
#pragma once

/* Requests come over standard input, answers go over standard output (api/sandbox_protocol.h). Returns an exit status. */
int sandbox_main(int argc, char **argv);
