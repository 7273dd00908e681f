#include "ptx/machine_match.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/match_behind.h"
#include "ptx/match_lanes.h"

enum { NEAR = 256, LONG_BLOCK = 4096 };      /* instructions; sites */
enum { VOTE = 0x006, VOTE_UNIFORM = 0x086 }; /* opcodes by which a warp's atomics become those of one lane */

/* The accesses of a site's line that may be its own. */
struct found {
    uint32_t count, least, most; /* of them; bytes of the narrowest and the widest */
    bool swaps;                  /* besides, a compare and swap */
};

static struct found find_accesses(struct match_run *run, const struct match_site *site)
{
    size_t count;
    struct match_access *at = run->accesses + match_parts_of_line(run, site->ptx_line, &count);
    struct found found = {.least = UINT32_MAX};
    bool atomic = site->kind == MACHINE_ATOMIC || site->kind == MACHINE_REDUCTION;
    for (size_t i = 0; i < count; i++) {
        const struct machine_word *word = &run->entry->code[at[i].at].word;
        if (match_parts_compatible(site, word)) {
            at[i].has_a_site = true;
            found.count++;
            found.least = word->bytes < found.least ? word->bytes : found.least;
            found.most = word->bytes > found.most ? word->bytes : found.most;
        } else if (atomic && word->space != MACHINE_LOCAL) {
            at[i].has_a_site = true; /* the loop that it became */
            found.swaps |= word->kind == MACHINE_SWAP;
        }
    }
    return found;
}

/* Does the warp vote for the atomic of a line? The instructions of a line are not in one place, but near. */
static bool line_votes(const struct match_run *run, uint32_t line)
{
    size_t count, first = match_parts_of_line(run, line, &count);
    size_t near = count ? run->accesses[first].at : 0;
    size_t end = near + NEAR < run->entry->count ? near + NEAR : run->entry->count;
    for (size_t i = near > NEAR ? near - NEAR : 0; i < end; i++) {
        const struct cubin_instruction *one = &run->entry->code[i];
        if (one->ptx_line == line && (one->word.opcode == VOTE || one->word.opcode == VOTE_UNIFORM))
            return true;
    }
    return false;
}

static enum match_how how_none(const struct match_site *site)
{
    return site->space == MACHINE_CONSTANT ? MATCH_CONSTANT
           : site->space == MACHINE_LOCAL  ? MATCH_REGISTERS
                                           : MATCH_GONE;
}

static enum match_how how_by_width(const struct match_site *site, const struct found *found)
{
    if (found->least != found->most)
        return MATCH_MIXED;
    if (found->most == site->bytes)
        return MATCH_ONE;
    if (found->most > site->bytes)
        return MATCH_WIDER;
    return found->count * found->most % site->bytes == 0 ? MATCH_SPLIT : MATCH_NARROWER;
}

static void match_alone(struct match_run *run, size_t index)
{
    const struct match_site *site = &run->program->sites[index];
    struct match_verdict *verdict = &run->result->verdicts[index];
    struct found found = find_accesses(run, site);
    bool atomic = site->kind == MACHINE_ATOMIC || site->kind == MACHINE_REDUCTION;
    *verdict = (struct match_verdict){
        .copies = found.count,
        .bytes = found.count && found.least == found.most ? found.most : 0,
        .leader = (uint32_t)index,
    };
    if (atomic && found.swaps)
        verdict->how = MATCH_REPLACED;
    else if (!found.count)
        verdict->how = how_none(site);
    else
        verdict->how = how_by_width(site, &found);
    if (atomic && verdict->how == MATCH_ONE && line_votes(run, site->ptx_line))
        verdict->how = MATCH_ONE_LANE;
}

/* Statements of inline assembly may share a line: what the line has is theirs in equal parts. */
static void share_lines(struct match_run *run)
{
    const struct match_site *sites = run->program->sites;
    struct match_verdict *verdicts = run->result->verdicts;
    for (size_t i = 0, end; i < run->program->site_count; i = end) {
        for (end = i + 1; end < run->program->site_count && sites[end].ptx_line == sites[i].ptx_line;)
            end++;
        for (size_t k = i; end - i > 1 && k < end; k++) {
            if (verdicts[k].copies % (end - i) == 0)
                verdicts[k].copies /= (uint32_t)(end - i);
            else
                verdicts[k].how = MATCH_UNKNOWN;
        }
    }
}

