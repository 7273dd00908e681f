#include "api/device_choice.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/device_list.h"
#include "api/json_parts.h"
#include "api/problem.h"
#include "api/suggest.h"

static const char any_name[] = "any";

/* ---- reading ---- */

/* "sm_90", "sm_100a", or what a machine without a GPU says of itself. */
static bool arch_valid(const char *arch)
{
    static const char *const machines[] = {"cpu", "x86_64", "aarch64", "ppc64le", "riscv64"};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (strcmp(arch, machines[i]) == 0)
            return true;
    if (strncmp(arch, "sm_", 3) != 0)
        return false;
    size_t digits = strspn(arch + 3, "0123456789");
    const char *rest = arch + 3 + digits;
    return digits >= 2 && digits <= 3 && (!*rest || (islower((unsigned char)*rest) && !rest[1]));
}

static void read_arch(struct device_choice *choice, const json_t *value, const char *pointer,
                      struct problems *problems)
{
    if (json_is_string(value) && arch_valid(json_string_value(value)))
        snprintf(choice->arch, sizeof choice->arch, "%s", json_string_value(value));
    else
        problem_add(problems, pointer,
                    "must be an architecture, as \"sm_90\", \"cpu\", or a machine's, as \"x86_64\"");
}

static void read_product(struct device_choice *choice, const json_t *value, const char *pointer,
                         struct problems *problems)
{
    const char *name = json_string_value(value);
    if (name && name[0] && strlen(name) < sizeof choice->product)
        snprintf(choice->product, sizeof choice->product, "%s", name);
    else
        problem_add(problems, pointer, "must be a product's name, as GET /v1/devices tells it in name");
}

static void read_memory(struct device_choice *choice, const json_t *value, const char *pointer,
                        struct problems *problems)
{
    if (json_is_integer(value) && json_integer_value(value) >= 1)
        choice->memory_bytes = json_integer_value(value);
    else
        problem_add(problems, pointer, "must be a whole number of bytes, at least 1");
}

static void read_counters(struct device_choice *choice, const json_t *value, const char *pointer,
                          struct problems *problems)
{
    if (json_is_true(value))
        choice->counters = true;
    else
        problem_add(problems, pointer, "must be true, or be left out");
}

static const struct {
    const char *name;
    void (*read)(struct device_choice *choice, const json_t *value, const char *pointer,
                 struct problems *problems);
} conditions[] = {
    {"arch", read_arch}, {"name", read_product}, {"memory_bytes", read_memory}, {"counters", read_counters}};
enum { CONDITIONS = sizeof conditions / sizeof *conditions };

static void read_conditions(struct device_choice *choice, const json_t *object, const char *pointer,
                            struct problems *problems)
{
    const char *key;
    json_t *value;
    choice->kind = DEVICE_BY_CONDITIONS;
    if (!json_object_size(object))
        problem_add(problems, pointer,
                    "says nothing; it takes arch, name, memory_bytes and counters, and \"any\" is for any");
    json_object_foreach ((json_t *)object, key, value) {
        int i = 0;
        char at[64];
        struct suggestion meant;
        if (problems_full(problems))
            return;
        problem_pointer(at, sizeof at, pointer, key);
        suggest_begin(&meant, key);
        for (; i < CONDITIONS && strcmp(key, conditions[i].name) != 0; i++)
            suggest_consider(&meant, conditions[i].name);
        if (i < CONDITIONS)
            conditions[i].read(choice, value, at, problems);
        else
            problem_add(problems, at, "unknown field%s arch, name, memory_bytes and counters are known",
                        suggest_text(&meant));
    }
}

bool device_choice_parse(struct device_choice *choice, const char *text)
{
    *choice = (struct device_choice){.kind = DEVICE_BY_NUMBER};
    size_t digits = strspn(text, "0123456789");
    if (digits && digits < 10 && !text[digits]) {
        choice->number = strtol(text, NULL, 10);
        return true;
    }
    choice->kind = strcmp(text, any_name) == 0 ? DEVICE_ANY : DEVICE_BY_NAME;
    snprintf(choice->called, sizeof choice->called, "%s", choice->kind == DEVICE_ANY ? "" : text);
    return choice->kind == DEVICE_ANY || device_list_name_valid(text);
}

