/* Fills the templates, in both languages. */
#include "kernels/time/reasons.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/time/reasons_templates.h"

enum { WORDS = 40, WORD_BYTES = 256 };
enum language { EN, ZH, LANGUAGES };

/* The values of the words in braces, in both languages. */
struct reason_words {
    int count;
    struct {
        const char *name;
        char text[LANGUAGES][WORD_BYTES];
    } at[WORDS];
};

/* ---- words ---- */

static void add_text(struct reason_words *words, const char *name, const char *en, const char *zh)
{
    snprintf(words->at[words->count].text[EN], WORD_BYTES, "%s", en);
    snprintf(words->at[words->count].text[ZH], WORD_BYTES, "%s", zh);
    words->at[words->count++].name = name;
}

static void add_pair(struct reason_words *words, const char *name, struct text_pair text)
{
    add_text(words, name, text.en, text.zh ? text.zh : text.en);
}

/* Formats with three digits; without decimals where there are more, or where the value is whole. */
static void number_text(double value, char text[32])
{
    double size = fabs(value);
    bool whole = size >= 99.95 || value == floor(value);
    snprintf(text, 32, whole ? "%.0f" : size >= 9.995 ? "%.1f" : "%.2f", value);
    if (size > 0 && size < 0.01)
        snprintf(text, 32, "%.2g", value);
}

static void add_number(struct reason_words *words, const char *name, double value)
{
    char text[32];
    number_text(value, text);
    add_text(words, name, text, text);
}

/* Formats a count; in millions (English) or ten thousands (Chinese) where it is large. */
static void add_count(struct reason_words *words, const char *name, double value)
{
    char en[48], zh[48], text[32];
    if (value < 1e6) {
        add_number(words, name, value);
        return;
    }
    number_text(value / 1e6, text);
    snprintf(en, sizeof en, "%s million", text);
    number_text(value / 1e4, text);
    snprintf(zh, sizeof zh, "%s 万", text);
    add_text(words, name, en, zh);
}

static void add_percent(struct reason_words *words, const char *name, double part)
{
    char text[32];
    const bool least = part > 0 && 100 * part < 0.01;
    snprintf(text, sizeof text, 100 * part < 1 ? "%.1g" : "%.0f", 100 * part);
    add_text(words, name, least ? "less than 0.01" : text, least ? "不到 0.01" : text);
}

static void add_bytes(struct reason_words *words, const char *name, double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    char text[32], with_unit[48];
    int unit = 0;
    for (; bytes >= 999.5 && unit < 4; unit++)
        bytes /= 1000;
    number_text(bytes, text);
    snprintf(with_unit, sizeof with_unit, "%s %s", text, units[unit]);
    add_text(words, name, with_unit, with_unit);
}

static const char *word_find(const struct reason_words *words, const char *name, size_t length,
                             enum language language)
{
    for (int i = 0; i < words->count; i++)
        if (strlen(words->at[i].name) == length && memcmp(words->at[i].name, name, length) == 0)
            return words->at[i].text[language];
    return NULL;
}

/* Appends the template, which is of that language, to `out`, of `size` bytes. */
static void fill(char *out, size_t size, enum language language, const char *template,
                 const struct reason_words *words)
{
    size_t used = strlen(out);
    for (const char *at = template; *at && used + 1 < size;) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        if (!end) {
            out[used++] = *at++;
            out[used] = '\0';
            continue;
        }
        const char *text = word_find(words, at + 1, (size_t)(end - at - 1), language);
        snprintf(out + used, size - used, "%s", text ? text : "{?}");
        used += strlen(out + used);
        at = end + 1;
        if (used && *at == ' ' && (unsigned char)out[used - 1] >= 0x80) /* "3408 万个" */
            at++;
    }
}

static void append(struct reasons *reasons, struct text_pair template, const struct reason_words *words)
{
    fill(reasons->en, sizeof reasons->en, EN, template.en, words);
    fill(reasons->zh, sizeof reasons->zh, ZH, template.zh, words);
}

/* ---- texts ---- */

/* The latency of a busy DRAM, or L2, at which needed_bytes have to be in flight. */
static double loaded_ns(const struct time_prediction *p)
{
    double dram = p->calibration->constant[CALIBRATION_DRAM_LATENCY].value;
    double idle = p->latency_ns < dram ? p->calibration->constant[CALIBRATION_L2_LATENCY].value : dram;
    return idle * (1 + p->calibration->constant[CALIBRATION_QUEUE].value);
}

/* The part of TIME_LATENCY that loads cause; the rest are instructions, barriers, and the change of
   blocks. */
static double load_waits_us(const struct time_prediction *p)
{
    return p->rounds * p->waits * p->latency_ns * 1e-3;
}

