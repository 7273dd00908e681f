/* The list of faults, and their sentences. */
#include "ptx/fault.h"

#include <inttypes.h>
#include <stdio.h>

struct ptx_thread fault_thread(const struct machine *run, unsigned thread,
                               const struct instruction *instruction)
{
    const uint32_t *block = run->launch->block;
    struct ptx_thread at = {
        .thread = {thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]},
        .site = instruction->site,
        .position = ptx_module_position(run->module, &run->program->lines[instruction->position])};
    for (int axis = 0; axis < 3; axis++)
        at.block[axis] = run->block[axis];
    return at;
}

/* Compares places in the source, where they are known: an unrolled loop has several instructions at one place. */
static bool at_one_place(const struct ptx_thread *a, const struct ptx_thread *b)
{
    const struct ptx_position *p = &a->position, *q = &b->position;
    return p->line && q->line && p->column && q->column
               ? p->line == q->line && p->column == q->column && p->file == q->file
               : p->ptx_line == q->ptx_line;
}

static bool alike(const struct ptx_fault *a, const struct ptx_fault *b)
{
    return a->kind == b->kind && a->note == b->note && a->access == b->access && a->buffer == b->buffer &&
           at_one_place(&a->at, &b->at) && a->has_other == b->has_other &&
           (!a->has_other || (a->other_access == b->other_access && at_one_place(&a->other, &b->other)));
}

static bool is_race(const struct ptx_fault *fault)
{
    return fault->kind == PTX_FAULT_RACE || fault->kind == PTX_FAULT_RACE_OF_BLOCKS;
}

/* That load is a part of that race: it found nothing because the store that it should follow came later. */
static bool is_too_early(const struct ptx_fault *load, const struct ptx_fault *race)
{
    int line = load->at.position.ptx_line;
    return load->kind == PTX_FAULT_UNDEFINED && is_race(race) &&
           ((race->access == PTX_LOAD && race->at.position.ptx_line == line) ||
            (race->other_access == PTX_LOAD && race->other.position.ptx_line == line));
}

/* Takes out loads of what was never written that the race explains. */
static void explain_loads(struct ptx_outcome *outcome, const struct ptx_fault *race)
{
    unsigned left = 0;
    for (unsigned i = 0; i < outcome->fault_count; i++)
        if (!is_too_early(&outcome->faults[i], race))
            outcome->faults[left++] = outcome->faults[i];
    outcome->fault_count = left;
}

void fault_add(struct machine *run, const struct ptx_fault *fault)
{
    struct ptx_outcome *outcome = run->outcome;
    outcome->failed |= !fault->note;
    for (unsigned i = 0; i < outcome->fault_count; i++)
        if (is_too_early(fault, &outcome->faults[i]))
            return;
    if (is_race(fault))
        explain_loads(outcome, fault);
    for (unsigned i = 0; i < outcome->fault_count; i++)
        if (alike(&outcome->faults[i], fault)) {
            outcome->faults[i].times++;
            return;
        }
    if (outcome->fault_count == PTX_FAULTS_MAX)
        return;
    outcome->faults[outcome->fault_count] = *fault;
    outcome->faults[outcome->fault_count++].times = 1;
}

int fault_end(struct machine *run, const struct ptx_fault *fault)
{
    fault_add(run, fault);
    run->over = true;
    return -1;
}

struct ptx_fault fault_of(const struct warp *warp, const struct instruction *instruction, int lane,
                          enum ptx_fault_kind kind)
{
    return (struct ptx_fault){.kind = kind,
                              .at = fault_thread(warp->run, state_thread(warp, lane), instruction),
                              .buffer = -1,
                              .space = (enum ptx_space)instruction->space,
                              .address_of_data =
                                  instruction->site >= 0 && (instruction->depends & DEPENDS_DATA) != 0,
                              .access = (enum ptx_access_kind)instruction->kind};
}

void fault_place(struct ptx_fault *fault, const struct segment *segment, int64_t offset, unsigned bytes)
{
    const unsigned element = segment->element_bytes ? segment->element_bytes : 1;
    fault->space = segment->space;
    fault->buffer = segment->buffer;
    fault->name = segment->name;
    fault->in_bytes = !segment->element_bytes;
    fault->index = offset >= 0 ? offset / element : -((-offset + element - 1) / element);
    fault->elements = segment->bytes / element;
    fault->span = (bytes + element - 1) / element;
}

/* ---- sentences ---- */

struct sentence {
    char *text;
    size_t bytes, used;
};

__attribute__((format(printf, 2, 3))) static void say(struct sentence *s, const char *format, ...);

#include <stdarg.h>

static void say(struct sentence *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t left = s->used < s->bytes ? s->bytes - s->used : 0;
    int more = vsnprintf(left ? s->text + s->used : NULL, left, format, arguments);
    va_end(arguments);
    s->used += more > 0 ? (size_t)more : 0;
}

static void say_place(struct sentence *s, const struct ptx_position *position)
{
    if (position->line > 0)
        say(s, "line %d", position->line);
    else
        say(s, "line %d of the PTX", position->ptx_line);
}

static void say_thread(struct sentence *s, const struct ptx_thread *at)
{
    say(s, "thread (%u, %u, %u) of block (%u, %u, %u)", at->thread[0], at->thread[1], at->thread[2],
        at->block[0], at->block[1], at->block[2]);
}

