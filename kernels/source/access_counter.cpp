/* From accesses to sums by instruction. */
#include "kernels/source/access_counter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "kernels/source/access_line.h"

/* Variables of the module stand behind the arguments, as far as there are spaces for them. */
std::vector<int64_t> access_counter::buffer_bytes(const source_kernel *kernel, const struct domain &domain,
                                                  const ptx_module *module)
{
    std::vector<int64_t> bytes;
    bytes.reserve(KERNEL_BUFFERS);
    for (int b = 0; b < kernel->kernel.buffer_count; b++)
        bytes.push_back(
            (int64_t)(kernel->kernel.elements(&domain, b) * kernel->kernel.buffers[b].element_bytes));
    for (unsigned v = 0; v < module->variable_count && bytes.size() < KERNEL_BUFFERS; v++)
        bytes.push_back((int64_t)module->variables[v].bytes);
    return bytes;
}

/* -1: not counted here. */
int access_counter::space_of(const ptx_access &access) const
{
    switch (access.space) {
    case PTX_GLOBAL:
        return access.buffer < 0 ? -1 : std::min<int>(access.buffer, KERNEL_BUFFERS - 1);
    case PTX_SHARED:
        return SPACE_SHARED;
    case PTX_CONST:
        return SPACE_CONSTANT;
    default:
        return -1;
    }
}

void access_counter::see(const ptx_access &access, int space)
{
    source_machine_seen &seen = seen_[(size_t)access.site];
    for (uint32_t left = access.mask; left; left &= left - 1) {
        uint32_t place = (uint32_t)access.address[__builtin_ctz(left)];
        if (!seen.executed)
            seen = {true, place, 0, space < 0 ? 0 : place_of(access.site, space).line};
        seen.varies |= place ^ seen.place;
    }
    for (int i = 0; i < 3; i++)
        seen.varies |= (uint32_t)access.step[i];
}

source_machine_access access_counter::counted_as(int site) const
{
    return machine_ ? *source_machine_access_of(machine_, site)
                    : source_machine_access{false, module_->sites[site].bytes, 0};
}

int access_counter::instruction(int site, int space)
{
    auto [at, made] = known_.try_emplace({site, space}, (int)instructions_.size());
    if (made) {
        const ptx_site &s = module_->sites[site];
        static const access_kind kinds[] = {ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC};
        instructions_.push_back({kinds[s.kind], space, counted_as(site).bytes, {}, {}, 0});
        keys_.push_back(at->first);
        times_.push_back(0);
    }
    return at->second;
}

void access_counter::take(const ptx_access &from)
{
    int space = space_of(from);
    source_machine_access as = counted_as(from.site);
    if (!from.mask)
        return;
    see(from, space);
    if (working_.insert({from.block[0], from.block[1], from.block[2], from.warp}).second)
        working_now_ += (double)from.extent[0] * from.extent[1] * from.extent[2];
    if (space < 0 || as.joined)
        return;
    warp_access access;
    int number = instruction(from.site, space);
    access.kind = instructions_[(size_t)number].kind;
    access.space = space;
    access.bytes = as.bytes;
    access.lanes = 0;
    int64_t base = space < KERNEL_BUFFERS ? (int64_t)ptx_launch_address((unsigned)from.buffer) : 0;
    for (int i = 0; i < 3; i++) {
        access.where.low[i] = from.block[i];
        access.where.high[i] = (int64_t)from.block[i] + from.extent[i];
        access.b[i] = from.step[i];
        base += from.step[i] * from.block[i];
    }
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (from.mask >> lane & 1) {
            access.c[access.lanes] = (int64_t)from.address[lane] + as.moved - base;
            access.lane[access.lanes++] = lane;
        }
    sums_.count(access, 1, instructions_[(size_t)number]);
    sums_.reach_add(access, 1);
    if (listed_)
        list(access, from, number);
}

/* Whether the access is of that line, or was joined from it. */
static bool is_of_line(const source_place &place, int line)
{
    return place.line == line || place.joined[0] == line || place.joined[1] == line;
}

/* Adds the access to the listing if the listed warp does it: its block lies in the box, and its line is the one asked
   for. */
