/* What tests/unit/test_cubin.c and test_machine_match.c read the machine code of. Made anew, in this folder, by

     nvcc -ptx -lineinfo -arch=sm_90 tiled.cu, in the text the folders taken out of .file, and
     ptxas -lineinfo -arch=sm_90 -o tiled.cubin tiled.ptx */
enum { TILE = 16 };

extern "C" __global__ void tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        as[y][x] = a[row * n + t + x];
        bs[y][x] = b[(t + y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

/* A divergent loop, which the compiler unrolls. */
extern "C" __global__ void triangle(const float *in, float *out)
{
    float sum = 0;
    for (unsigned j = 0; j <= threadIdx.x; j++)
        sum += in[j];
    out[threadIdx.x] = sum;
}

/* A compare-and-swap loop, and a reduction of one lane for all. */
extern "C" __global__ void atomics(const float *in, float *out, unsigned *count)
{
    __shared__ float sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[threadIdx.x]);
    atomicAdd(count, 1u);
    __syncthreads();
    out[threadIdx.x] = sum;
}