void device_choice_read(struct device_choice *choice, const json_t *value, const char *pointer,
                        struct problems *problems)
{
    int before = problems->count;
    const char *text = json_string_value(value);
    *choice = (struct device_choice){.kind = DEVICE_BY_NUMBER};
    if (json_is_integer(value))
        choice->number = json_integer_value(value);
    else if (json_is_object(value))
        read_conditions(choice, value, pointer, problems);
    else if (!text)
        problem_add(problems, pointer,
                    "must be an integer, the number of a device, or a device's name, or \"any\", or an "
                    "object of what "
                    "it must be, as {\"arch\": \"sm_90\"}; is %s",
                    json_parts_type(value));
    else if (!device_choice_parse(choice, text) || choice->kind == DEVICE_BY_NUMBER)
        problem_add(
            problems, pointer,
            choice->kind == DEVICE_BY_NUMBER
                ? "must be an integer, without quotes, or a device's name, which is never digits alone"
                : "must be \"any\" or a device's name, as GET /v1/devices tells it in device_name");
    if (problems->count != before)
        *choice = (struct device_choice){.kind = DEVICE_ANY};
}

void device_peer_read(struct device_choice *peer, const json_t *value, struct problems *problems)
{
    int before = problems->count;
    *peer = (struct device_choice){.kind = DEVICE_ANY};
    if (json_is_integer(value) || json_is_string(value))
        device_choice_read(peer, value, "#/peer", problems);
    if (problems->count == before && peer->kind == DEVICE_ANY)
        problem_add(problems, "#/peer", "must be the number or the name of one other device");
}

/* ---- who fits ---- */

/* Which condition the device does not meet, from `from` on; CONDITIONS: none. */
static int condition_missed(const struct device_choice *choice, const struct device_offer *offer, int from)
{
    const struct device_facts *facts = offer->facts;
    const bool missed[CONDITIONS] = {
        choice->arch[0] && strcmp(choice->arch, facts->arch) != 0 &&
            (strcmp(choice->arch, "cpu") != 0 || strcmp(facts->backend, "cpu") != 0),
        choice->product[0] && strcmp(choice->product, facts->name) != 0,
        (uint64_t)choice->memory_bytes > facts->memory_bytes,
        choice->counters && !offer->can_count,
    };
    while (from < CONDITIONS && !missed[from])
        from++;
    return from;
}

bool device_choice_open(const struct device_choice *choice)
{
    return choice->kind != DEVICE_BY_NUMBER && choice->kind != DEVICE_BY_NAME;
}

bool device_choice_match(const struct device_choice *choice, const struct device_offer *offer)
{
    if (choice->kind == DEVICE_BY_NUMBER)
        return choice->number == offer->number;
    if (choice->kind == DEVICE_BY_NAME)
        return strcmp(choice->called, offer->name) == 0;
    return choice->kind == DEVICE_ANY || (offer->facts && condition_missed(choice, offer, 0) == CONDITIONS);
}

/* "5 devices: 0 (h200-1), 1 (h200-2) and 3 more" */
static void offers_list(const struct device_offers *offers, char *text, size_t size)
{
    int listed = 0, told = 0;
    for (int i = 0; i < offers->count; i++)
        listed += offers->at[i].listed;
    snprintf(text, size, "%d device%s%s", listed, listed == 1 ? "" : "s", listed ? ": " : "");
    for (int i = 0; i < offers->count; i++) {
        size_t used = strlen(text);
        if (offers->at[i].listed && told < 4 && used + 90 < size)
            snprintf(text + used, size - used, "%s%d (%s)", told++ ? ", " : "", offers->at[i].number,
                     offers->at[i].name);
    }
    if (listed > told)
        snprintf(text + strlen(text), size - strlen(text), " and %d more", listed - told);
}

