/* Finds the devices that fit an experiment, or says of the nearest one why it does not. */
#include "api/device_fit.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "api/device_choice.h"
#include "api/experiment_json.h"
#include "api/problem.h"
#include "api/experiment_request.h"
#include "api/suggest.h"
#include "kernels/source/source_kernel.h"

/* Conditions of a request's "device". */
enum { CONDITION_ARCH, CONDITION_NAME, CONDITION_MEMORY, CONDITION_COUNTERS, CONDITIONS };
static const char *const condition_names[CONDITIONS] = {"arch", "name", "memory_bytes", "counters"};

/* The conditions that the device does not meet, a bit each. */
static unsigned conditions_missed(const struct device_choice *choice, const struct device_offer *offer)
{
    const struct device_facts *facts = offer->facts;
    const bool missed[CONDITIONS] = {
        choice->arch[0] && strcmp(choice->arch, facts->arch) != 0 &&
            (strcmp(choice->arch, "cpu") != 0 || strcmp(facts->backend, "cpu") != 0),
        choice->product[0] && strcmp(choice->product, facts->name) != 0,
        (uint64_t)choice->memory_bytes > facts->memory_bytes,
        choice->counters && !offer->can_count,
    };
    unsigned bits = 0;
    for (int i = 0; i < CONDITIONS; i++)
        bits |= (unsigned)missed[i] << i;
    return bits;
}

/* False for conditions as long as the device's facts are not known. */
static bool choice_matches(const struct device_choice *choice, const struct device_offer *offer)
{
    if (choice->kind == DEVICE_BY_NUMBER)
        return choice->number == offer->number;
    if (choice->kind == DEVICE_BY_NAME)
        return strcmp(choice->called, offer->name) == 0;
    return choice->kind == DEVICE_ANY || (offer->facts && !conditions_missed(choice, offer));
}

/* "5 devices: 0 (h200-1), 1 (h200-2) and 3 more" */
static void offers_list(const struct device_offers *offers, char *text, size_t size)
{
    int listed = 0, shown = 0;
    for (int i = 0; i < offers->count; i++)
        listed += offers->at[i].listed;
    snprintf(text, size, "%d device%s%s", listed, listed == 1 ? "" : "s", listed ? ": " : "");
    for (int i = 0; i < offers->count; i++) {
        size_t used = strlen(text);
        if (offers->at[i].listed && shown < 4 && used + 90 < size)
            snprintf(text + used, size - used, "%s%d (%s)", shown++ ? ", " : "", offers->at[i].number,
                     offers->at[i].name);
    }
    if (listed > shown)
        snprintf(text + strlen(text), size - strlen(text), " and %d more", listed - shown);
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
        if (choice_matches(choice, &offers->at[i])) {
            problem_add(problems, pointer, "device %s is not in the list any more; that has %s", asked,
                        known);
            return;
        }
        suggest_consider(&meant, offers->at[i].name);
    }
    problem_add(problems, pointer, "there is no device %s%s this service has %s", asked,
                choice->kind == DEVICE_BY_NAME ? suggest_text(&meant) : ";", known);
}

int device_fit_check_named(const json_t *device, const struct device_offers *offers,
                           struct problems *problems)
{
    int before = problems->count;
    size_t count = json_is_array(device) ? json_array_size(device) : device != NULL;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_is_array(device) ? json_array_get(device, i) : device;
        char pointer[64] = "#/device";
        struct device_choice choice;
        struct problems unread = {.count = 0};
        bool listed = false;
        if (json_is_array(device))
            snprintf(pointer, sizeof pointer, "#/device/%zu", i);
        device_choice_read(&choice, value, pointer, &unread);
        for (int k = 0; k < offers->count; k++)
            listed |= offers->at[k].listed && choice_matches(&choice, &offers->at[k]);
        if (!listed && !device_choice_open(&choice))
            refuse_named(&choice, offers, pointer, problems);
    }
    return problems->count == before ? 0 : -1;
}

/* Names each condition that the nearest device misses, with what it has. */
static void refuse_conditions(const struct device_choice *choice, const struct device_offers *offers,
                              const char *pointer, struct problems *problems)
{
    const struct device_offer *best = NULL;
    int unknown = 0;
    unsigned missed = 0; /* by the best */
    char hint[120] = "";
    for (int i = 0; i < offers->count; i++) {
        const struct device_offer *offer = &offers->at[i];
        if (!offer->listed)
            continue;
        if (choice->product[0] && strcmp(choice->product, offer->name) == 0)
            snprintf(hint, sizeof hint, "; for the device called so say \"device\": \"%s\"", offer->name);
        unknown += !offer->facts;
        unsigned bits = offer->facts ? conditions_missed(choice, offer) : 0;
        if (offer->facts && (!best || __builtin_popcount(bits) < __builtin_popcount(missed))) {
            missed = bits;
            best = offer;
        }
    }
    if (unknown && !hint[0])
        snprintf(hint, sizeof hint, "; of %d others nothing is known yet", unknown);
    for (int c = 0; best && c < CONDITIONS; c++) {
        char at[64], has[160];
        const char *const texts[CONDITIONS] = {best->facts->arch, best->facts->name, has,
                                               "none that it could read"};
        snprintf(has, sizeof has, "%llu bytes", (unsigned long long)best->facts->memory_bytes);
        problem_pointer(at, sizeof at, pointer, condition_names[c]);
        if (missed >> c & 1u)
            problem_add(problems, at, "no device of the list is all of this; the nearest, %d (%s), has %s%s",
                        best->number, best->name, texts[c], hint);
    }
}

