/* The median time of a launch with empty caches, microseconds, with what two events take. */
#pragma once
#include <algorithm>
#include <vector>
/* launch: starts the kernel once. flush: 256 MB of device memory, overwritten before each of the 61 launches, of which the
   last 50 count. */
template <class F> double median_us(F launch, float *flush)
{
    std::vector<float> all;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int k = 0; k < 61; k++) {
        cudaMemsetAsync(flush, k, 256 << 20);
        cudaEventRecord(begin);
        launch();
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms;
        cudaEventElapsedTime(&ms, begin, end);
        if (k > 10)
            all.push_back(ms * 1e3f);
    }
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}
