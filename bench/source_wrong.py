"""Kernels with a fault each, for source_faults.py and tests/http: WRONG has, by name, (source, arguments, members of a launch).

The lines at which the fault may be told end in `//!`: of a race those of both accesses, of a barrier those where threads wait. A
name is the kind of the fault and a number. NOTED are right or harmless: nothing but a note may be said of them."""
from source_kernels import buffer, scalar

HEAD = "    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;"
HEAD_2D = "    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;"
TYPES = {"float": "f32", "double": "f64", "unsigned char": "u8", "short": "i16", "float4": "f32x4", "int2": "i32x2", "unsigned": "u32",
         "long long": "i64"}
WRONG = {}
NOTED = {}


def put(kind, body, a="n", c="n", a_type="float", c_type=None, n=1000, block=128, grid=None, before="", a_fill=None, c_role=None,
        head=HEAD, into=WRONG, **more):
    """A kernel from A to C, of n elements each; the grid covers n."""
    c_type = c_type or a_type
    source = (f'{before}extern "C" __global__ void k(const {a_type} *A, {c_type} *C, unsigned n)\n{{\n{head}\n'
              + "\n".join("    " + line for line in body.strip("\n").split("\n")) + "\n}\n")
    assert ("//!" in source) == (into is WRONG), body
    arguments = [buffer("A", a, TYPES[a_type], **({"fill": a_fill} if a_fill else {})),
                 buffer("C", c, TYPES[c_type], **({"role": c_role, "fill": "zero"} if c_role else {})), scalar("n")]
    name = f"{kind}_{1 + sum(other.rpartition('_')[0] == kind for other in into)}"
    into[name] = source, arguments, {"n": n, "block": block, "grid": grid or -(-n // block), **more}


def lines_of(source):
    """Where the fault may be told."""
    return [number for number, line in enumerate(source.split("\n"), 1) if line.rstrip().endswith("//!")]


def each(kind, bodies, **more):
    for body in bodies:
        put(kind, body, **more)


def outside():
    for c_type in list(TYPES)[:6]:
        # nvcc makes one copy of two of a structure, and gives it the line of the second.
        put("load_above", f"{c_type} v = A[i]; //!\nC[i] = v;{' //!' if c_type[-1].isdigit() else ''}", c=1024, a_type=c_type)
        put("store_above", f"{c_type} v = A[i];\nC[i] = v; //!", a=1024, a_type=c_type)
    for guard in ("i <= n", "i < n + 1", "i - 1 < n", "!(i > n)"):
        put("guard_above", f"if ({guard})\n    C[i] = A[i]; //!", a="n + 1" if "- 1" in guard else "n")
    for c_type in ("int", "long long"):
        for k in (1, 3, 33):
            put("load_below", f"{c_type} j = i;\nif (i < n)\n    C[i] = A[j - {k}]; //!")
    put("store_below", "int j = i;\nif (i < n)\n    C[j - 1] = A[j]; //!")
    put("store_below", "if (i < n)\n    C[(int)(n - 1) - (int)(2 * i)] = A[i]; //!")
    put("index_wraps", "if (i < n)\n    C[i] = A[i - 1]; //!")
    put("index_wraps", "if (i < n)\n    C[i] = A[n - 2 - i]; //!")
    each("called", ("if (i < n)\n    C[i] = fetched(A, i);", "if (i <= n / 2)\n    C[i] = fetched(A, 2 * i);"),
         before="__device__ __noinline__ float fetched(const float *p, unsigned i)\n{\n    return p[i] + p[i + 1]; //!\n}\n")
    each("called", ("if (i < n)\n    C[i] = fetched(A, i); ",),
         before="__device__ __forceinline__ float fetched(const float *p, unsigned i)\n{\n    return p[i + 1]; //!\n}\n")
    put("member", "if (i < n)\n    C[i] = ((const pair *)A)[i].y; //!", before="struct pair {\n    float x, y;\n};\n")
    for c_type in ("float", "double", "unsigned char"):
        put("reversed", f"if (i < n) {{\n    {c_type} v = A[n - i]; //!\n    C[i] = v;\n}}", a_type=c_type)
        put("reversed", f"if (i < n) {{\n    {c_type} v = A[i];\n    C[n - i] = v; //!\n}}", a_type=c_type)
    for right in ("A[i + 1]", "A[i + 2]", "A[i + n]", "A[2 * i]"):
        put("neighbour", f"if (i >= n)\n    return;\nfloat own = A[i], other = {right}; //!\nC[i] = own - other;")
    each("halo", ("int j = i;\nif (i < n)\n    C[i] = (j > 0 ? A[j - 1] : 0) + A[j + 1]; //!",
                  "int j = i;\nif (i < n)\n    C[i] = A[j - 1] + (j + 1 < n ? A[j + 1] : 0); //!",
                  "if (i < n)\n    C[i] = i + 2 <= n ? A[i + 2] : A[i - 2]; //!"))
    for start, step in (("i", "gridDim.x * blockDim.x"), ("i", "97"), ("t", "blockDim.x")):
        put("stride_above", f"float sum = 0;\nfor (unsigned j = {start}; j <= n; j += {step})\n    sum += A[j]; //!\nC[i] = sum;", c=1024)
    each("row_above", ("float sum = 0;\nfor (unsigned j = 0; j <= 10; j++)\n    sum += A[i * 10 + j]; //!\nC[i] = sum;",
                       "float sum = 0;\nfor (unsigned j = 0; j < 10; j++)\n    sum += A[(i + 1) * 10 + j]; //!\nC[i] = sum;",
                       "float sum = 0;\nfor (unsigned j = 1; j < 12; j++)\n    sum += A[i * 10 + j - 1]; //!\nC[i] = sum;"),
         a="10 * n", n=1024)
    put("gather_above", "if (i < n)\n    C[A[i]] = i; //!", a_type="unsigned", a_fill={"hash": 1001})
    put("gather_above", "if (i < n)\n    C[i] = A[A[i]]; //!", a_type="unsigned", a_fill={"modulo": 1001}, n=1003, a="n - 3", c="n")
    put("gather_above", "if (i < n)\n    C[i] = A[A[i] + 1]; //!", a_type="unsigned", a_fill="index")
    for c in (63, 60, "n / 20"):
        put("atomic_above", "if (i < n)\n    atomicAdd(&C[A[i]], 1u); //!", a_type="unsigned", a_fill={"modulo": 64}, c=c, c_role="accumulated")
    for last in ("n / 4", "(n - 1) / 4"):
        put("vector_tail", f"if (i <= {last})\n    ((float4 *)C)[i] = ((const float4 *)A)[i]; //!", n=1001)
    put("vector_tail", "if (2 * i < n)\n    ((float2 *)C)[i] = ((const float2 *)A)[i]; //!", n=1001)
    each("null", ("if (i < n)\n    C[i] = *(const float *)(unsigned long long)(4 * i); //!",
                  "float *p = i < n ? C + i : nullptr;\n*p = A[i < n ? i : 0]; //!"))
    put("constant_above", "if (i < n)\n    C[i] = A[i] * weight[i % 5]; //!", before="__constant__ float weight[4];\n",
        constants={"weight": {"type": "f32", "values": [1, 2, 3, 4]}})
    put("device_above", "if (i < n)\n    C[i] = table[i]; //!", before="__device__ float table[999];\n")


def pitches():
    matrix = dict(a="n * 20", c="n * 20", n=50, block=[16, 16], grid=[4, 4], head=HEAD_2D)
    each("pitch", ("if (x < 20 && y < n)\n    C[y * 20 + x] = A[y * n + x]; //!",
                   "if (x < 20 && y < n)\n    C[y * 21 + x] = A[y * 20 + x]; //!",
                   "if (x < 20 && y < n)\n    C[x * n + y] = A[x * n + y + 1]; //!",
                   "if (x < n && y < 20)\n    C[x * 20 + y] = A[x * 21 + y]; //!"), **matrix)
    each("guard_2d", ("if (x < n && y < n)\n    C[y * 20 + x] = A[y * 20 + x]; //!",
                      "if (x < 20)\n    C[y * 20 + x] = A[y * 20 + x]; //!",
                      "if (x < 20 && y <= n)\n    C[y * 20 + x] = A[y * 20 + x]; //!",
                      "if (x < 20 || y < n)\n    C[y * 20 + x] = A[y * 20 + x]; //!"), **matrix)


def aligned():
    for c_type, k in (("float2", 1), ("float4", 1), ("float4", 2), ("double", 1), ("int4", 3)):
        put("misaligned_load", f"const {c_type} *from = (const {c_type} *)(A + {k});\n(({c_type} *)C)[i] = from[i]; //!",
            a="4 * n + 4", c="4 * n", n=256)
        put("misaligned_store", f"{c_type} *to = ({c_type} *)(C + {k});\nto[i] = ((const {c_type} *)A)[i]; //!", a="4 * n", c="4 * n + 4", n=256)
    for c_type in ("int", "short", "double"):
        put("misaligned_bytes", f"if (i < n)\n    C[i] = *(const {c_type} *)((const char *)A + 3 * i); //!", n=512)
    for c_type in ("float2", "float4", "double"):
        put("misaligned_shared", f"__shared__ __align__(16) float s[260];\ns[t] = A[i];\ns[t + 130] = A[i];\n__syncthreads();\n"
            f"*({c_type} *)(C + 4 * i) = *({c_type} *)(s + t); //!", c="4 * n", n=256)


def undefined():
    fill = "__shared__ float s[160];\n"
    each("shared_undefined", (
        fill + "C[i] = s[t]; //!", fill + "if (t < 64)\n    s[t] = A[i];\n__syncthreads();\nC[i] = s[t]; //!",
        fill + "if (t % 2)\n    s[t] = A[i];\n__syncthreads();\nC[i] = s[127 - t]; //!",
        fill + "s[t] = A[i];\n__syncthreads();\nC[i] = s[t] + s[t + 1]; //!",
        fill + "s[t + 1] = A[i];\n__syncthreads();\nfloat left = s[t]; //!\nC[i] = left + s[t + 1];",
        "__shared__ float sum;\nif (t > 500)\n    sum = 0;\n__syncthreads();\natomicAdd(&sum, A[i]); //!\n__syncthreads();\nC[i] = sum;",
        "__shared__ float s[4];\nfloat v = A[i];\nif (t % 64 == 0)\n    s[t / 32] = v;\n__syncthreads();\nC[i] = s[t / 32] + v; //!",
        "__shared__ unsigned bins[32];\natomicAdd(&bins[t % 32], 1u); //!\n__syncthreads();\nC[i] = bins[t % 32];",
        "__shared__ float tile[8][17];\ntile[t / 16][t % 16] = A[i];\n__syncthreads();\nC[i] = tile[t / 16][t % 16 + 1]; //!"), n=1024)
    put("shared_undefined", "extern __shared__ float s[];\nif (t + 8 < blockDim.x)\n    s[t] = A[i];\n__syncthreads();\nC[i] = s[127 - t]; //!",
        shared_bytes=512, n=1024)
    for c_type in ("float", "double", "unsigned", "short"):
        put("output_read", f"if (i < n)\n    C[i] += A[i]; //!", a_type=c_type)
    each("output_read", ("if (i >= n)\n    return;\nif (i % 3)\n    C[i] = A[i];\nfloat v = C[i]; //!\nC[i] = v + 1;",
                         "if (i >= n)\n    return;\nC[2 * i] = A[i];\nC[2 * i + 1] = C[2 * i + 3 - 2] + A[i]; //!",
                         "if (i < n)\n    atomicAdd(&C[i], A[i]); //!",
                         "if (i < n && A[i] > 100)\n    C[i] = A[i];\nif (i < n)\n    C[n + i] = C[i]; //!"), c="2 * n")


def block_races():
    s = "__shared__ float s[256];\n"
    for other in ("127 - t", "(t + 32) % 128", "(t + 1) % 128", "t ^ 64", "t / 2", "0"):
        put("shared_race", s + f"s[t] = A[i]; //!\nC[i] = s[{other}]; //!", n=1024)
    for other in ("127 - t", "(t + 33) % 128"):
        put("shared_race", s + f"s[t] = A[i];\n__syncthreads();\nfloat v = s[{other}]; //!\ns[t] = 2 * v; //!\n__syncthreads();\nC[i] = s[t];", n=1024)
    tree = s + "s[t] = A[i];\n__syncthreads();\n"
    each("reduction_race", (
        tree + "for (unsigned w = 64; w > 0; w /= 2)\n    if (t < w)\n        s[t] += s[t + w]; //!\nif (t == 0)\n    C[blockIdx.x] = s[0]; //!",
        tree + "for (unsigned w = 1; w < 128; w *= 2)\n    if (t % (2 * w) == 0)\n        s[t] += s[t + w]; //!\n__syncthreads();\nif (t == 0)\n    C[blockIdx.x] = s[0];",
        tree + "for (unsigned w = 64; w > 0; w /= 2) {\n    s[t] += s[t + w]; //!\n    __syncthreads();\n}\nC[i] = s[t];",
        s + "s[t] = A[i]; //!\nfor (unsigned w = 64; w > 0; w /= 2) {\n    if (t < w)\n        s[t] += s[t + w]; //!\n    __syncthreads();\n}\nif (t == 0)\n    C[blockIdx.x] = s[0];",
        tree + "for (unsigned w = 64; w > 0; w /= 2) {\n    __syncthreads();\n    if (t < w)\n        s[t] += s[t + w]; //!\n}\nif (t == 32)\n    C[blockIdx.x] = s[0]; //!"), n=1024)
    each("scan_race", (
        tree + "for (unsigned w = 1; w < 128; w *= 2) {\n    float v = t >= w ? s[t - w] : 0; //!\n    s[t] += v; //!\n    __syncthreads();\n}\nC[i] = s[t];",
        tree + "for (unsigned w = 1; w < 128; w *= 2) {\n    float v = t >= w ? s[t - w] : 0; //!\n    __syncthreads();\n    s[t] += v; //!\n}\nC[i] = s[t];"), n=1024)
    tile = "__shared__ float tile[16][17];\nunsigned r = threadIdx.y, c = threadIdx.x, at = blockIdx.x * 256 + r * 16 + c;\n"
    matrix = dict(n=1024, block=[16, 16], grid=4)
    each("tile_race", (tile + "tile[r][c] = A[at]; //!\nC[at] = tile[c][r]; //!",
                       tile + "for (unsigned j = 0; j < 2; j++) {\n    tile[r][c] = A[at] + j; //!\n    __syncthreads();\n    C[at + j * n] = tile[c][r]; //!\n}",
                       tile + "tile[r][c] = A[at];\n__syncthreads();\ntile[c][r] = tile[r][c]; //!\n__syncthreads();\nC[at] = tile[r][c];"),
         c="2 * n", **matrix)
    product = ("__shared__ float a[16][16], b[16][16];\nunsigned tx = threadIdx.x, ty = threadIdx.y;\nfloat sum = 0;\nfor (unsigned m = 0; m < n; m += 16) {\n"
               "    a[ty][tx] = A[ty * n + m + tx];{0}\n    b[ty][tx] = A[(m + ty) * 16 + tx];{0}\n{1}    for (unsigned j = 0; j < 16; j++)\n"
               "        sum += a[ty][j] * b[j][tx];{0}\n{2}}}\nC[ty * 16 + tx] = sum;").replace("{\n    a[", "{{\n    a[")
    for first, second in (("", "    __syncthreads();\n"), ("    __syncthreads();\n", "")):
        put("product_race", product.format(" //!", first, second), a="16 * n", c=256, n=64, block=[16, 16], grid=1)
    each("counter_race", ("__shared__ unsigned bins[32];\nif (t < 32)\n    bins[t] = 0;\n__syncthreads();\nbins[A[i]]++; //!\n__syncthreads();\nif (t < 32)\n    C[t] = bins[t];",
                          "__shared__ unsigned bins[32];\nif (t < 32)\n    bins[t] = 0; //!\natomicAdd(&bins[A[i]], 1u); //!\n__syncthreads();\nif (t < 32)\n    C[t] = bins[t];",
                          "__shared__ unsigned bins[32];\nif (t < 32)\n    bins[t] = 0;\n__syncthreads();\natomicAdd(&bins[A[i]], 1u); //!\nif (t < 32)\n    C[t] = bins[t]; //!"),
         a_type="unsigned", a_fill={"hash": 32}, n=128)
    each("scalar_race", ("__shared__ float last;\nlast = A[i]; //!\n__syncthreads();\nC[i] = last;",
                         "__shared__ float first;\nif (t == 0)\n    first = A[i]; //!\nC[i] = first; //!",
                         "__shared__ float most;\nif (t == 0)\n    most = 0;\n__syncthreads();\nif (A[i] > most) //!\n    most = A[i]; //!\n__syncthreads();\nC[i] = most;",
                         "__shared__ float step;\nfor (int j = 0; j < 3; j++) {\n    if (t == 0)\n        step = A[i] + j; //!\n    __syncthreads();\n    C[i * 3 + j] = step; //!\n}"),
         c="3 * n", n=1024)
    whole = dict(n=128, block=128, grid=1)
    for at in ("0", "t / 2", "t % 32", "t & 96", "A[i] > 100"):
        put("global_race", f"C[{at}] = A[i]; //!", **whole)
    for other in ("127 - t", "t ^ 32", "0"):
        put("global_race", f"C[i] = A[i]; //!\nC[n + i] = C[{other}]; //!", c="2 * n", **whole)
    put("global_race", "C[(unsigned)A[i] % 16]++; //!", c_role="accumulated", **whole)
    put("global_race", "float v = t < 127 ? C[t + 1] : 0; //!\nC[t] = v; //!", c_role="accumulated", **whole)


def grid_races():
    for at in ("0", "t", "i / 2 * 2 % 512", "blockIdx.x / 2"):
        put("blocks_store", f"if (t < 64)\n    C[{at}] = A[i] + i; //!" if at == "t" else f"if (t == 0)\n    C[{at}] = A[i] + i; //!", n=1024)
    each("blocks_update", ("if (t == 0)\n    C[0] += A[i]; //!", "if (i < n)\n    C[t] += A[i]; //!", "if (t == 0)\n    C[blockIdx.x % 3] += A[i]; //!"),
         c_role="accumulated")
    each("blocks_stencil", ("if (i + 1 < n)\n    C[i] = C[i + 1] + A[i]; //!", "float v = i > 0 && i < n ? C[i - 1] : 0; //!\n__syncthreads();\nif (i < n)\n    C[i] = v + A[i]; //!",
                            "if (i >= n)\n    return;\nC[i] = A[i]; //!\nfloat other = C[n - 1 - i]; //!\nC[i] = other + 1; //!"), c_role="accumulated")
    each("blocks_overlap", ("if (i + 1 < n) {\n    C[i] = A[i]; //!\n    C[i + 1] = A[i] + 1; //!\n}",
                            "for (unsigned j = t; j < n; j += blockDim.x)\n    C[j] = A[j] + blockIdx.x; //!",
                            "for (unsigned j = i; j < n; j += blockDim.x)\n    C[j] = A[j] * j + blockIdx.x; //!",
                            "unsigned j = blockIdx.x * 100 + t;\nif (j < n)\n    C[j] = A[j] + blockIdx.x; //!"))
    each("blocks_handed_on", (
        "__shared__ bool last;\nC[2 + i] = A[i]; //!\n__syncthreads();\nif (t == 0)\n    last = atomicAdd((unsigned *)C, 1u) == gridDim.x - 1;\n__syncthreads();\nif (last)\n    C[1] = C[2 + t] + C[n + 1 - t]; //!",
        "if (t == 0) {\n    C[1 + blockIdx.x] = A[i]; //!\n    if (atomicAdd((unsigned *)C, 1u) == gridDim.x - 1)\n        for (unsigned j = 0; j < gridDim.x; j++)\n            C[100] += C[1 + j]; //!\n}"),
         c="n + 2", c_role="accumulated", n=1024)


def barriers():
    for part in ("t < 50", "t % 2", "t != 7", "i < n", "A[i] > 100", "t % 32 < 31"):
        put("barrier_in_branch", f"__shared__ float s[128];\ns[t] = A[i];\nif ({part}) {{\n    s[t] += 1;\n    __syncthreads(); //!\n}}\nC[i] = s[t] + t; //!", a="n + 40", c="n + 40",
            n=1004)
    each("barrier_twice", ("if (t < 64)\n    __syncthreads(); //!\nelse {\n    C[i] = 1;\n    __syncthreads(); //!\n    C[i + n] = 2;\n}",
                           "if (t % 2) {\n    C[i] = A[i];\n    __syncthreads(); //!\n    C[i + n] = 1;\n} else {\n    C[i] = 1;\n    __syncthreads(); //!\n}"), c="2 * n", n=1024)
    for turns in ("t % 3", "t / 32", "(unsigned)A[i] % 4", "i % 2 + 1"):
        put("barrier_in_loop", f"float v = 0;\nfor (unsigned j = 0; j < {turns}; j++) {{\n    v += A[(i + j) % n];\n    __syncthreads(); //!\n}}\nC[i] = v;\n__syncthreads(); //!\nC[i] += C[i ^ 1];", n=1024)
    each("barrier_number", ('C[i] = A[i];\nif (t < 64)\n    asm volatile("bar.sync 1, 128;"); //!\nC[i] += 1;', 'C[i] = A[i];\nasm volatile("bar.sync 2, 160;"); //!\nC[i] += 1;',
                            'if (t < 64)\n    asm volatile("bar.sync 1;"); //!\nelse\n    asm volatile("bar.sync 2;"); //!\nC[i] = A[i];'), n=1024)
    put("barrier_in_function", "if (t & 1)\n    meet(); //!\nC[i] = A[i];", before="__device__ __forceinline__ void meet()\n{\n    __syncthreads(); //!\n}\n", n=1024)


def shuffles():
    for part in ("t % 2", "t % 32 < 16", "A[i] > 60"):
        put("shuffle_mask", f"float v = A[i];\nif ({part}) {{\n    v += __shfl_xor_sync(0xffffffffu, v, 2); //!\n    C[i] = v; //!\n}} else\n    C[i] = A[i] * 3; //!", n=1024)
    each("ballot_mask", ("unsigned b = 0;\nif (t % 3)\n    b = __ballot_sync(0xffffffffu, A[i] > 9); //!\nC[i] = b + A[i]; //!",
                         "bool b = true;\nif (t % 32 > 4) {\n    b = __all_sync(0xffffffffu, A[i] > 9); //!\n    C[i + n] = 3;\n}\nC[i] = b; //!",
                         "if (t % 32 < 8)\n    C[i] = __reduce_add_sync(0xffffu, (unsigned)A[i]); //!\nelse\n    C[i] = A[i] + 1; //!"), c="2 * n", n=1024)
    each("shuffle_in_loop", ("float v = A[i];\nfor (unsigned j = 0; j < t % 4; j++) {\n    v += __shfl_down_sync(0xffffffffu, v, 1); //!\n    C[n + i] = v;\n}\nC[i] = v;",), c="2 * n", n=1024)
    each("warp_race", ("__shared__ float s[128];\ns[t] = A[i];\n__syncthreads();\nif (t < 32)\n    s[t % 5] = t; //!\n__syncthreads();\nC[i] = s[t % 5];",
                       "__shared__ float s[128];\nif (t & 1)\n    s[t] = A[i]; //!\nelse\n    C[i] = s[t + 1]; //!"), n=1024)


def endless():
    # The time is up at any instruction of the loop.
    each("endless", ("while (n) //!\n    C[i] = A[i]; //!", "for (unsigned w = 64; w >= 0; w /= 2) //!\n    C[i] = A[i] * w; //!",
                     "for (unsigned j = i; j < n; j += n - 1000) //!\n    C[j] = A[j]; //!", "while (((volatile float *)C)[0] == 0) //!\n    ;\nC[1 + t] = A[i];",
                     "unsigned j = 1;\ndo\n    j = j * 3 + (unsigned)A[0] * 0; //!\nwhile (j); //!\nC[i] = j;"), c_role="accumulated", block=32, grid=1)


def overflows():
    for at in ("t + 1", "2 * t", "t - 1", "t ^ 128", "i"):
        put("shared_overflow", f"__shared__ float s[128];\ns[t] = 0;\n__syncthreads();\ns[{at}] = A[i]; //!\n__syncthreads();\nC[i] = s[t];", n=1024)
    for given in (0, 128, 508):
        put("shared_dynamic", "extern __shared__ float s[];\ns[t] = A[i]; //!\n__syncthreads();\nC[i] = s[127 - t]; //!", n=1024, **({"shared_bytes": given} if given else {}))
    put("shared_overflow", "__shared__ float s[4][32];\ns[t / 32][t % 32] = A[i];\n__syncthreads();\nC[i] = s[t / 32 + 1][t % 32]; //!", n=1024)
    put("shared_overflow", "__shared__ float s[3];\nfloat v = A[i];\nif (t % 32 == 0)\n    s[t / 32] = v; //!\n__syncthreads();\nC[i] = s[0] + v;", n=1024)
    each("local_overflow", ("float v[8];\nfor (int j = 0; j < 8; j++)\n    v[j] = A[i] + j;\nC[i] = v[(unsigned)A[n - 1 - i] * 2]; //!",
                            "float v[4] = {1, 2, 3, 4};\nv[(unsigned)A[i] + 4] = 9; //!\nC[i] = v[(unsigned)A[i] % 4];"), n=1024)
    each("trap", ("if (A[i] > 250)\n    __trap(); //!\nC[i] = 1;",), n=1024)


def harmless():
    """What must not be called wrong."""
    ok = dict(into=NOTED, n=1024)
    put("same_value", "__shared__ float s;\ns = 7;\n__syncthreads();\nC[i] = s + A[i];", **ok)
    put("returned", "__shared__ float s[128];\nif (t >= 100)\n    return;\ns[t] = A[i];\n__syncthreads();\nC[i] = s[99 - t];", **ok)
    put("one_warp", "__shared__ float s[128];\ns[t] = A[i];\n__syncwarp();\nC[i] = s[t ^ 31];", **ok)
    put("own_element", "__shared__ float s[128];\ns[t] = A[i];\nC[i] = s[t];", **ok)
    put("active_mask", "float v = A[i];\nif (t % 2)\n    v += __shfl_xor_sync(__activemask(), v, 2);\nC[i] = v;", **ok)
    put("half_mask", "float v = A[i];\nif (t % 32 < 16)\n    v += __shfl_xor_sync(0xffffu, v, 8);\nC[i] = v;", **ok)
    put("last_block", "__shared__ bool last;\nC[2 + i] = A[i];\n__threadfence();\n__syncthreads();\nif (t == 0)\n    last = atomicAdd((unsigned *)C, 1u) == gridDim.x - 1;\n"
        "__syncthreads();\nif (last) {\n    __threadfence();\n    if (t == 0)\n        C[1] = C[2] + C[n + 1];\n}", c="n + 2", c_role="accumulated", **ok)
    put("named_barrier", '__shared__ float s[64];\nif (t < 64) {\n    s[t] = A[i];\n    asm volatile("bar.sync 1, 64;");\n    C[i] = s[63 - t];\n} else\n    C[i] = A[i];', **ok)
    put("two_places", "__shared__ float s[128];\ns[t] = A[i];\n__syncthreads();\nfloat v = s[127 - t];\n__syncthreads();\ns[t] = v;\n__syncthreads();\nC[i] = s[t ^ 64];", **ok)
    put("atomic_flag", "__shared__ unsigned s;\nif (t == 0)\n    s = 0;\n__syncthreads();\natomicMax(&s, (unsigned)A[i]);\n__syncthreads();\nC[i] = s;", **ok)
    put("halo_guarded", "int j = i;\nif (i < n)\n    C[i] = (j > 0 ? A[j - 1] : 0) + (j + 1 < (int)n ? A[j + 1] : 0);", into=NOTED, n=1001)
    put("block_handed_on", "C[i] = A[i];\n__syncthreads();\nfloat v = C[i ^ 127];\n__syncthreads();\nC[i] = v;", **ok)


for make in (outside, pitches, aligned, undefined, block_races, grid_races, barriers, shuffles, endless, overflows, harmless):
    make()
