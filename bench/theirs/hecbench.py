"""HeCBench: of its -cuda folders."""
TABLE = []
SMALL = {"values": [-1.5, 0.25, 0.75, -0.125, 2, 1.25, -0.5, 0.0625, -2.25, 0.875, 1.0, -0.3125, 0.5]}
POSITIVE = {"values": [0.125, 0.5, 0.25, 0.0625, 0.75, 0.375, 0.875]}


def add(path, entry, arguments, launches, fills=None, **more):
    folder, _, file = path.partition("/")
    TABLE.append({"file": f"src/{folder}-cuda/{file}", "entry": entry, "arguments": arguments, "launches": launches, "fills": fills or {}, **more})


def along(threads, *launches):
    return [{"threads": threads, **one} for one in launches]


SEARCHED = ({"zSize": 5003, "n": 10000, "block": 256}, {"zSize": 4096, "n": 777, "block": 128})
for kernel in "kernel_BS", "kernel_BS2", "kernel_BS3":
    add("bsearch/main.cu", kernel, "acc_a<f32[n+1] acc_z<f32[zSize] acc_r>u64[zSize] zSize:u64 n:u64", along("zSize", *SEARCHED),
        {"acc_a": "index", "acc_z": {"hash": 770}}, instance=f"{kernel}<float>", types="const float *, const float *, size_t *, const size_t, const size_t")
for kernel in "dense_esuhm", "dense_esuhm2", "dense_esuhm3":
    add("dense-embedding/main.cu", kernel, "input<f32[6400] dense<f32[64*embedding_dim] output=f32[6400] embedding_dim:i32 offset<i32[65]",
        [{"embedding_dim": 48, "block": 64, "grid": 64}, {"embedding_dim": 33, "block": 96, "grid": 50}],
        {"offset": {"values": [100 * i - (7 if i % 3 == 1 else 0) for i in range(65)]}, "output": "zero"}, instance=f"{kernel}<float>",
        types="const float *, const float *, float *, int, const int *")
add("floydwarshall/main.cu", "floydWarshallPass", "pathDistanceBuffer=u32[numNodes*numNodes] pathBuffer=u32[numNodes*numNodes] numNodes:u32 pass:u32",
    [{"numNodes": 96, "pass": 5, "block": [16, 16], "grid": [6, 6]}, {"numNodes": 128, "pass": 77, "block": [32, 4], "grid": [4, 32]}],
    {"pathDistanceBuffer": {"hash": 200}, "pathBuffer": "index"})
add("haversine/distance.cu", "compute_haversine_distance", "p<f64x4[n] distance>f64[n] n:i32",
    along("n", {"n": 5001, "block": 256}, {"n": 2048, "block": 128}), {"p": {"values": [12.5, 77.25, 31.75, -5.5, 48.0, 2.25, 51.5]}},
    before="#define M_PI 3.14159265358979323846\n")
add("heat2d/main.cu", "dev_lapl_iter", "out>f32[Lx*Ly] in<f32[Lx*Ly] delta:f32 norm:f32 Lx:i32 Ly:i32",
    [{"Lx": 96, "Ly": 64, "delta": 0.125, "norm": 0.5, "block": 128, "grid": 48}, {"Lx": 160, "Ly": 48, "delta": 0.25, "norm": 0.75, "block": 256, "grid": 30}])
add("jenkins-hash/main.cu", "jk3_hash_kernel", "lengths<u32[N] initvals<u32[N] keys<u32[16*N] out>u32[N] N:i32",
    along("N", {"N": 3001, "block": 256}, {"N": 2048, "block": 64}), {"lengths": {"modulo": 49}, "initvals": "index", "keys": {"hash": 4294967295}})
add("keogh/main.cu", "lb_keogh", "subject<f32[N] avgs<f32[N] stds<f32[N] lb_keogh>f32[N] lower_bound<f32[M] upper_bound<f32[M] M:i32 N:i32",
    [{"M": 33, "N": 5000, "block": 128, "grid": 39, "shared_bytes": 644}, {"M": 16, "N": 4096, "block": 256, "grid": 16, "shared_bytes": 1088}],
    {"subject": SMALL, "avgs": SMALL, "stds": POSITIVE, "lower_bound": SMALL, "upper_bound": SMALL})
add("layout/main.cu", "AoSKernel", "trees<i32[4096*256] outBuf>i32[256]", [{"block": 256, "grid": 1}, {"block": 64, "grid": 3}], instance="AoSKernel<64>",
    types="const AppleTree *, int *")
add("layout/main.cu", "SoAKernel", "applesOnTrees<i32[4096*64] outBuf>i32[4096]", [{"block": 256, "grid": 16}, {"block": 64, "grid": 33}], instance="SoAKernel<64>",
    types="const ApplesOnTrees *, int *")
