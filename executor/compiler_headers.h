/* Headers of the CUDA toolkit that sources may include, read once, so that a sealed process need not open them. */
#pragma once

enum { COMPILER_HEADERS = 1024 };

struct compiler_headers {
    int count, own;                /* the first `own` are small and of this program */
    char *names[COMPILER_HEADERS]; /* as an #include names them; one file may have several names */
    char *texts[COMPILER_HEADERS];
};

/* Which of our own is put before every source: what nvcc's headers declare and NVRTC does not. */
#define COMPILER_HEADERS_FIRST "coalesced.h"

/* Adds our own: that one, and empty ones for headers such as stdio.h, which sources for nvcc include and device code does
   not need. */
void compiler_headers_add_own(struct compiler_headers *headers);

/* Overwrites with blanks the #include lines of headers that are empty here, for a compiler that takes no headers from
   memory. */
void compiler_headers_blank(char *source);

/* Reads cuda_fp16.h, cuda_bf16.h, cooperative_groups.h and some of their neighbours, and what they include, from the
   toolkit's folder of headers. What is not there is left out. */
void compiler_headers_read(struct compiler_headers *headers, const char *folder);
