/* What differs, in words; their Chinese is in web/reasons.js. {access} is a load, a store, an update; {asked} and {bytes} are
   bytes a lane, of the PTX and of the machine code; {copies} how many instructions. */
#include "ptx/match_text.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
static const char *const sentences[MATCH_HOW_COUNT] = {
    [MATCH_ONE] = "the {access} is the machine code's",
    [MATCH_JOINED] = "the machine code joins the {access} with its neighbours into one of {bytes} bytes",
    [MATCH_ONE_LANE] = "one lane does the {access} for all of its warp",
    [MATCH_CONSTANT] = "constant memory is in no count",
    [MATCH_REGISTERS] = "the compiler keeps in registers what the {access} is of",
    [MATCH_GONE] = "the machine code has no such {access}: its value is known from elsewhere, or it was merged with another one",
    [MATCH_NARROWER] = "the machine code's {access} is of {bytes} bytes, not of {asked}: the rest is not used",
    [MATCH_SPLIT] = "the machine code splits the {access} of {asked} bytes into several of {bytes}",
    [MATCH_WIDER] = "the machine code's {access} is of {bytes} bytes, not of {asked}: several rounds of a loop share it",
    [MATCH_MIXED] = "the {copies} copies of the {access} in the machine code have different widths",
    [MATCH_HOISTED] = "the machine code does the {access} outside of its loop",
    [MATCH_FEWER] = "the machine code does the {access} less often than what stands beside it",
    [MATCH_ALWAYS] = "the machine code does the {access} before the condition that it stands behind",
    [MATCH_BEHIND] = "the machine code does the {access} behind a condition that it stands before",
    [MATCH_REPLACED] = "the {access} is a loop of compare-and-swap in the machine code: how often it is tried depends on who comes first",
    [MATCH_APART] = "lanes that part here may meet elsewhere in the machine code, before or behind the {access}",
    [MATCH_UNKNOWN] = "it is not known what the machine code makes of the {access}",
};

static const char *const accesses[] = {
    [MACHINE_OTHER] = "access",
    [MACHINE_LOAD] = "load",
    [MACHINE_STORE] = "store",
    [MACHINE_ATOMIC] = "atomic",
    [MACHINE_REDUCTION] = "atomic",
    [MACHINE_SWAP] = "atomic",
    [MACHINE_COPY] = "copy",
};
/* clang-format on */

static void append(char *text, size_t bytes, const char *piece, size_t length)
{
    size_t used = strlen(text), left = bytes - used - 1;
    length = length < left ? length : left;
    memcpy(text + used, piece, length);
    text[used + length] = 0;
}

static void append_word(char *text, size_t bytes, const char *name, const struct match_site *site,
                        const struct match_verdict *verdict)
{
    char number[16];
    const char *word = accesses[site->kind];
    if (strncmp(name, "{access}", 8) != 0) {
        uint32_t value = strncmp(name, "{asked}", 7) == 0   ? site->bytes
                         : strncmp(name, "{bytes}", 7) == 0 ? verdict->bytes
                                                            : verdict->copies;
        snprintf(number, sizeof number, "%u", value);
        word = number;
    }
    append(text, bytes, word, strlen(word));
}

void match_text_write(const struct match_site *site, const struct match_verdict *verdict, char *text,
                      size_t bytes)
{
    const char *at = sentences[verdict->how];
    text[0] = 0;
    while (*at) {
        size_t plain = strcspn(at, "{");
        append(text, bytes, at, plain);
        at += plain;
        if (*at) {
            append_word(text, bytes, at, site, verdict);
            at += strcspn(at, "}") + 1;
        }
    }
}