add("matrix-rotate/main.cu", "rotate_matrix_parallel", "matrix=f32[n*n] n:i32", along("ceil(n/2)", {"n": 100, "block": 64}, {"n": 77, "block": 32}))
add("stencil1d/stencil_1d.cu", "stencil_1d", "in<i32[16*256+7] out>i32[16*256]", [{"block": 256, "grid": 16}, {"block": 256, "grid": 5}])
add("zeropoint/main.cu", "zero_point", "x_min<f32[count] x_max<f32[count] qmin:i32 qmax:i32 count:i32 preserve_sparsity:u8 scale>f32[count] zero_point>i32[count]",
    along("count", {"count": 5003, "qmin": -128, "qmax": 127, "preserve_sparsity": 1, "block": 256}, {"count": 4096, "qmin": 0, "qmax": 255, "preserve_sparsity": 0, "block": 128}),
    {"x_min": SMALL, "x_max": {"values": [2.5, 3.25, 4.75, 2.125, 6]}})
RATES = {"b1": 0.9, "b2": 0.999, "eps": 1e-8, "grad_scale": 256, "step_size": 0.001, "decay": 0.5}
add("adam/main.cu", "adam", "p=f32[vector_size] m=f32[vector_size] v=f32[vector_size] g<f32[vector_size] b1:f32 b2:f32 eps:f32 grad_scale:f32 step_size:f32 "
    "time_step:i32 vector_size:u64 mode:i32 decay:f32",
    [{**RATES, "time_step": 3, "vector_size": 4001, "mode": 0, "block": 256, "grid": 8}, {**RATES, "time_step": 2, "vector_size": 4096, "mode": 1, "block": 128, "grid": 32}],
    {"p": SMALL, "m": SMALL, "v": POSITIVE, "g": SMALL}, instance="adam<float, float>",
    types="float *, float *, float *, const float *, const float, const float, const float, const float, const float, const int, const size_t, adamMode_t, const float")
add("scan2/main.cu", "blockAddition", "input<f32[64] output=f32[64*256]", [{"block": 256, "grid": 64}, {"block": 96, "grid": 50}])
add("scan2/main.cu", "ScanLargeArrays", "output>f32[block_size*16] input<f32[block_size*16] block_size:u32 sumBuffer>f32[16]",
    [{"block_size": 256, "block": 128, "grid": 16, "shared_bytes": 1024}, {"block_size": 64, "block": 32, "grid": 13, "shared_bytes": 256}])
add("scan2/main.cu", "prefixSum", "output>f32[block_size] input<f32[block_size] block_size:u32",
    [{"block_size": 512, "block": 256, "grid": 1, "shared_bytes": 2048}, {"block_size": 128, "block": 64, "grid": 1, "shared_bytes": 512}])
PLATE = ({"n": 71, "block": 256}, {"n": 64, "block": 128})
add("heat/heat.cu", "initial_value", "n:u32 dx:f64 length:f64 u>f64[n*n]", along("n*n", *({**one, "dx": 0.5, "length": 40} for one in PLATE)))
add("heat/heat.cu", "zero", "n:u32 u>f64[n*n]", along("n*n", *PLATE))
add("heat/heat.cu", "solve", "n:u32 alpha:f64 dx:f64 dt:f64 r:f64 r2:f64 u<f64[n*n] u_tmp>f64[n*n]",
    along("n*n", *({**one, "alpha": 0.1, "dx": 0.5, "dt": 0.25, "r": 0.125, "r2": 0.5} for one in PLATE)))
add("bitonic-sort/main.cu", "bitonic_sort", "seq_len:i32 two_power:i32 a=i32[8192]",
    [{"seq_len": 64, "two_power": 4, "block": 256, "grid": 32}, {"seq_len": 1024, "two_power": 1, "block": 128, "grid": 64}], {"a": {"hash": 1000000}})
IMAGE = ({"height": 60, "width": 77}, {"height": 64, "width": 96})
add("entropy/main.cu", "entropy", "d_entropy>f32[height*width] d_val<i8[height*width] height:i32 width:i32",
    [{**one, "threads": ["width", "height"], "block": [16, 16]} for one in IMAGE], {"d_val": {"hash": 16}})
add("entropy/main.cu", "entropy_opt", "d_entropy>f32[height*width] d_val<i8[height*width] d_logTable<f32[26] height:i32 width:i32",
    [{**one, "threads": ["width", "height"], "block": [16, 16]} for one in IMAGE],
    {"d_val": {"hash": 16}, "d_logTable": {"values": [0, 0, 2, 4.75, 8, 11.5, 15.5, 19.625]}}, instance="entropy_opt<16, 16>",
    types="float *, const char *, const float *, int, int")
add("channelShuffle/main.cu", "ChannelShuffleNCHWKernel", "G:i32 K:i32 HxW:i32 X<f32[2*G*K*HxW] Y>f32[2*G*K*HxW]",
    [{"G": 3, "K": 4, "HxW": 500, "block": 256, "grid": [2, 2, 12]}, {"G": 2, "K": 4, "HxW": 768, "block": 256, "grid": [2, 3, 8]}],
    instance="ChannelShuffleNCHWKernel<float, true>", types="const int, const int, const int, const float *, float *")
add("channelShuffle/main.cu", "ChannelShuffleNHWCKernel", "G:i32 K:i32 X<f32[50*G*K] Y>f32[50*G*K]",
    [{"G": 6, "K": 40, "block": 256, "grid": 50}, {"G": 8, "K": 64, "block": 128, "grid": 37}], instance="ChannelShuffleNHWCKernel<float, 1024>",
    types="const int, const int, const float *, float *")
add("columnarSolver/kernels.cu", "setupKernel", "state=u32[256]", [{"block": 64, "grid": 4}])
