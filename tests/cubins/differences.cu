/* What tests/rules/test_machine_match.py has the compiler make: in each kernel the machine code differs from the PTX in one
   way, or in none. */
extern "C" __global__ void narrow_x(const float4 *in, float *out)
{
    float4 v = in[threadIdx.x];
    out[threadIdx.x] = v.x;
}
extern "C" __global__ void narrow_xy(const float4 *in, float *out)
{
    float4 v = in[threadIdx.x];
    out[threadIdx.x] = v.x + v.y;
}
extern "C" __global__ void narrow_xw(const float4 *in, float *out)
{
    float4 v = in[threadIdx.x];
    out[threadIdx.x] = v.x + v.w;
}
extern "C" __global__ void whole_xyz(const float4 *in, float *out)
{
    float4 v = in[threadIdx.x];
    out[threadIdx.x] = v.x + v.y + v.z;
}
extern "C" __global__ void joined(const float *in, float *out)
{
    __shared__ float s[512];
    s[2 * threadIdx.x] = in[threadIdx.x];
    s[2 * threadIdx.x + 1] = in[threadIdx.x + 1];
    __syncthreads();
    float *at = s + 4 * (threadIdx.x & 31);
    out[threadIdx.x] = at[0] + at[1] + at[2] + at[3];
}
extern "C" __global__ void plain(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}
extern "C" __global__ void stride(const float *in, float *out, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}
extern "C" __global__ void uniform_loop(const float *in, float *out, unsigned n)
{
    float sum = 0;
    for (unsigned j = 0; j < n; j++)
        sum += in[j * 32 + threadIdx.x];
    out[threadIdx.x] = sum;
}
extern "C" __global__ void triangle(const float *in, float *out)
{
    float sum = 0;
    for (unsigned j = 0; j <= threadIdx.x; j++)
        sum += in[j];
    out[threadIdx.x] = sum;
}
extern "C" __global__ void swap_loop(const float *in, float *out)
{
    __shared__ float s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, in[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = s;
}
extern "C" __global__ void one_lane(unsigned *count)
{
    atomicAdd(count, 1u);
}
extern "C" __global__ void each_lane(unsigned *count)
{
    atomicAdd(count + threadIdx.x, 1u);
}
extern "C" __global__ void cas(unsigned *count)
{
    atomicCAS(count + threadIdx.x, 1u, 2u);
}
extern "C" __global__ void local_array(const int *in, int *out)
{
    int a[8];
    for (int k = 0; k < 8; k++)
        a[k] = in[k * 32 + threadIdx.x];
    out[threadIdx.x] = a[in[threadIdx.x] & 7];
}
__constant__ float table[64];
extern "C" __global__ void constant(float *out)
{
    out[threadIdx.x] = table[threadIdx.x & 63] + table[3];
}
extern "C" __global__ void __launch_bounds__(1024, 2) spilled(const float *in, float *out)
{
    float v[48];
#pragma unroll
    for (int k = 0; k < 48; k++)
        v[k] = in[k * 1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 48; k++)
        out[k * 1024 + threadIdx.x] = v[k] * v[(k * 7 + 3) % 48];
}