static void refuse_named(const struct device_choice *choice, const struct device_offers *offers,
                         const char *pointer, struct problems *problems)
{
    char asked[80], known[200];
    struct suggestion meant;
    offers_list(offers, known, sizeof known);
    if (choice->kind == DEVICE_BY_NUMBER)
        snprintf(asked, sizeof asked, "%lld", (long long)choice->number);
    else
        snprintf(asked, sizeof asked, "\"%s\"", choice->called);
    suggest_begin(&meant, choice->called);
    for (int i = 0; i < offers->count; i++) {
        if (device_choice_match(choice, &offers->at[i])) {
            problem_add(problems, pointer, "device %s is not in the list any more; that has %s", asked,
                        known);
            return;
        }
        suggest_consider(&meant, offers->at[i].name);
    }
    problem_add(problems, pointer, "there is no device %s%s this service has %s", asked,
                choice->kind == DEVICE_BY_NAME ? suggest_text(&meant) : ";", known);
}

/* Of the device that misses the fewest conditions, each with what it has. */
static void refuse_conditions(const struct device_choice *choice, const struct device_offers *offers,
                              const char *pointer, struct problems *problems)
{
    const struct device_offer *best = NULL;
    int least = CONDITIONS + 1, unknown = 0;
    char more[120] = "";
    for (int i = 0; i < offers->count; i++) {
        const struct device_offer *offer = &offers->at[i];
        int missed = 0;
        unknown += offer->listed && !offer->facts;
        if (offer->listed && choice->product[0] && strcmp(choice->product, offer->name) == 0)
            snprintf(more, sizeof more, "; for the device called so say \"device\": \"%s\"", offer->name);
        if (!offer->listed || !offer->facts)
            continue;
        for (int c = condition_missed(choice, offer, 0); c < CONDITIONS;
             c = condition_missed(choice, offer, c + 1))
            missed++;
        if (missed < least) {
            least = missed;
            best = offer;
        }
    }
    if (unknown && !more[0])
        snprintf(more, sizeof more, "; of %d others nothing is known yet", unknown);
    for (int c = condition_missed(choice, best, 0); c < CONDITIONS;
         c = condition_missed(choice, best, c + 1)) {
        char at[64], has[160];
        const char *const texts[CONDITIONS] = {best->facts->arch, best->facts->name, has,
                                               "none that it could read"};
        snprintf(has, sizeof has, "%llu bytes", (unsigned long long)best->facts->memory_bytes);
        problem_pointer(at, sizeof at, pointer, conditions[c].name);
        problem_add(problems, at, "no device of the list is all of this; the nearest, %d (%s), has %s%s",
                    best->number, best->name, texts[c], more);
    }
}

enum device_fit device_choice_find(const struct device_choice *choice, const struct device_offers *offers,
                                   const char *pointer, struct device_set *set, struct problems *problems)
{
    struct device_set known = {{0}}, unknown = {{0}}, told = {{0}};
    for (int i = 0; i < offers->count; i++) {
        const struct device_offer *offer = &offers->at[i];
        if (!offer->listed)
            continue;
        if (offer->facts)
            device_set_add(&told, offer->number);
        if (offer->facts && device_choice_match(choice, offer))
            device_set_add(&known, offer->number);
        if (!offer->facts && (choice->kind == DEVICE_BY_CONDITIONS || device_choice_match(choice, offer)))
            device_set_add(&unknown, offer->number);
    }
    *set = device_set_count(&known) ? known : unknown;
    if (device_set_count(&known))
        return DEVICE_FITS;
    bool conditional = choice->kind == DEVICE_BY_CONDITIONS;
    if (device_set_count(&unknown) && !(conditional && device_set_count(&told)))
        return DEVICE_UNKNOWN;
    if (conditional && device_set_count(&told))
        refuse_conditions(choice, offers, pointer, problems);
    else if (choice->kind == DEVICE_BY_NUMBER || choice->kind == DEVICE_BY_NAME)
        refuse_named(choice, offers, pointer, problems);
    else
        problem_add(problems, pointer, "no device in the list can be used");
    return DEVICE_REFUSED;
}

