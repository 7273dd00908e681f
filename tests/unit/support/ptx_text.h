/* Executes PTX that a test writes. */
#pragma once

#include "ptx/launch.h"

/* An entry `k` with the parameters p0, p1 ... (u64), whose body is given, with registers %h<32> (16 bits), %w<64>, %d<64>
   (64 bits), %p<16>. Never NULL: a text that is refused fails the test. The caller frees the module. */
struct ptx_module *ptx_text_parse(unsigned parameters, const char *body);

/* The whole text as it is. NULL: *problem says why. */
struct ptx_module *ptx_text_read(const char *text, struct ptx_problem *problem);

/* A launch of its only entry over one block of so many threads; parameters are the buffers' addresses, in order. */
struct ptx_launch ptx_text_launch(const struct ptx_module *module, const struct ptx_buffer *buffers,
                                  unsigned count, unsigned blocks, unsigned threads);
