/* Lists one warp of a launch access by access, in the order of its program, after the launch was counted:
   what explain_make() answers. */
#pragma once

#include "kernels/model/explain.h"
#include "kernels/model/tracer.h"

class warp_listing final : public tracer
{
  public:
    /* `explain` says which warp, and takes the answer; NULL: the launch is counted, and nothing is listed. */
    warp_listing(const run &r, struct access *sums, struct explain *explain);

  private:
    void counted() override;
    void accessed(int site, const affine &byte_index) override;
    bool list_lanes(bool concrete);
    struct explain_access listed(const site &s) const;
    void describe_index(const site &s, char *text) const;

    struct explain *explain_;
    /* The warp's sites in the order of its program, how far the current lane is in it, and how many times the
       lane has done each instruction. */
    std::vector<int> order_;
    size_t reached_ = 0;
    int lane_ = -1; /* the lane that reached_ and done_ are of */
    std::vector<int64_t> done_;
};
