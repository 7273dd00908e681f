/* A kernel as JSON: what it does, its parameters and its example. */
#ifndef COALESCED_API_KERNEL_JSON_H
#define COALESCED_API_KERNEL_JSON_H

#include "base/json_writer.h"
#include "kernels/kernel.h"

void kernel_json_write(struct json_writer *json, const char *key, const struct kernel *kernel,
                       bool with_source);

/* The value of a kernel's parameter, a choice by its name. */
void kernel_json_param(struct json_writer *json, const char *key, const struct kernel_param *param,
                       int64_t value);

#endif
