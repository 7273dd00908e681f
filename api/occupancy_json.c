#include "api/occupancy_json.h"

#include "api/json.h"

static json_t *limits_to_json(unsigned limited_by)
{
    json_t *limits = json_array();
    for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
        if (limited_by >> i & 1u)
            json_array_append_new(limits, json_string(occupancy_limit_name((enum occupancy_limit)i)));
    return limits;
}

/* Blocks that each limit alone would allow; null: it does not bind here, or is not known. */
static json_t *blocks_by_to_json(const struct occupancy *occupancy)
{
    json_t *object = json_object();
    for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++) {
        uint32_t blocks = occupancy->blocks_by[i];
        json_object_set_new(object, occupancy_limit_name((enum occupancy_limit)i),
                            blocks == OCCUPANCY_UNLIMITED ? json_null() : json_integer(blocks));
    }
    return object;
}

/* What CUDA says of a block that does not fit: by the first limit that it looks at. */
static const char *launch_error(const struct occupancy *occupancy)
{
    if (!occupancy->blocks_by[OCCUPANCY_THREADS])
        return "invalid configuration argument";
    if (!occupancy->blocks_by[OCCUPANCY_SHARED])
        return "invalid argument";
    return "too many resources requested for launch";
}

json_t *occupancy_to_json(const struct occupancy_case *question)
{
    const struct arch *arch = arch_find(question->arch);
    struct occupancy occupancy;
    struct error error = {0};
    if (!arch)
        return missing_to_json("unavailable", "the model does not know the architecture");
    bool known = question->registers_per_thread >= 0;
    struct occupancy_question asked = {
        .threads_per_block = (uint32_t)question->threads_per_block,
        .registers_per_thread = known ? (uint32_t)question->registers_per_thread : 0,
        .shared_bytes_per_block = question->shared_bytes_per_block,
        .grid_blocks = question->grid_blocks,
        .sms = question->sms,
    };
    if (occupancy_compute(arch, &asked, &occupancy, &error) < 0)
        return missing_to_json("unavailable", error.text);
    json_t *object = json_pack(
        "{s:s,s:o,s:i,s:i,s:i,s:o,s:o,s:o}", "arch", arch->name, "theoretical",
        number_to_json(occupancy.theoretical), "blocks_per_sm", (int)occupancy.blocks_per_sm, "warps_per_sm",
        (int)occupancy.warps_per_sm, "max_warps_per_sm", (int)arch->warps_per_sm, "limited_by",
        limits_to_json(occupancy.limited_by), "blocks_by", blocks_by_to_json(&occupancy),
        "registers_per_thread", known ? json_integer(question->registers_per_thread) : json_null());
    if (!occupancy.blocks_per_sm)
        json_object_set_new(object, "launch_error", json_string(launch_error(&occupancy)));
    if (occupancy.waves) {
        json_object_set_new(object, "waves", json_integer((json_int_t)occupancy.waves));
        json_object_set_new(object, "last_wave_fill", number_to_json(occupancy.last_wave_fill));
    }
    /* Dependent arithmetic: warps that hide the latency of a register, where a figure can be cited. */
    if (arch->register_latency_cycles)
        json_object_set_new(
            object, "warps_to_hide_register_latency",
            json_integer((json_int_t)occupancy_warps_to_hide(arch, arch->register_latency_cycles, 1)));
    return object;
}
