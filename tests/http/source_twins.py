"""Kernels of the suite as plain CUDA: what the service predicts of the source must be what it predicts of the suite's kernel.

A row: the suite's request, the source, its arguments and its own members."""

def buffer(name, elements, kind="f32"):
    return {"name": name, "type": kind, "elements": elements}


def scalar(name, kind="u32"):
    return {"name": name, "type": kind}


ONE = "unsigned i = blockIdx.x * blockDim.x + threadIdx.x;"
TWO = "unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;"


def kernel(parameters, body):
    return f'extern "C" __global__ void k({parameters})\n{{\n{body}\n}}\n'


N = 100000  # no multiple of a block
ROWS, COLUMNS = 300, 700

TWINS = {
    "copy": ({"kernel": "copy", "size": N}, kernel("const float *A, float *C, unsigned n", f"{ONE} if (i < n) C[i] = A[i];"),
             [buffer("A", "n"), buffer("C", "n"), scalar("n")], {"n": N}),
    "read_offset": ({"kernel": "read_offset", "size": N, "offset": 11},
                    kernel("const float *A, const float *B, float *C, unsigned n, unsigned offset",
                           f"{ONE} unsigned k = i + offset; if (k < n) C[i] = A[k] + B[k];"),
                    [buffer("A", "n"), buffer("B", "n"), buffer("C", "n"), scalar("n"), scalar("offset")], {"n": N, "offset": 11}),
    "write_offset": ({"kernel": "write_offset", "size": N, "offset": 11},
                     kernel("const float *A, const float *B, float *C, unsigned n, unsigned offset",
                            f"{ONE} unsigned k = i + offset; if (k < n) C[k] = A[i] + B[i];"),
                     [buffer("A", "n"), buffer("B", "n"), buffer("C", "n"), scalar("n"), scalar("offset")], {"n": N, "offset": 11}),
    "strided": ({"kernel": "strided", "size": N, "stride": 3},
                kernel("const float *A, float *C, unsigned n, unsigned stride", f"{ONE} if (i < n) C[i] = A[i * stride];"),
                [buffer("A", "(n - 1) * stride + 1"), buffer("C", "n"), scalar("n"), scalar("stride")], {"n": N, "stride": 3}),
    "aos": ({"kernel": "aos", "size": N},
            kernel("const volatile float *in, float *out, unsigned n",
                   f"{ONE} if (i < n) {{ float x = in[2 * i], y = in[2 * i + 1]; out[2 * i] = x + 10; out[2 * i + 1] = y + 20; }}"),
            [buffer("in", "2 * n"), buffer("out", "2 * n"), scalar("n")], {"n": N}),
    "aos_aligned": ({"kernel": "aos_aligned", "size": N},
                    kernel("const float2 *in, float2 *out, unsigned n",
                           f"{ONE} if (i < n) {{ float2 p = in[i]; out[i] = make_float2(p.x + 10, p.y + 20); }}"),
                    [buffer("in", "n", "f32x2"), buffer("out", "n", "f32x2"), scalar("n")], {"n": N}),
    "soa": ({"kernel": "soa", "size": N},
            kernel("const float *x, const float *y, float *u, float *v, unsigned n",
                   f"{ONE} if (i < n) {{ float a = x[i], b = y[i]; u[i] = a + 10; v[i] = b + 20; }}"),
            [buffer("x", "n"), buffer("y", "n"), buffer("u", "n"), buffer("v", "n"), scalar("n")], {"n": N}),
    "transpose_naive": ({"kernel": "transpose", "size": [ROWS, COLUMNS], "how": "naive_row", "block": [32, 8]},
                        kernel("const float *A, float *C, unsigned rows, unsigned columns",
                               f"{TWO} if (x < columns && y < rows) C[x * rows + y] = A[y * columns + x];"),
                        [buffer("A", "rows * columns"), buffer("C", "rows * columns"), scalar("rows"), scalar("columns")],
                        {"rows": ROWS, "columns": COLUMNS, "block": [32, 8]}),
    "transpose_padded": ({"kernel": "transpose", "size": [ROWS, COLUMNS], "how": "padded", "block": [32, 32]},
                         kernel("const float *A, float *C, unsigned rows, unsigned columns",
                                f"""__shared__ float tile[32][33];
    {TWO}
    if (x < columns && y < rows)
        tile[threadIdx.y][threadIdx.x] = A[y * columns + x];
    __syncthreads();
    unsigned u = blockIdx.x * 32 + threadIdx.y, v = blockIdx.y * 32 + threadIdx.x;
    if (u < columns && v < rows)
        C[u * rows + v] = tile[threadIdx.x][threadIdx.y];"""),
                         [buffer("A", "rows * columns"), buffer("C", "rows * columns"), scalar("rows"), scalar("columns")],
                         {"rows": ROWS, "columns": COLUMNS, "block": [32, 32]}),
    "transpose_shared": ({"kernel": "transpose", "size": [ROWS, COLUMNS], "how": "shared", "block": [32, 32]},
                         kernel("const float *A, float *C, unsigned rows, unsigned columns",
                                f"""__shared__ float tile[32][32];
    {TWO}
    if (x < columns && y < rows)
        tile[threadIdx.y][threadIdx.x] = A[y * columns + x];
    __syncthreads();
    unsigned u = blockIdx.x * 32 + threadIdx.y, v = blockIdx.y * 32 + threadIdx.x;
    if (u < columns && v < rows)
        C[u * rows + v] = tile[threadIdx.x][threadIdx.y];"""),
                         [buffer("A", "rows * columns"), buffer("C", "rows * columns"), scalar("rows"), scalar("columns")],
                         {"rows": ROWS, "columns": COLUMNS, "block": [32, 32]}),
    "sum_matrix_row": ({"kernel": "sum_matrix_2d", "size": [ROWS, COLUMNS], "order": "row", "block": [16, 16]},
                       kernel("const int *A, const int *B, int *C, unsigned rows, unsigned columns",
                              f"{TWO} unsigned i = y * columns + x; if (x < columns && y < rows) C[i] = A[i] + B[i];"),
                       [buffer("A", "rows * columns", "i32"), buffer("B", "rows * columns", "i32"), buffer("C", "rows * columns", "i32"),
                        scalar("rows"), scalar("columns")], {"rows": ROWS, "columns": COLUMNS, "block": [16, 16]}),
    "sum_matrix_column": ({"kernel": "sum_matrix_2d", "size": [ROWS, COLUMNS], "order": "column", "block": [32, 8]},
                          kernel("const int *A, const int *B, int *C, unsigned rows, unsigned columns",
                                 f"{TWO} unsigned i = x * columns + y; if (x < rows && y < columns) C[i] = A[i] + B[i];"),
                          [buffer("A", "rows * columns", "i32"), buffer("B", "rows * columns", "i32"),
                           buffer("C", "rows * columns", "i32"), scalar("rows"), scalar("columns")],
                          {"rows": ROWS, "columns": COLUMNS, "block": [32, 8]}),
    "stencil": ({"kernel": "stencil", "size": N, "radius": 1},
                kernel("const float *A, float *C, unsigned n", f"{ONE} if (i < n) C[i] = A[i] - 2 * A[i + 1] + A[i + 2];"),
                [buffer("A", "n + 2"), buffer("C", "n"), scalar("n")], {"n": N}),
    "copy_width_2": ({"kernel": "copy_width", "size": 65536, "width": 2},
                     kernel("const float2 *A, float2 *C, unsigned n", f"{ONE} if (i < n) C[i] = A[i];"),
                     [buffer("A", "n", "f32x2"), buffer("C", "n", "f32x2"), scalar("n")], {"n": 32768}),
    "copy_f64": ({"kernel": "copy", "size": N, "dtype": "f64"},
                 kernel("const double *A, double *C, unsigned n", f"{ONE} if (i < n) C[i] = A[i];"),
                 [buffer("A", "n", "f64"), buffer("C", "n", "f64"), scalar("n")], {"n": N}),
    "copy_u8": ({"kernel": "copy_width", "size": N, "dtype": "u8", "width": 1},
                kernel("const unsigned char *A, unsigned char *C, unsigned n", f"{ONE} if (i < n) C[i] = A[i];"),
                [buffer("A", "n", "u8"), buffer("C", "n", "u8"), scalar("n")], {"n": N}),
}
