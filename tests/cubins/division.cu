/* Divisions whose operands decide which code they execute. Made with: nvcc -arch=sm_90 -cubin -o division.cubin division.cu */
extern "C" __global__ void divide_f32(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] / 3.0f;
}

extern "C" __global__ void divide_f64(double *out, const double *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] / 3.0;
}

extern "C" __global__ void roots_f32(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = sqrtf(in[i]) + 1.0f / in[i];
}

extern "C" __global__ void divide_s64(long long *out, const long long *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] / n;
}
