/* Adds up what the executor of PTX says of a launch, access by access, and lists one warp's. */
#pragma once

#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "kernels/model/warp_sums.h"
#include "kernels/source/source_kernel.h"
#include "kernels/source/source_machine.h"
#include "kernels/source/source_result.h"
#include "ptx/launch.h"

/* One thread uses an object at a time. What the constructor is given must outlive it. */
class access_counter
{
  public:
    /* `listed`: the warp to list, or NULL. `machine`: says how accesses are counted; NULL: as the PTX has them. */
    access_counter(const ptx_module *module, const source_kernel *kernel, const struct domain &domain,
                   const struct explain *listed, const source_machine *machine)
        : module_(module), kernel_(kernel), sums_(buffer_bytes(kernel, domain, module)), listed_(listed),
          machine_(machine), seen_(module->site_count)
    {
    }

    /* One warp instruction, in numbers or for a box of blocks. */
    void take(const ptx_access &access);
    /* Ends what take() was given since the last call, which is all of these blocks: each stands for `weight` ones. */
    void end_blocks(const box &blocks, double weight);
    /* Drops what take() was given since the last end_blocks(): a block that was not executed to its end. */
    void drop_block();
    /* Multiplies all counts, so that each executed block stands for `weight` blocks. `ended`: the weight that end_blocks() was
       given, by which what the blocks reach is multiplied already. */
    void scale(double weight, double ended);
    /* Drops everything. */
    void forget();
    /* Of each of the module's accesses what take() saw. */
    const source_machine_seen *seen() const { return seen_.data(); }
    /* Writes instructions, places, the listing and the sums. */
    void fill(source_count *count);
    const source_kernel *kernel() const { return kernel_; }
    bool too_many() const { return instructions_.size() > SOURCE_COUNT_INSTRUCTIONS; }

  private:
    static std::vector<int64_t> buffer_bytes(const source_kernel *kernel, const struct domain &domain,
                                             const ptx_module *module);
    int space_of(const ptx_access &access) const;
    void see(const ptx_access &access, int space); /* space: what space_of() returns for the access */
    source_machine_access counted_as(int site) const;
    int instruction(int site, int space);
    void list(const warp_access &access, const ptx_access &from, int instruction);
    const source_place &place_of(int site, int space);

    const ptx_module *module_;
    const source_kernel *kernel_;
    warp_sums sums_;
    const struct explain *listed_;
    const source_machine *machine_;
    std::vector<source_machine_seen> seen_;
    std::map<std::pair<int, int>, source_place> places_; /* by site and space */
    std::map<std::pair<int, int>, int> known_;           /* by site and space: index into instructions_ */
    std::vector<access_instruction> instructions_;
    std::vector<access_instruction> ended_; /* instructions_ at the last end_blocks() */
    std::vector<std::pair<int, int>> keys_; /* of each instruction */
    std::vector<explain_access> accesses_;
    std::vector<int64_t> times_; /* of each instruction, by the listed warp */
    /* Warps that access memory, as {block x, y, z, warp}. An access of a box of blocks has the first block of the box.
       end_blocks() clears it. */
    std::set<std::array<uint32_t, 4>> working_;
    double working_now_ = 0; /* number of these warps, in all blocks of their boxes */
    double working_all_ = 0; /* and of those before the last end_blocks() */
    int64_t accesses_all_ = 0;
    uint32_t active_ = 0;
};
