/* The architecture of a GPU by the names that a reader has: "sm_37", "3.7", "Tesla K80".

   Source of the table: NVIDIA's list of CUDA GPUs and their compute capability (developer.nvidia.com/cuda-gpus and, for what
   is older, its page of legacy GPUs), and the appendix "CUDA-Enabled GPUs" of the CUDA C Programming Guide 4.2 for 1.x and
   2.x. */
#ifndef COALESCED_KERNELS_MODEL_PRODUCT_H
#define COALESCED_KERNELS_MODEL_PRODUCT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PRODUCT_ARCH_BYTES = 16 };

/* The name of the architecture that `text` means, in `arch`: itself ("sm_37", or any "sm_" with digits), a compute capability
   ("3.7"), or a product, with or without its maker's and family's words before it and with what else its name says
   behind it ("Tesla K80", "k80", "NVIDIA A100-SXM4-80GB"). Letters count alike, large or small. An architecture that the model does
   not know is told all the same (arch_find()). False: it means none, and `arch` is empty. */
bool product_arch(const char *text, char arch[PRODUCT_ARCH_BYTES]);

/* What follows the words of the maker and of the family: "K80" of "NVIDIA Tesla K80". Within `text`. */
const char *product_own(const char *text);

/* The products that are known, by their short names, in the order of their architectures; NULL behind the last. */
const char *product_at(int index);

#ifdef __cplusplus
}
#endif
#endif
