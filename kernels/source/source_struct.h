/* A struct of CUDA source whose members are all of one type, as struct P { float x, y, z; }: memory that holds such structs
   holds nothing but values of that type. For source_signature.c. */
#pragma once

#include "kernels/source/source_token.h"
#include "kernels/source/source_type.h"

__BEGIN_DECLS

/* Reads the struct, or the typedef of one, that has that name: the type of its members, and how many there are, elements of
   an array each counted. False: the source has none of that name, or its members are of several types, or something in it
   may change its size (an attribute, a base class, a function, a bit-field, a pointer), or it has more than
   SOURCE_STRUCT_MEMBERS. */
enum { SOURCE_STRUCT_MEMBERS = 4096 };
bool source_struct_read(const struct source_tokens *tokens, const struct source_token *name,
                        struct source_type *member, unsigned *count);

__END_DECLS
