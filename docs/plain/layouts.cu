/* Array of structures and structure of arrays. In the service: aos, soa. */
#include "plain.cuh"

struct pair {
    float x, y;
};

__global__ void aos(const pair *in, pair *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i].x = in[i].x + 10;
        out[i].y = in[i].y + 20;
    }
}

__global__ void soa(const float *in_x, const float *in_y, float *out_x, float *out_y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out_x[i] = in_x[i] + 10;
        out_y[i] = in_y[i] + 20;
    }
}

int main()
{
    const int n = 1 << 25;
    float *in = numbers<float>(2 * n), *out = numbers<float>(2 * n);
    for (int block : {64, 128, 256, 512})
        std::printf("block %4d: aos %6.1f us, soa %6.1f us\n", block,
                    median_us([=] { aos<<<n / block, block>>>((pair *)in, (pair *)out, n); }),
                    median_us([=] { soa<<<n / block, block>>>(in, in + n, out, out + n, n); }));
}
