/* A kernel as JSON: what it does, its parameters and its example. */
#pragma once

#include "base/json_writer.h"
#include "kernels/kernel.h"

void kernel_json_write(struct json_writer *json, const char *key, const struct kernel *kernel,
                       bool with_source);

/* The same into the open object, without its source. */
void kernel_json_members(struct json_writer *json, const struct kernel *kernel);

/* The value of a kernel's parameter, a choice by its name. */
void kernel_json_param(struct json_writer *json, const char *key, const struct kernel_param *param,
                       int64_t value);

/* The members "dtype" and "size" of an experiment, as far as the kernel has them. */
void kernel_json_domain(struct json_writer *json, const struct kernel *kernel, enum dtype dtype,
                        const int64_t size[2]);