/* The listed devices that are chosen; where none is known, those that may be. */
static enum device_fit choice_find(const struct device_choice *choice, const struct device_offers *offers,
                                   const char *pointer, struct device_set *set, struct problems *problems)
{
    struct device_set known = {{0}}, unknown = {{0}};
    bool facts = false; /* of any listed device */
    for (int i = 0; i < offers->count; i++) {
        const struct device_offer *offer = &offers->at[i];
        if (!offer->listed)
            continue;
        facts |= offer->facts != NULL;
        if (offer->facts && choice_matches(choice, offer))
            device_set_add(&known, offer->number);
        if (!offer->facts && (choice->kind == DEVICE_BY_CONDITIONS || choice_matches(choice, offer)))
            device_set_add(&unknown, offer->number);
    }
    *set = device_set_count(&known) ? known : unknown;
    if (device_set_count(&known))
        return DEVICE_FITS;
    bool conditional = choice->kind == DEVICE_BY_CONDITIONS;
    if (device_set_count(&unknown) && !(conditional && facts))
        return DEVICE_UNKNOWN;
    if (conditional && facts)
        refuse_conditions(choice, offers, pointer, problems);
    else if (choice->kind == DEVICE_BY_NUMBER || choice->kind == DEVICE_BY_NAME)
        refuse_named(choice, offers, pointer, problems);
    else
        problem_add(problems, pointer, "no device in the list can be used");
    return DEVICE_REFUSED;
}

/* Copies what is wrong on the nearest device, which is named where there are several. */
static void problems_copy(struct problems *to, const struct problems *from, const struct device_offer *offer,
                          int candidates)
{
    for (int i = 0; i < from->count && i < EXPERIMENT_PROBLEMS; i++)
        if (candidates > 1)
            problem_add(to, from->at[i].pointer, "%s; of %d devices this is the nearest, %d (%s)",
                        from->at[i].detail, candidates, offer->number, offer->name);
        else
            problem_add(to, from->at[i].pointer, "%s", from->at[i].detail);
}

/* Sets the uuid of the other device that the kernel needs, or adds what is wrong with the choice. */
static void peer_resolve(struct experiment *experiment, const struct device_offers *offers,
                         struct problems *problems)
{
    const struct device_offer *peer = NULL;
    if (!experiment->kernel->peer || (!experiment->peer_given && experiment->peer_uuid[0]))
        return;
    for (int i = 0; i < offers->count && experiment->peer_given; i++)
        if (offers->at[i].listed && choice_matches(&experiment->peer, &offers->at[i]))
            peer = &offers->at[i];
    if (!experiment->peer_given)
        problem_add(problems, "#/peer",
                    "is required by %s: the number or the name of another GPU of this machine",
                    source_kernel_spoken(experiment->kernel));
    else if (!peer && experiment->peer.kind != DEVICE_ANY) /* else it was shown already */
        refuse_named(&experiment->peer, offers, "#/peer", problems);
    else if (peer && !peer->own)
        problem_add(problems, "#/peer", "must be a GPU of this machine, %s is not run by this program",
                    peer->name);
    else if (peer && !peer->facts)
        problem_add(problems, "#/peer", "%s has not said what it is yet; try again in a moment", peer->name);
    else if (peer)
        snprintf(experiment->peer_uuid, sizeof experiment->peer_uuid, "%s", peer->facts->uuid);
}

/* A kernel of two devices runs on devices of this machine only. */
static void peer_check(const struct experiment *experiment, const struct device_offer *offer,
                       struct problems *problems)
{
    if (experiment->kernel->peer && experiment->peer_uuid[0] && !offer->own)
        problem_add(problems, "#/device", "must be a GPU of this machine, %s is not run by this program",
                    offer->name);
}

/* What exists as source alone runs where its PTX is interpreted. */
static void interpreter_check(const struct experiment *experiment, const struct device_offer *offer,
                              struct problems *problems)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): the facts of each offer have a backend */
    if (source_kernel_of(experiment->kernel) && strcmp(offer->facts->backend, "cpu") != 0)
        problem_add(problems, "#/device",
                    "must be a CPU device, which interprets a source; %s runs the kernels of the suite alone",
                    offer->name);
}

enum device_fit device_fit_find(struct experiment *experiment, const struct device_offers *offers,
                                struct device_set *set, struct problems *problems)
{
    int before = problems->count;
    struct problems best = {.count = -1}, found;
    const struct device_offer *nearest = NULL;
    struct device_set chosen;
    peer_resolve(experiment, offers, problems);
    enum device_fit fit = choice_find(&experiment->device, offers, "#/device", &chosen, problems);
    *set = (struct device_set){{0}};
    if (fit != DEVICE_FITS) { /* all else that is wrong is shown along with it */
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
        interpreter_check(experiment, &offers->at[i], &found);
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
    problems_copy(problems, &best, nearest, device_set_count(&chosen));
    return DEVICE_REFUSED;
}

bool device_fit_select(const char *request, const struct device_offers *offers, struct device_set *set,
                       bool *open)
{
    struct request_kernels kernels = {.count = 0};
    struct experiment_request asked;
    struct problems problems = {0};
    bool read = experiment_request_read_text(&asked, &kernels, request, &(struct error){0}) == 0;
    *open = read && device_choice_open(&asked.experiment.device);
    bool fits = read && device_fit_find(&asked.experiment, offers, set, &problems) == DEVICE_FITS;
    if (!fits)
        *set = (struct device_set){{0}};
    request_kernels_clear(&kernels);
    return fits;
}
