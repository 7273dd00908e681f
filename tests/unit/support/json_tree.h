/* Reads back as a tree what a function of api/ writes: JSON_TREE(kernel_json_write, kernel, false). New
   reference. */
#pragma once

#include <jansson.h>

#include "base/json_writer.h"

#define JSON_TREE(write, ...)                                                                                \
    ({                                                                                                       \
        struct buffer written = {0};                                                                         \
        struct json_writer writer = {.out = &written};                                                       \
        write(&writer, NULL, __VA_ARGS__);                                                                   \
        assert_int_equal(json_writer_finish(&writer), 0);                                                    \
        json_t *tree = json_loadb(written.data, written.size, JSON_REJECT_DUPLICATES, NULL);                 \
        assert_non_null(tree);                                                                               \
        buffer_free(&written);                                                                               \
        tree;                                                                                                \
    })

/* The same of one that writes members into an open object. */
#define JSON_MEMBERS(write, ...)                                                                             \
    ({                                                                                                       \
        struct buffer written = {0};                                                                         \
        struct json_writer writer = {.out = &written};                                                       \
        json_writer_begin_object(&writer, NULL);                                                             \
        write(&writer, __VA_ARGS__);                                                                         \
        json_writer_end(&writer);                                                                            \
        assert_int_equal(json_writer_finish(&writer), 0);                                                    \
        json_t *tree = json_loadb(written.data, written.size, JSON_REJECT_DUPLICATES, NULL);                 \
        assert_non_null(tree);                                                                               \
        buffer_free(&written);                                                                               \
        tree;                                                                                                \
    })
