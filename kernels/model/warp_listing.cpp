/* One warp, traced in its one block. A site of the listing is one access of the warp. */
#include "kernels/model/warp_listing.h"

#include <stdio.h>
#include <stdlib.h>

#include <string>

warp_listing::warp_listing(const run &r, struct access *sums, struct explain *explain)
    : tracer(r, sums), explain_(explain)
{
}

/* A new site is put behind what the lane did before, and before what stands further down in the body. */
void warp_listing::accessed(int index, const affine &byte_index)
{
    site &s = sites_[(size_t)index];
    if (lane_ != lane_of_warp_) {
        lane_ = lane_of_warp_;
        reached_ = 0;
        done_.clear();
    }
    for (int i = 0; i < 3; i++)
        s.c[s.lanes - 1] += byte_index.b[i] * box_.low[i];
    done_.resize(instructions_.size());
    int64_t &done = done_[(size_t)s.instruction];
    auto place = order_.begin() + (ptrdiff_t)reached_;
    if (s.lanes == 1) {
        s.time = done;
        while (place != order_.end() && sites_[(size_t)*place].instruction <= s.instruction)
            place++;
        place = order_.insert(place, index);
    } else {
        place = std::find(order_.begin(), order_.end(), index);
    }
    reached_ = (size_t)(place - order_.begin()) + 1;
    done += times_;
    access_instruction &i = instructions_[(size_t)s.instruction];
    i.times = std::max(i.times, done);
    explain_->active |= 1u << lane_of_warp_;
}

static void add_term(std::string &text, int64_t factor, const char *name)
{
    if (!factor)
        return;
    if (!text.empty())
        text += factor < 0 ? " - " : " + ";
    else if (factor < 0)
        text += "-";
    int64_t size = factor < 0 ? -factor : factor;
    if (size != 1 || !*name)
        text += std::to_string(size) + (*name ? " * " : "");
    text += name;
}

/* The element as a sum of multiples of the thread's coordinates, where that holds for all lanes of at
   least two. In global memory the factors follow from how the index moves from block to block; in shared
   and constant memory, where all blocks do the same, from the lanes. */
void warp_listing::describe_index(const site &s, char *text) const
{
    const shape &dim = what_.domain.block;
    const int64_t width[2] = {(int64_t)dim.x, (int64_t)dim.y};
    const int64_t each =
        (int64_t)access_element_bytes(what_.kernel, what_.dtype, &instructions_[(size_t)s.instruction]);
    bool line = what_.kernel->grid_dims == 1, global = s.space < SPACE_SHARED;
    int64_t factor[2] = {}, rest[WARP_LANES];
    auto thread = [&](int i, int axis) {
        int64_t t = explain_->warp * WARP_LANES + s.lane[i];
        return axis ? t / width[0] % width[1] : t % width[0];
    };
    if (s.lanes < 2 || !s.uniform || (!global && what_.kernel->block_dims > 1))
        return;
    for (int axis = 0; global && axis < 2; axis++) {
        if (s.b[axis] % (each * width[axis]) != 0)
            return;
        factor[axis] = s.b[axis] / (each * width[axis]);
    }
    if (!global && thread(1, 0) != thread(0, 0))
        factor[0] = (s.c[1] - s.c[0]) / each / (thread(1, 0) - thread(0, 0));
    if (!factor[0] && !factor[1])
        return;
    for (int i = 0; i < s.lanes; i++) {
        rest[i] = (s.c[i] - s.b[0] * box_.low[0] - s.b[1] * box_.low[1]) / each;
        rest[i] -= factor[0] * thread(i, 0) + factor[1] * thread(i, 1);
        if (rest[i] != rest[0])
            return;
    }
    std::string sum;
    add_term(sum, factor[1], "y");
    add_term(sum, factor[0], global ? (line ? "i" : "x") : "t");
    add_term(sum, rest[0], "");
    snprintf(text, EXPLAIN_INDEX_BYTES, "%s", sum.c_str());
}

explain_access warp_listing::listed(const site &s) const
{
    explain_access access = {};
    access.instruction = s.instruction;
    access.time = s.time;
    std::fill(access.first, access.first + WARP_LANES, -1);
    for (int i = 0; i < s.lanes; i++)
        access.first[s.lane[i]] = s.c[i];
    if (s.space == SPACE_SHARED)
        access.shared = pattern_shared(warp_sums::pattern_of(s));
    describe_index(s, access.index);
    return access;
}

/* Runs the body for the lanes of the warp: with block coordinates as symbols, which keep the text of an
   index, or as numbers. False: the body needs numbers. */
bool warp_listing::list_lanes(bool concrete)
{
    const int64_t *at = explain_->block;
    concrete_ = concrete;
    order_.clear();
    lane_ = -1;
    explain_->active = 0;
    for (access_instruction &i : instructions_)
        i.times = 0;
    try {
        trace_box((int)explain_->warp, {{at[0], at[1], at[2]}, {at[0] + 1, at[1] + 1, at[2] + 1}});
    } catch (const not_affine &) {
        reset_body();
        return false;
    }
    return true;
}

template <class T> static T *copy_of(const std::vector<T> &from)
{
    T *copy = (T *)calloc(from.size() + 1, sizeof(T));
    if (copy)
        std::copy(from.begin(), from.end(), copy);
    return copy;
}

void warp_listing::counted()
{
    if (!explain_)
        return;
    const shape &dim = what_.domain.block;
    std::vector<explain_access> accesses;
    listing_ = true;
    listed_times_most_ = explain_->times_max;
    if (!list_lanes(false))
        list_lanes(true);
    std::vector<int64_t> seen(instructions_.size());
    for (int index : order_) {
        site &s = sites_[(size_t)index];
        s.where = box_;
        if ((int)accesses.size() < explain_->accesses_max &&
            seen[(size_t)s.instruction]++ < explain_->times_max)
            accesses.push_back(listed(s));
    }
    explain_->accesses_all = 0;
    for (const access_instruction &i : instructions_)
        explain_->accesses_all += i.times;
    int64_t threads = (int64_t)(dim.x * dim.y * dim.z);
    explain_->lanes = (int)std::min<int64_t>(WARP_LANES, threads - explain_->warp * WARP_LANES);
    explain_->instruction_count = (int)instructions_.size();
    explain_->instructions = copy_of(instructions_);
    explain_->access_count = (int)accesses.size();
    explain_->accesses = copy_of(accesses);
    concrete_ = listing_ = false;
}