static void say_element(struct sentence *s, const struct ptx_fault *fault)
{
    if (fault->name && fault->in_bytes)
        say(s, "byte offset %" PRId64 " of %s", fault->index, fault->name);
    else if (fault->name && fault->span > 1)
        say(s, "%s[%" PRId64 "..%" PRId64 "]", fault->name, fault->index, fault->index + fault->span - 1);
    else if (fault->name)
        say(s, "%s[%" PRId64 "]", fault->name, fault->index);
    else if (fault->space == PTX_GLOBAL || fault->space == PTX_GENERIC)
        say(s, "address 0x%" PRIx64, fault->address);
    else
        say(s, "byte offset %" PRId64 " of %s memory", fault->index, ptx_space_name(fault->space));
}

/* Addresses below this are called those of a null pointer. */
enum { NULL_BYTES = 4096 };

static const char *const actions[] = {"loaded", "stored", "updated"};

static void say_outside(struct sentence *s, const struct ptx_fault *fault)
{
    say_element(s, fault);
    say(s, " is %s by ", actions[fault->access]);
    say_thread(s, &fault->at);
    if (fault->name)
        say(s, "; %s has %" PRIu64 " %s", fault->name, fault->elements,
            fault->in_bytes ? "bytes" : "elements");
    else if (fault->elements)
        say(s, "; there are %" PRIu64 " bytes", fault->elements);
    else if (fault->space == PTX_SHARED)
        say(s, "; the block has no shared memory: shared_bytes of the launch gives it some");
    else if (fault->space == PTX_GLOBAL || fault->space == PTX_GENERIC)
        say(s, fault->address < NULL_BYTES ? "; that is a null pointer, or close to one"
                                           : "; no array is there");
}

static void say_misaligned(struct sentence *s, const struct ptx_fault *fault)
{
    say_element(s, fault);
    say(s, " is %s by ", actions[fault->access]);
    say_thread(s, &fault->at);
    say(s, "; its address is not a multiple of the %u bytes that it accesses at once", fault->bytes);
}

static void say_undefined(struct sentence *s, const struct ptx_fault *fault)
{
    say_element(s, fault);
    say(s, " is loaded by ");
    say_thread(s, &fault->at);
    say(s, " and was never written");
}

static void say_read_only(struct sentence *s, const struct ptx_fault *fault)
{
    say_element(s, fault);
    say(s, " is %s by ", actions[fault->access]);
    say_thread(s, &fault->at);
    say(s, " and may only be loaded");
}

static void say_race(struct sentence *s, const struct ptx_fault *fault)
{
    say_element(s, fault);
    say(s, " is %s by ", actions[fault->access]);
    say_thread(s, &fault->at);
    say(s, ", and %s at ", actions[fault->other_access]);
    say_place(s, &fault->other.position);
    say(s, " by ");
    say_thread(s, &fault->other);
    bool ordered_by_barrier = fault->kind == PTX_FAULT_RACE && !at_one_place(&fault->at, &fault->other);
    say(s, ordered_by_barrier ? ", without a barrier between" : ", in no order");
    if (fault->note)
        say(s, "; both store the same value");
}

static void say_barrier(struct sentence *s, const struct ptx_fault *fault)
{
    say_thread(s, &fault->at);
    say(s, " waits at a barrier that not all threads reach");
    if (fault->has_other) {
        say(s, ": ");
        say_thread(s, &fault->other);
        bool elsewhere = fault->other.position.ptx_line;
        say(s, elsewhere ? " waits at " : " goes on without it");
        if (elsewhere)
            say_place(s, &fault->other.position);
    }
}

static void say_shuffle(struct sentence *s, const struct ptx_fault *fault)
{
    say_thread(s, &fault->at);
    say(s, "%s", fault->text ? fault->text : " is in the mask and does not take part");
}

static void say_trap(struct sentence *s, const struct ptx_fault *fault)
{
    say(s, "%s in ", fault->text ? fault->text : "trap");
    say_thread(s, &fault->at);
    if (!fault->text)
        say(s, ": by __trap(), or for an access by a null pointer that the compiler saw");
}

static void say_text(struct sentence *s, const struct ptx_fault *fault)
{
    say(s, "%s", fault->text ? fault->text : "the launch ends");
}

int ptx_fault_text(const struct ptx_fault *fault, char *text, size_t bytes)
{
    static void (*const sentences[PTX_FAULT_KINDS])(struct sentence *, const struct ptx_fault *) = {
        [PTX_FAULT_OUTSIDE] = say_outside,     [PTX_FAULT_MISALIGNED] = say_misaligned,
        [PTX_FAULT_UNDEFINED] = say_undefined, [PTX_FAULT_READ_ONLY] = say_read_only,
        [PTX_FAULT_RACE] = say_race,           [PTX_FAULT_RACE_OF_BLOCKS] = say_race,
        [PTX_FAULT_BARRIER] = say_barrier,     [PTX_FAULT_SHUFFLE] = say_shuffle,
        [PTX_FAULT_TRAP] = say_trap,           [PTX_FAULT_STUB] = say_text,
        [PTX_FAULT_STEPS] = say_text,          [PTX_FAULT_MEMORY] = say_text,
        [PTX_FAULT_UNKNOWN] = say_text,
    };
    struct sentence s = {text, bytes, 0};
    if (bytes)
        *text = '\0';
    if (fault->at.position.ptx_line) {
        say_place(&s, &fault->at.position);
        say(&s, ": ");
    }
    sentences[fault->kind](&s, fault);
    return (int)s.used;
}