/* Why it cannot be run on that device, which is named where there are others. */
static void problems_say(struct problems *to, const struct problems *from, const struct device_offer *offer,
                         int candidates)
{
    for (int i = 0; i < from->count && i < EXPERIMENT_PROBLEMS; i++)
        if (candidates > 1)
            problem_add(to, from->at[i].pointer, "%s; of %d devices this is the nearest, %d (%s)",
                        from->at[i].detail, candidates, offer->number, offer->name);
        else
            problem_add(to, from->at[i].pointer, "%s", from->at[i].detail);
}

/* Fills in the uuid of the other device that the kernel needs, or says what is wrong with it. */
static void peer_resolve(struct experiment *experiment, const struct device_offers *offers,
                         struct problems *problems)
{
    const struct device_offer *peer = NULL;
    if (!experiment->kernel->peer || (!experiment->peer_given && experiment->peer_uuid[0]))
        return;
    for (int i = 0; i < offers->count && experiment->peer_given; i++)
        if (offers->at[i].listed && device_choice_match(&experiment->peer, &offers->at[i]))
            peer = &offers->at[i];
    if (!experiment->peer_given)
        problem_add(problems, "#/peer",
                    "is required by %s: the number or the name of another GPU of this machine",
                    experiment->kernel->name);
    else if (!peer && experiment->peer.kind != DEVICE_ANY) /* else it was told already */
        refuse_named(&experiment->peer, offers, "#/peer", problems);
    else if (peer && !peer->own)
        problem_add(problems, "#/peer", "must be a GPU of this machine, %s is not run by this program",
                    peer->name);
    else if (peer && !peer->facts)
        problem_add(problems, "#/peer", "%s has not said what it is yet; try again in a moment", peer->name);
    else if (peer)
        snprintf(experiment->peer_uuid, sizeof experiment->peer_uuid, "%s", peer->facts->uuid);
}

/* Can that device run it beside its peer? */
static void peer_check(const struct experiment *experiment, const struct device_offer *offer,
                       struct problems *problems)
{
    if (experiment->kernel->peer && experiment->peer_uuid[0] && !offer->own)
        problem_add(problems, "#/device", "must be a GPU of this machine, %s is not run by this program",
                    offer->name);
}

enum device_fit device_choice_resolve(struct experiment *experiment, const struct device_offers *offers,
                                      struct device_set *set, struct problems *problems)
{
    int before = problems->count;
    struct problems best = {.count = -1}, found;
    const struct device_offer *nearest = NULL;
    struct device_set chosen;
    peer_resolve(experiment, offers, problems);
    enum device_fit fit = device_choice_find(&experiment->device, offers, "#/device", &chosen, problems);
    *set = (struct device_set){{0}};
    if (fit != DEVICE_FITS) { /* all else that is wrong is told along with it */
        experiment_check(experiment, NULL, problems);
        *set = chosen;
        return problems->count == before ? DEVICE_UNKNOWN : DEVICE_REFUSED;
    }
    for (int i = 0; i < offers->count; i++) {
        struct experiment tried = *experiment;
        if (!device_set_has(&chosen, offers->at[i].number))
            continue;
        found.count = 0;
        peer_check(experiment, &offers->at[i], &found);
        if (experiment_check(&tried, offers->at[i].facts, &found) == 0 && !found.count) {
            if (!device_set_count(set))
                *experiment = tried;
            device_set_add(set, offers->at[i].number);
        } else if (!nearest || found.count < best.count) {
            best = found;
            nearest = &offers->at[i];
        }
    }
    if (device_set_count(set))
        return DEVICE_FITS;
    problems_say(problems, &best, nearest, device_set_count(&chosen));
    return DEVICE_REFUSED;
}