/* ---- neighbours that became one access ---- */

static bool may_join(const struct match_run *run, size_t one, size_t other)
{
    const struct match_site *a = &run->program->sites[one], *b = &run->program->sites[other];
    return run->site_block[one] == run->site_block[other] && a->kind == b->kind && a->space == b->space &&
           a->bytes == b->bytes && a->base && a->base == b->base;
}

/* Sites of the same block stand side by side. Of a very long block the nearest ones are looked at. */
static void block_range(const struct match_run *run, size_t index, size_t *begin, size_t *end)
{
    const uint32_t *block = run->site_block;
    for (*begin = index; *begin > 0 && index - *begin < LONG_BLOCK && block[*begin - 1] == block[index];)
        --*begin;
    for (*end = index + 1;
         *end < run->program->site_count && *end - index < LONG_BLOCK && block[*end] == block[index];)
        ++*end;
}

static bool in_window(const struct match_run *run, size_t index, size_t other, int64_t begin, uint32_t bytes)
{
    const struct match_site *site = &run->program->sites[other];
    return other == index ||
           (run->result->verdicts[other].how == MATCH_GONE && may_join(run, index, other) &&
            site->offset >= begin && site->offset - begin <= (int64_t)(bytes - site->bytes));
}

/* May an access of so many bytes begin `before` bytes before the site's? */
static bool may_begin(const struct match_site *site, uint32_t before, uint32_t bytes)
{
    if (site->modulo >= bytes)
        return (site->place - before) % bytes == 0;
    return !site->modulo;
}

static void join(struct match_run *run, size_t index)
{
    const struct match_site *sites = run->program->sites, *site = &sites[index];
    struct match_verdict *verdicts = run->result->verdicts, *verdict = &verdicts[index];
    uint32_t bytes = verdict->bytes, most = 1;
    size_t from, to;
    int64_t best = 0;
    if (!site->bytes || bytes % site->bytes != 0)
        return;
    block_range(run, index, &from, &to);
    for (uint32_t before = 0; before < bytes; before += site->bytes) {
        int64_t begin = site->offset - before;
        uint32_t members = 0;
        if (!may_begin(site, before, bytes))
            continue;
        for (size_t k = from; k < to; k++)
            members += in_window(run, index, k, begin, bytes);
        if (members > most || (members == most && most > 1 && begin % bytes == 0)) {
            most = members;
            best = begin;
        }
    }
    if (most == 1)
        return;
    for (size_t k = from; k < to; k++) {
        if (!in_window(run, index, k, best, bytes))
            continue;
        uint32_t copies = verdict->copies;
        verdicts[k] = (struct match_verdict){.how = MATCH_JOINED,
                                             .copies = copies,
                                             .bytes = bytes,
                                             .leader = (uint32_t)index,
                                             .moved = (int32_t)(best - site->offset)};
    }
}

/* What stands in one block of the PTX is done equally often: fewer copies were joined or left out somehow. */
static void find_fewer(struct match_run *run)
{
    struct match_verdict *verdicts = run->result->verdicts;
    for (size_t i = 0, end; i < run->program->site_count; i = end) {
        uint32_t most = 0;
        size_t begin;
        block_range(run, i, &begin, &end);
        for (size_t k = i; k < end; k++)
            if (verdicts[k].how <= MATCH_JOINED && verdicts[k].copies > most)
                most = verdicts[k].copies;
        for (size_t k = i; k < end; k++)
            if (verdicts[k].how <= MATCH_JOINED && verdicts[k].copies < most)
                verdicts[k].how = MATCH_FEWER;
    }
}

/* ---- what belongs to no site ---- */