/* Returns true if most of TIME_LATENCY is spent on other things than loads. */
static bool waits_for_few_loads(const struct time_prediction *p)
{
    return load_waits_us(p) <= p->bound[TIME_LATENCY].us / 2;
}

/* Returns true if most of TIME_ISSUE is spent on words of constant memory, not on instructions. */
static bool issues_constant_words(const struct time_prediction *p)
{
    return p->constant_words_us > p->bound[TIME_ISSUE].us / 2;
}

/* TIME_DRAM includes the time of stores that stay in the L2. Where they are most of it, they are named as the limit, not
   DRAM. Where blocks wait little for loads, the latency of memory is not named. */
static struct text_pair bound_name(const struct time_prediction *p, enum time_bound bound)
{
    if (bound == TIME_DRAM && p->dram_dirty_us > p->bound[TIME_DRAM].us / 2)
        return stays_name;
    if (bound == TIME_ISSUE && issues_constant_words(p))
        return constant_words_name;
    return bound == TIME_LATENCY && waits_for_few_loads(p) ? other_waits_name : bound_names[bound];
}

/* Returns how many warps the busiest multiprocessor holds at a time: as many as fit, or fewer if the launch has
   fewer blocks. */
static double warps_there(const struct time_prediction *p)
{
    double blocks = fmin(p->blocks_per_sm, ceil(p->places * p->blocks_per_sm - 1e-9));
    return p->warps_per_sm / p->blocks_per_sm * blocks;
}

static void words_of(const struct time_prediction *p, struct reason_words *words)
{
    const struct time_amount *limit = &p->bound[p->limiter], *second = &p->bound[p->second];
    const struct time_amount *dram = &p->bound[TIME_DRAM];
    add_pair(words, "limiter", bound_name(p, p->limiter));
    add_pair(words, "second", bound_name(p, p->second));
    add_text(words, "unit", limit->unit, limit->unit);
    add_number(words, "total_us", p->us);
    add_number(words, "floor_us", p->floor_us);
    add_number(words, "ramp_us", p->ramp_us);
    add_number(words, "limit_us", limit->us);
    add_number(words, "second_us", second->us);
    add_count(words, "amount", limit->amount);
    add_count(words, "ceiling", limit->ceiling);
    add_number(words, "each_ns", 1e3 / limit->ceiling);
    add_count(words, "allowed", floor(limit->ceiling * second->us));
    add_number(words, "gbps", p->calibration->constant[CALIBRATION_BANDWIDTH].value);
    add_number(words, "moved_us", dram->us - p->dram_opened_us - p->dram_dirty_us);
    add_number(words, "opened_us", p->dram_opened_us);
    add_number(words, "dirty_us", p->dram_dirty_us);
    add_number(words, "words_us", p->constant_words_us);
    add_number(words, "dram_us", dram->us);
    add_percent(words, "dram_pct", (dram->us - p->dram_dirty_us) / p->us);
    add_bytes(words, "read", p->dram_read_bytes);
    add_bytes(words, "written", p->dram_write_bytes);
    add_bytes(words, "in_flight", p->in_flight_bytes);
    add_bytes(words, "needed", p->needed_bytes);
    add_number(words, "more", p->needed_bytes / p->in_flight_bytes);
    add_number(words, "loaded_ns", loaded_ns(p));
    add_number(words, "wait_us", load_waits_us(p));
    add_number(words, "latency_ns", p->latency_ns);
    add_number(words, "wait_ns", p->bound[TIME_LATENCY].us * 1e3 / (p->rounds * p->waits));
    add_number(words, "rounds", p->rounds);
    add_number(words, "waits", p->waits);
    add_number(words, "warps", p->warps_per_sm);
    add_number(words, "warps_there", warps_there(p));
    add_percent(words, "places_pct", p->places);
}

/* When needed_bytes are more than so many times in_flight_bytes, the text names the chain of waits
   instead. */
static const double chain_times = 8;
/* When the fixed part of the time is more than this, the text says so. */
static const double much = 0.25;
/* When it is more than this, the text names what limits the rest with its time
   alone. */
static const double nearly_all = 0.9;

/* If the blocks of the launch fill less than this part of the places for resident blocks, more blocks are advised. */
static const double places_filled = 0.9;

/* When more than this part of DRAM's time is that of stores that stay in the L2, a text about another limiter says
   so. */
static const double stays_part = 0.05;

/* When more than this part of DRAM's time is not spent moving bytes, the text says so. */
static const double not_moved = 0.005;

/* The templates of a limiter, and of what would have to change. */
struct telling {
    const struct text_pair *fact, *remedy;
};

