/* JSON <-> struct experiment. */
#pragma once

#include <jansson.h>

#include "api/json_parts.h"
#include "api/suggest.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "kernels/experiment.h"

/* Reads a request object: every field's type and name, not yet its value against the kernel and the device
   (that is experiment_check()). Fields that are not there take the kernel's defaults. Returns 0, or -1
   with every wrong field in *problems, up to the bound of problems_full(); the wrong ones then hold the
   defaults too, and `kernel` is NULL when there is none of that name. */
int experiment_json_read(struct experiment *experiment, const json_t *request, struct problems *problems);

/* The same with that kernel, whatever the request's "kernel" and "debug" say. The experiment borrows it. */
int experiment_json_read_of(struct experiment *experiment, const struct kernel *kernel, const json_t *request,
                            struct problems *problems);

/* Has an experiment with that kernel a field of that name? */
bool experiment_json_takes(const struct kernel *kernel, const char *name);

/* Has any request for an experiment, a sweep or a prediction a member of that name, whatever its kernel? */
bool experiment_json_reserves(const char *name);

/* How a sentence goes on that says that there is no kernel of that name, as suggest_text(). */
const char *experiment_json_suggest_kernel(struct suggestion *meant, const char *name);

/* Says that there is no kernel of that name, and which one may have been meant. */
void experiment_json_no_kernel(struct problems *problems, const char *pointer, const char *name);

/* The same from the text of a request that was checked before: 0, or -1 (ERROR_INVALID) with its first fault.
   The device's facts are checked against too. */
int experiment_json_read_text(struct experiment *experiment, const char *text,
                              const struct device_facts *facts, struct error *error);

/* The request with every default filled in, without labels: what experiment_text_write() writes, read
   again. New reference; NULL: no memory. */
json_t *experiment_json_tree(const struct experiment *experiment);

/* ---- experiment_text.c: struct experiment -> JSON text, for every submission without a tree of values ---- */

/* Writes the request with every default filled in, and the labels of `request` (may be NULL), with the definition of a source
   kernel that is not stored. The same experiment and labels always give the same bytes. */
void experiment_text_write(struct json_writer *json, const char *key, const struct experiment *experiment,
                           const json_t *request);

/* The same without labels and without a kernel's definition. */
void experiment_text_write_launch(struct json_writer *json, const struct experiment *experiment);

/* Writes the choice of a device as it was asked for. */
void experiment_text_device(struct json_writer *json, const char *key, const struct device_choice *choice);

/* True when a request of experiment_text_write() asks for counters. Scans the text: a tree of values for each
   run would cost more than the whole way to the executor. */
bool experiment_text_wants_counters(const char *request);

/* ---- experiment_members.c: members of a request that are objects or lists of their own ---- */

/* Each reads its member into the experiment, and adds what is wrong to *problems, under `pointer`
   ("#/measure"). A member within it that is not there stays as it is. */

/* "measure": how it is measured. */
void experiment_members_measure(struct experiment *experiment, const json_t *value, const char *pointer,
                                struct problems *problems);

/* "counters": true, false or a list of names. Stays as it is where something is wrong. */
void experiment_members_counters(struct experiment *experiment, const json_t *value, const char *pointer,
                                 struct problems *problems);

/* "labels": names and texts that the service keeps and never reads; only checked. No experiment is needed. */
void experiment_members_labels(struct experiment *experiment, const json_t *value, const char *pointer,
                               struct problems *problems);

/* A number or a flag of a struct by its name. */
struct member {
    const char *name;
    enum member_kind { MEMBER_INTEGER, MEMBER_NUMBER, MEMBER_FLAG } kind; /* int64_t, double or bool */
    size_t at;                                                            /* within the struct */
};
void experiment_json_value(void *object, const struct member *member, const json_t *value,
                           const char *pointer, struct problems *problems);

/* "debug": returns the kernel itself, or where the member is true its build for a debugger, which is a
   kernel of its own. Where the member is wrong the kernel itself is returned. */
const struct kernel *experiment_members_debug(const struct kernel *kernel, const json_t *debug,
                                              struct problems *problems);

/* Replaces the kernel of a request with "debug": true by the debug build's name, and removes the member. A
   request without it, or that is wrong in another way, stays as it is. */
void experiment_members_resolve_debug(json_t *request);