static int find_extras(struct match_run *run, struct error *error)
{
    struct match_result *result = run->result;
    result->extras = calloc(run->access_count + 1, sizeof *result->extras);
    if (!result->extras)
        return error_set(error, ERROR_MEMORY, "no memory for a comparison with the machine code");
    for (size_t i = 0; i < run->access_count; i++) {
        const struct match_access *access = &run->accesses[i];
        const struct machine_word *word = &run->entry->code[access->at].word;
        struct match_extra *last = result->extra_count ? &result->extras[result->extra_count - 1] : NULL;
        if (access->has_a_site)
            continue;
        if (word->space == MACHINE_LOCAL) {
            result->spill_loads += word->kind == MACHINE_LOAD;
            result->spill_stores += word->kind == MACHINE_STORE;
        } else if (last && last->ptx_line == access->ptx_line && last->space == word->space) {
            last->accesses++;
        } else {
            result->extras[result->extra_count++] =
                (struct match_extra){.ptx_line = access->ptx_line, .space = word->space, .accesses = 1};
        }
    }
    return 0;
}

static void say_what_is_exact(struct match_result *result, const struct match_program *program)
{
    result->global_exact = result->shared_exact = true;
    result->local_exact = result->spill_loads + result->spill_stores == 0;
    for (size_t i = 0; i < program->site_count; i++) {
        enum machine_space space = program->sites[i].space;
        bool counted = result->verdicts[i].how < MATCH_REGISTERS || !program->sites[i].executed;
        result->global_exact &= counted || (space != MACHINE_GLOBAL && space != MACHINE_GENERIC);
        result->shared_exact &= counted || (space != MACHINE_SHARED && space != MACHINE_GENERIC);
        result->local_exact &= counted || (space != MACHINE_LOCAL && space != MACHINE_GENERIC);
    }
    for (size_t i = 0; i < result->extra_count; i++) {
        result->global_exact &= result->extras[i].space == MACHINE_SHARED;
        result->shared_exact &= result->extras[i].space == MACHINE_GLOBAL;
    }
}

/* What was found of the access of several sites holds for each of them. */
static void follow_leaders(struct match_result *result)
{
    for (size_t i = 0; i < result->count; i++) {
        const struct match_verdict *leader = &result->verdicts[result->verdicts[i].leader];
        if (result->verdicts[i].how != MATCH_JOINED)
            continue;
        result->verdicts[i].how = leader->how;
        result->verdicts[i].branch_line = leader->branch_line;
    }
}

static int match_all(struct match_run *run, struct error *error)
{
    for (size_t i = 0; i < run->program->site_count; i++)
        match_alone(run, i);
    share_lines(run);
    for (size_t i = 0; i < run->program->site_count; i++)
        if (run->result->verdicts[i].how == MATCH_WIDER)
            join(run, i);
    find_fewer(run);
    if (match_lanes_check(run, error) < 0 || match_behind_check(run, error) < 0)
        return -1;
    follow_leaders(run->result);
    return find_extras(run, error);
}

int machine_match_run(struct match_result *result, const struct match_program *program,
                      const struct cubin_entry *entry, struct error *error)
{
    struct match_run run = {0};
    struct error why = {0};
    *result = (struct match_result){.count = program->site_count};
    result->verdicts = calloc(program->site_count + 1, sizeof *result->verdicts);
    if (!result->verdicts)
        return error_set(error, ERROR_MEMORY, "no memory for a comparison with the machine code");
    int failed = -1;
    if (entry->has_ptx_lines && match_parts_make(&run, program, entry, result, &why) == 0)
        failed = match_all(&run, &why);
    match_parts_free(&run);
    if (failed && why.kind == ERROR_MEMORY) {
        machine_match_free(result);
        return error_set(error, why.kind, "%s", why.text);
    }
    for (size_t i = 0; failed && i < program->site_count; i++)
        result->verdicts[i] = (struct match_verdict){.how = MATCH_UNKNOWN, .leader = (uint32_t)i};
    if (!failed)
        say_what_is_exact(result, program);
    return 0;
}

void machine_match_free(struct match_result *result)
{
    free(result->verdicts);
    free(result->extras);
    *result = (struct match_result){0};
}