static struct telling telling_of(const struct time_prediction *p)
{
    if (p->limiter == TIME_L2 && strcmp(p->bound[TIME_L2].unit, time_unit_slice) == 0)
        return (struct telling){&slice, &slice_remedy};
    if (p->limiter == TIME_L2 && strcmp(p->bound[TIME_L2].unit, time_unit_back) == 0)
        return (struct telling){&back, &back_remedy};
    if (p->limiter == TIME_DRAM && p->dram_opened_us + p->dram_dirty_us > not_moved * p->bound[TIME_DRAM].us)
        return fmin(p->dram_opened_us, p->dram_dirty_us) > not_moved / 5 * p->bound[TIME_DRAM].us
                   ? (struct telling){&dram_both, &dram_opens_remedy}
               : p->dram_opened_us > p->dram_dirty_us ? (struct telling){&dram_opens, &dram_opens_remedy}
                                                      : (struct telling){&dram_dirty, &remedies[TIME_DRAM]};
    if (p->limiter == TIME_ISSUE && issues_constant_words(p))
        return (struct telling){&constant_words, &constant_words_remedy};
    if (p->limiter != TIME_LATENCY)
        return (struct telling){&facts[p->limiter], &remedies[p->limiter]};
    const struct arch *arch = arch_find(p->calibration->arch);
    const bool full = arch && p->warps_per_sm >= arch->warps_per_sm, few = p->places < places_filled;
    if (waits_for_few_loads(p))
        return (struct telling){&rounds_only, few    ? &few_rounds_remedy
                                              : full ? &full_rounds_remedy
                                                     : &rounds_remedy};
    if (p->needed_bytes <= p->in_flight_bytes || p->needed_bytes > chain_times * p->in_flight_bytes)
        return (struct telling){&chain, few ? &few_chain_remedy : full ? &full_chain_remedy : &chain_remedy};
    if (few)
        return (struct telling){&facts[TIME_LATENCY], &few_remedy};
    return (struct telling){&facts[TIME_LATENCY], full ? &full_remedy : &remedies[TIME_LATENCY]};
}

void reasons_make(const struct time_prediction *p, struct reasons *reasons)
{
    struct reason_words words = {0};
    reasons->en[0] = reasons->zh[0] = '\0';
    if (p->why_not.en) {
        add_pair(&words, "why_not", p->why_not);
        append(reasons, no_prediction, &words);
        return;
    }
    struct telling telling = telling_of(p);
    words_of(p, &words);
    double fixed = p->floor_us + p->ramp_us;
    if (fixed > p->us * much)
        append(reasons, mostly_fixed, &words);
    if (fixed > p->us * nearly_all) {
        append(reasons, the_rest, &words);
        return;
    }
    append(reasons, p->close ? limited_close : limited, &words);
    append(reasons, *telling.fact, &words);
    if (p->limiter != TIME_DRAM && p->dram_dirty_us > stays_part * p->bound[TIME_DRAM].us)
        append(reasons, stays_too, &words);
    if (!p->close)
        append(reasons, *telling.remedy, &words);
}

void reasons_no_constants(const char *device, struct reasons *reasons)
{
    struct reason_words words = {0};
    reasons->en[0] = reasons->zh[0] = '\0';
    add_text(&words, "device", device, device);
    append(reasons, no_constants, &words);
}

void reasons_change(const char *field, const char *from, const char *to, const struct time_prediction *now,
                    const struct time_prediction *then, struct reasons *reasons)
{
    struct reason_words words = {0};
    reasons->en[0] = reasons->zh[0] = '\0';
    add_text(&words, "field", field, field);
    add_text(&words, "from", from, from);
    add_text(&words, "to", to, to);
    add_number(&words, "total_us", now->us);
    add_number(&words, "then_us", then->us);
    add_percent(&words, "ratio_pct", then->us / now->us);
    add_pair(&words, "limiter", bound_name(then, then->limiter));
    append(reasons, changed, &words);
}

static const struct text_pair *unit_name_of(const struct counted_limiter *counted)
{
    if (counted->busiest == TIME_DRAM && counted->way)
        return &way_name;
    if (counted->busiest == TIME_L2 && counted->slice)
        return &slice_name;
    return &unit_names[counted->busiest];
}

void reasons_counted(const struct counted_limiter *counted, struct reasons *reasons)
{
    struct reason_words words = {0};
    reasons->en[0] = reasons->zh[0] = '\0';
    if (counted->answer != COUNTED_NO_CASE) {
        add_pair(&words, "unit_name", *unit_name_of(counted));
        add_percent(&words, "busiest_pct", counted->share[counted->busiest]);
    }
    append(reasons, counted_texts[counted->answer], &words);
}