void access_counter::list(const warp_access &access, const ptx_access &from, int number)
{
    int64_t further = 0;
    if (from.warp != (unsigned)listed_->warp ||
        (listed_->line && !is_of_line(place_of(from.site, access.space), listed_->line)))
        return;
    for (int i = 0; i < 3; i++) {
        if (listed_->block[i] < access.where.low[i] || listed_->block[i] >= access.where.high[i])
            return;
        further += access.b[i] * listed_->block[i];
    }
    explain_access one = {};
    one.instruction = number;
    one.time = times_[(size_t)number]++;
    accesses_all_++;
    std::fill(one.first, one.first + WARP_LANES, -1);
    for (int i = 0; i < access.lanes; i++)
        one.first[access.lane[i]] = std::max<int64_t>(0, access.c[i] + further);
    active_ |= from.mask;
    if (access.space == SPACE_SHARED) {
        warp_access alone = access;
        alone.where = {{0, 0, 0}, {1, 1, 1}};
        one.shared = pattern_shared(warp_sums::pattern_of(alone));
    }
    if (one.time < listed_->times_max && (int)accesses_.size() < listed_->accesses_max)
        accesses_.push_back(one);
}

void access_counter::end_blocks(const box &blocks, double weight)
{
    sums_.end_blocks(blocks, weight);
    working_all_ += working_now_;
    working_now_ = 0;
    working_.clear();
    ended_ = instructions_;
}

void access_counter::drop_block()
{
    sums_.forget();
    working_now_ = 0;
    working_.clear();
    for (size_t i = 0; i < instructions_.size(); i++) {
        instructions_[i].global = i < ended_.size() ? ended_[i].global : decltype(instructions_[i].global){};
        instructions_[i].shared = i < ended_.size() ? ended_[i].shared : decltype(instructions_[i].shared){};
    }
}

void access_counter::scale(double weight, double ended)
{
    working_all_ *= weight;
    sums_.scale(weight / ended);
    for (access_instruction &i : instructions_) {
        access_instruction counted = i;
        i.global = {};
        i.shared = {};
        warp_sums_add(i, counted, weight);
    }
}

void access_counter::forget()
{
    working_.clear();
    working_now_ = working_all_ = 0;
    sums_.forget();
    known_.clear();
    instructions_.clear();
    ended_.clear();
    keys_.clear();
    accesses_.clear();
    times_.clear();
    accesses_all_ = 0;
    active_ = 0;
    seen_.assign(seen_.size(), {});
}

/* Looks it up once: it takes a search through the source. */
const source_place &access_counter::place_of(int site, int space)
{
    const auto known = places_.find({site, space});
    if (known != places_.end())
        return known->second;
    const ptx_position position = ptx_module_position(module_, &module_->sites[site].position);
    source_place &place = places_[{site, space}];
    int variable = space - kernel_->kernel.buffer_count;
    if (space < kernel_->kernel.buffer_count)
        snprintf(place.array, sizeof place.array, "%s", kernel_->kernel.buffers[space].name);
    else if (space < KERNEL_BUFFERS && variable < (int)module_->variable_count)
        snprintf(place.array, sizeof place.array, "%s", module_->variables[variable].name);
    place.ptx_line = position.ptx_line;
    const ptx_position at = access_line_find(kernel_, position, place.array, place.joined);
    place.line = std::max(0, at.line);
    place.column = std::max(0, at.column);
    return place;
}

template <class T> static T *copy_of(const std::vector<T> &from)
{
    T *copy = (T *)calloc(from.size() + 1, sizeof(T));
    if (copy)
        std::copy(from.begin(), from.end(), copy);
    return copy;
}

/* Instructions in the order of the PTX, whatever was executed first. */
void access_counter::fill(source_count *count)
{
    count->access.working_warps = working_all_;
    std::vector<int> order, rank(instructions_.size());
    std::vector<access_instruction> sorted;
    std::vector<source_place> places;
    for (const auto &[key, number] : known_) {
        rank[(size_t)number] = (int)order.size();
        order.push_back(number);
    }
    for (int number : order) {
        sorted.push_back(instructions_[(size_t)number]);
        sorted.back().times = times_[(size_t)number];
        places.push_back(place_of(keys_[(size_t)number].first, keys_[(size_t)number].second));
    }
    for (explain_access &access : accesses_)
        access.instruction = rank[(size_t)access.instruction];
    count->instruction_count = (int)sorted.size();
    count->instructions = copy_of(sorted);
    count->places = copy_of(places);
    count->listed.instruction_count = count->instruction_count;
    count->listed.instructions = count->instructions;
    count->listed.access_count = (int)accesses_.size();
    count->listed.accesses = copy_of(accesses_);
    count->listed.accesses_all = accesses_all_;
    count->listed.active = active_;
    sums_.reached(&count->access);
    access_add_up(&count->access, sorted.data(), sorted.size());
}
