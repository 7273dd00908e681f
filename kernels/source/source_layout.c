/* One pass over the arguments. */
#include "kernels/source/source_layout.h"

enum { POINTER_BYTES = 8, SCALAR_WIDTH_MAX = 4 };

static unsigned slot_bytes(const struct source_argument *a)
{
    return a->pointer ? POINTER_BYTES : source_type_bytes(a->type);
}

static unsigned slot_alignment(const struct source_argument *a)
{
    return a->pointer ? POINTER_BYTES : source_type_alignment(a->type);
}

/* The widest alignment among the fields of a parameter. */
static unsigned parameter_alignment(const struct source_draft *draft, int index)
{
    unsigned widest = 1;
    for (int i = 0; i < draft->argument_count; i++)
        if (draft->argument[i].index == index && slot_alignment(&draft->argument[i]) > widest)
            widest = slot_alignment(&draft->argument[i]);
    return widest;
}

static unsigned aligned(unsigned offset, unsigned to)
{
    return (offset + to - 1) / to * to;
}

/* The buffer, or the parameters, of an argument. */
static void number(struct source_layout *layout, const struct source_argument *a, struct source_slot *slot)
{
    if (a->pointer) {
        slot->buffer = layout->buffer_count++;
    } else if (a->value != SOURCE_VALUE_SIZE) {
        slot->param = layout->param_count;
        layout->param_count += (int)a->type.width;
    }
}

static void check_scalar(const struct source_argument *a, struct problems *problems)
{
    char pointer[64];
    source_draft_pointer(a, "type", pointer, sizeof pointer);
    if (!a->pointer && a->type.width > SCALAR_WIDTH_MAX)
        problem_add(problems, pointer, "a vector of %u is for buffers: a scalar has at most %d components",
                    a->type.width, SCALAR_WIDTH_MAX);
    if (!a->pointer && a->type.width > 1 && a->value == SOURCE_VALUE_SIZE)
        problem_add(problems, pointer, "a vector cannot be the size");
}

int source_layout_make(struct source_layout *layout, const struct source_draft *draft,
                       struct problems *problems)
{
    int before = problems->count;
    unsigned at = 0, whole = 1;
    *layout = (struct source_layout){0};
    for (int i = 0; i < draft->argument_count; i++) {
        const struct source_argument *a = &draft->argument[i];
        struct source_slot *slot = &layout->slot[layout->slot_count++];
        bool first = i == 0 || a[-1].index != a->index;
        if (first) /* a struct ends at a multiple of its alignment */
            at = aligned(at, whole);
        whole = parameter_alignment(draft, a->index);
        at = aligned(at, first ? whole : slot_alignment(a));
        *slot = (struct source_slot){.argument = a, .offset = at, .buffer = -1, .param = -1};
        number(layout, a, slot);
        check_scalar(a, problems);
        at += slot_bytes(a);
    }
    layout->parameter_bytes = aligned(at, whole);
    if (layout->buffer_count > KERNEL_BUFFERS)
        problem_add(problems, "#/arguments", "at most %d pointers, there are %d", KERNEL_BUFFERS,
                    layout->buffer_count);
    if (layout->param_count > KERNEL_PARAMS)
        problem_add(
            problems, "#/arguments",
            "at most %d scalars, there are %d: each component of a vector and each field of a struct is one",
            KERNEL_PARAMS, layout->param_count);
    return problems->count == before ? 0 : -1;
}
