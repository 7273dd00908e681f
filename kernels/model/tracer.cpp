/* The tracer: boxes of blocks in which all comparisons have one outcome, and the sums over them. */
#include "kernels/model/tracer.h"

#include <math.h>
#include <string.h>

#include <algorithm>

static thread_local tracer *current;

/* Accesses that are traced of a grid whose indices are not affine, about: blocks are sampled evenly. */
static const uint64_t accesses_traced = 1 << 18;

bool affine_is_negative(const affine &d)
{
    return current->negative(d);
}

static std::vector<int64_t> buffer_bytes(const run &r)
{
    std::vector<int64_t> bytes;
    bytes.reserve((size_t)r.kernel->buffer_count);
    for (int b = 0; b < r.kernel->buffer_count; b++)
        bytes.push_back(
            (int64_t)(r.kernel->elements(&r.domain, b) * kernel_element_bytes(r.kernel, b, r.dtype)));
    return bytes;
}

tracer::tracer(const run &r, struct access *sums) : what_(r), sums_(sums), counts_(buffer_bytes(r)) {}

void tracer::reset_body()
{
    inside_ = false;
    weight_ = 1;
    times_ = 1;
    iteration_ = 0;
}

affine tracer::block(int axis) const
{
    int64_t further = axis == 0 ? iteration_ * (int64_t)what_.grid.x : 0;
    if (concrete_)
        return affine(box_.low[axis] + further);
    return affine(further, axis == 0, axis == 1, axis == 2);
}

/* The outcome at the box's first block is the answer. Then each axis is cut where the outcome would change,
   with the axes before it at their worst. The box that remains contains the first block. */
bool tracer::negative(const affine &d)
{
    int64_t value = d.c;
    for (int i = 0; i < 3; i++)
        value += d.b[i] * box_.low[i];
    bool outcome = value < 0;
    int64_t worst = outcome ? value : -1 - value; /* stays below 0 */
    for (int i = 0; i < 3; i++) {
        int64_t step = outcome ? d.b[i] : -d.b[i];
        int64_t span = box_.high[i] - 1 - box_.low[i];
        if (step <= 0 || span == 0)
            continue;
        if (worst + step * span >= 0) {
            span = (-1 - worst) / step;
            box_.high[i] = box_.low[i] + span + 1;
        }
        worst += step * span;
    }
    return outcome;
}

static int width_of(unsigned bytes)
{
    int width = 0;
    while (bytes >>= 1)
        width++;
    return width;
}

/* The instruction that the lane is at: a known one, or `made`, which is added. Returns its index. */
int tracer::instruction(int kind, const access_instruction &made)
{
    std::vector<int> &known = instruction_of_[kind];
    size_t number = (size_t)number_[(size_t)kind]++;
    if (number == known.size()) {
        known.push_back((int)instructions_.size());
        instructions_.push_back(made);
    }
    return known[number];
}

void tracer::access(access_kind what, int space, unsigned bytes, const affine &byte_index)
{
    if (virtual_ && !inside_)
        return;
    int kind =
        ((inside_ * ACCESS_KINDS + what) * TRACED_SPACES + traced_space(space)) * WIDTHS + width_of(bytes);
    size_t ordinal = (size_t)ordinal_[(size_t)kind]++;
    int known = instruction(kind, {what, space, bytes, {}, {}, 0});
    noted_++;
    if (ordinal == site_of_[kind].size()) {
        site_of_[kind].push_back((int)sites_.size());
        sites_.emplace_back();
        site &s = sites_.back();
        s.instruction = known;
        s.kind = what;
        s.space = space;
        s.uniform = true;
        s.bytes = bytes;
        s.weight = weight_;
        s.lanes = 0;
        memcpy(s.b, byte_index.b, sizeof s.b);
    }
    site &s = sites_[(size_t)site_of_[kind][ordinal]];
    s.uniform = s.uniform && memcmp(s.b, byte_index.b, sizeof s.b) == 0;
    s.lane[s.lanes] = lane_of_warp_;
    s.c[s.lanes++] = byte_index.c;
    if (listing_)
        accessed(site_of_[kind][ordinal], byte_index);
}

void tracer::count_site(site &s)
{
    /* Lanes that move apart from block to block, or addresses in shared memory that depend on the block. */
    if (!s.uniform || (s.space == SPACE_SHARED && (s.b[0] || s.b[1] || s.b[2])))
        throw not_affine();
    s.where = box_;
    counts_.count(s, s.weight, instructions_[(size_t)s.instruction]);
    counts_.reach_add(s, s.weight);
}

/* Called when all warps of these blocks are traced; each block is counted `weight` times. */
void tracer::end_blocks(const box &blocks, double weight)
{
    counts_.end_blocks(blocks, weight);
    of_all_.add(of_grid_, weight);
    of_grid_ = {};
}

/* Traces the part of the box in which all lanes of the warp have one outcome for each comparison, which box_ is
   afterwards; the rest of the box goes to waiting_. */
void tracer::trace_box(int warp, const box &wanted)
{
    const shape &dim = what_.domain.block;
    int64_t threads = (int64_t)(dim.x * dim.y * dim.z), begin = (int64_t)warp * WARP_LANES;
    box_ = wanted;
    of_box_ = {};
    sites_.clear();
    for (auto &kind : site_of_)
        kind.clear();
    for (int64_t t = begin; t < std::min(begin + WARP_LANES, threads); t++) {
        lane_of_warp_ = (int)(t - begin);
        lane_ = {t % (int64_t)dim.x, t / (int64_t)dim.x % (int64_t)dim.y, t / (int64_t)(dim.x * dim.y)};
        ordinal_.fill(0);
        number_.fill(0);
        body_(*this);
    }
    box rest = wanted;
    for (int i = 0; i < 3; i++) { /* the part beyond the box in this axis, whole in the axes after it */
        if (box_.high[i] < wanted.high[i]) {
            rest.low[i] = box_.high[i];
            waiting_.push_back(rest);
        }
        rest.low[i] = box_.low[i];
        rest.high[i] = box_.high[i];
    }
}

