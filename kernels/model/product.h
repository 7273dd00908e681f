/* The architecture of a GPU by the names that a reader has: "sm_37", "3.7", "Tesla K80".

   Source of the table: NVIDIA's list of CUDA GPUs and their compute capability (developer.nvidia.com/cuda-gpus
   and, for what is older, its page of legacy GPUs), and the appendix "CUDA-Enabled GPUs" of the CUDA C
   Programming Guide 4.2 for 1.x and 2.x. */
#pragma once

#include <stdbool.h>

enum { PRODUCT_ARCH_BYTES = 16 };

/* Finds the architecture that `text` means: an architecture ("sm_37", or any "sm_" with digits), a compute
   capability ("3.7"), or a product, with or without the words of its maker and family before it and
   further words behind it ("Tesla K80", "k80", "NVIDIA A100-SXM4-80GB"). Case does not matter. The name is
   written even when the model does not know that architecture (arch_find()). False: none is meant, and
   `arch` is empty. */
bool product_arch(const char *text, char arch[PRODUCT_ARCH_BYTES]);

/* The part of `text` behind the words of maker and family: "K80" of "NVIDIA Tesla K80". */
const char *product_own(const char *text);

/* The known products by their short names, ordered by architecture; NULL behind the last. */
const char *product_at(int index);