void tracer::trace_warp(int warp, const box &all)
{
    waiting_.assign(1, all);
    while (!waiting_.empty()) {
        box next = waiting_.back();
        waiting_.pop_back();
        trace_box(warp, next);
        sums_->boxes++;
        for (site &s : sites_)
            count_site(s);
        of_grid_.add(of_box_, (double)box_.blocks());
    }
}

void tracer::forget_instructions(size_t from)
{
    instructions_.resize(from);
    for (std::vector<int> &known : instruction_of_)
        while (!known.empty() && (size_t)known.back() >= from)
            known.pop_back();
}

int tracer::warps() const
{
    const shape &dim = what_.domain.block;
    return (int)((dim.x * dim.y * dim.z + WARP_LANES - 1) / WARP_LANES);
}

/* Adds the instructions of one grid: in boxes where everything is affine, else block by block. */
void tracer::trace_grid()
{
    size_t before = instructions_.size();
    uint64_t boxes = sums_->boxes;
    const box all = {{0, 0, 0}, {(int64_t)grid_.x, (int64_t)grid_.y, (int64_t)grid_.z}};
    try {
        trace_block(all);
        end_blocks(all, 1);
    } catch (const not_affine &) {
        reset_body();
        sums_->boxes = boxes;
        of_grid_ = {};
        counts_.forget();
        forget_instructions(before);
        trace_block_by_block(before);
    }
}

void tracer::trace(void (*body)(tracer &))
{
    const shape &dim = what_.domain.block;
    tracer *before = current;
    body_ = body;
    current = this;
    *sums_ = {};
    sums_->exact = true;
    grid_ = what_.grid;
    if (what_.kernel->grid_stride) {
        uint64_t width = what_.domain.block.x, need = what_.kernel->cover(&what_.domain).x;
        virtual_ = true;
        grid_.x = (need + width - 1) / width;
        trace_grid();
        virtual_ = false;
        grid_ = what_.grid;
    }
    trace_grid();
    access_add_up(sums_, instructions_.data(), instructions_.size());
    if (sums_->atomic.requests || waits_)
        sums_->exact = false;
    counts_.reached(sums_);
    double threads = (double)(what_.grid.x * what_.grid.y * what_.grid.z) * (double)(dim.x * dim.y * dim.z);
    sums_->has_dependent_loads = has_dependent_loads_;
    sums_->steps = of_all_.steps / threads;
    sums_->barriers = of_all_.barriers / threads;
    counted();
    current = before;
}

box tracer::block_at(int64_t block) const
{
    int64_t x = (int64_t)grid_.x, y = (int64_t)grid_.y, at[3] = {block % x, block / x % y, block / (x * y)};
    return {{at[0], at[1], at[2]}, {at[0] + 1, at[1] + 1, at[2] + 1}};
}

void tracer::trace_block(const box &block)
{
    for (int warp = 0; warp < warps(); warp++)
        trace_warp(warp, block);
}

/* True when the block accesses anything. Counts nothing. */
bool tracer::block_works(const box &block)
{
    uint64_t before = noted_;
    for (int warp = 0; warp < warps(); warp++)
        trace_box(warp, block);
    std::swap(before, noted_);
    return before != noted_;
}

/* How many blocks from the first one on work in each axis: a request's grid may be far larger than its size
   needs. */
shape tracer::working_grid()
{
    uint64_t length[3] = {grid_.x, grid_.y, grid_.z};
    for (int axis = 0; axis < 3; axis++) {
        int64_t works = 0, idle = (int64_t)length[axis];
        for (int64_t at = idle - 1; idle - works > 1; at = works + (idle - works) / 2) {
            box block = block_at(0);
            block.low[axis] = at;
            block.high[axis] = at + 1;
            (block_works(block) ? works : idle) = at;
        }
        length[axis] = (uint64_t)idle;
    }
    return {length[0], length[1], length[2]};
}

/* Counts the accesses of the first block, then traces as many blocks as accesses_traced allows, evenly spread.
   A lane without accesses counts as one access, as it takes time too. `from` is the first instruction of this
   grid. */
void tracer::trace_block_by_block(size_t from)
{
    const shape given = grid_;
    concrete_ = true;
    noted_ = 0;
    trace_block(block_at(0));
    uint64_t of_block = std::max(noted_, (uint64_t)warps() * WARP_LANES);
    if (noted_)
        grid_ = working_grid();
    int64_t blocks = (int64_t)(grid_.x * grid_.y * grid_.z);
    int64_t traced = std::min<int64_t>(blocks, 1 + (int64_t)(accesses_traced / of_block));
    const double each = (double)blocks / (double)traced;
    end_blocks(block_at(0), each);
    for (int64_t i = 1; i < traced; i++) {
        const box block = block_at((int64_t)((__int128)i * blocks / traced));
        trace_block(block);
        end_blocks(block, each);
    }
    grid_ = given;
    concrete_ = false;
    sums_->exact = false;
    for (size_t i = from; i < instructions_.size(); i++) {
        access_instruction sampled = instructions_[i];
        instructions_[i].global = {};
        instructions_[i].shared = {};
        warp_sums_add(instructions_[i], sampled, each);
    }
}
