"""llm.c, of dev/cuda."""
GROUPS = "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
BEFORE = "#define FLT_MAX 3.402823466e+38f\n#define M_PI 3.14159265358979323846\n#define assert(x)\n"
SMALL = {"values": [-1.5, 0.25, 0.75, -0.125, 2, 1.25, -0.5, 0.0625, -2.25, 0.875, 1.0, -0.3125, 0.5]}
SHARES = {"values": [0.125, 0.5, 0.25, 0.0625, 0.75, 0.375, 0.875]}
TABLE = []


def add(path, entry, arguments, launches, fills=None, **more):
    """Every buffer of f32 that is read without a fill of its own holds small numbers."""
    text = BEFORE + (GROUPS if more.pop("groups", False) else "") + ("#include <cuda_bf16.h>\n" if "bf16" in arguments else "")
    names = [one.partition("<")[0] for one in arguments.split() if "<f32" in one or "<bf16" in one]
    TABLE.append({"file": f"dev/cuda/{path}.cu", "entry": entry, "arguments": arguments, "launches": launches,
                  "fills": {**dict.fromkeys(names, SMALL), **(fills or {})}, "before": text, **more})


def along(threads, *launches):
    """One thread each."""
    return [{"threads": threads, **one} for one in launches]


def blocks(count, *launches):
    """A block each, of as many threads as the launch says."""
    return [{**one, "grid": one[count]} for one in launches]


# ---- attention ----

SPACES = "B:i32 T:i32 C:i32 NH:i32"
HEADS = ({"B": 2, "T": 33, "C": 48, "NH": 3, "block": 256}, {"B": 1, "T": 64, "C": 64, "NH": 2, "block": 128})
add("attention_forward", "attention_query_key_kernel1", f"preatt>f32[B*NH*T*T] inp<f32[B*T*3*C] {SPACES}", along("B*NH*T*T", *HEADS))
add("attention_forward", "attention_softmax_kernel1", "att>f32[B*NH*T*T] preatt<f32[B*NH*T*T] B:i32 T:i32 NH:i32",
    along("B*T*NH", {"B": 2, "T": 33, "NH": 3, "block": 96}, {"B": 1, "T": 64, "NH": 4, "block": 128}))
add("attention_forward", "attention_value_kernel1", f"out>f32[B*T*C] att<f32[B*NH*T*T] inp<f32[B*T*3*C] {SPACES}",
    along("B*T*NH", *HEADS), {"att": SHARES})
PERMUTED = "B:i32 N:i32 NH:i32 d:i32"
SHAPES = ({"B": 2, "N": 50, "NH": 3, "d": 20, "block": 256}, {"B": 1, "N": 64, "NH": 4, "d": 32, "block": 128})
for path in "attention_forward", "attention_backward":
    add(path, "permute_kernel", f"q>f32[B*N*NH*d] k>f32[B*N*NH*d] v>f32[B*N*NH*d] inp<f32[3*B*N*NH*d] {PERMUTED}", along("B*N*NH*d", *SHAPES))
add("attention_forward", "unpermute_kernel", f"inp<f32[B*N*NH*d] out>f32[B*N*NH*d] {PERMUTED}", along("B*N*NH*d", *SHAPES))
add("attention_forward", "scale_kernel", "inp=f32[B*NH*T*T] scale:f32 B:i32 NH:i32 T:i32",
    along("B*NH*T*T", {"B": 2, "NH": 3, "T": 45, "scale": 0.25, "block": 256}, {"B": 1, "NH": 2, "T": 96, "scale": 0.5, "block": 128}))
add("attention_backward", "permute_kernel_backward",
    f"dinp=f32[3*B*N*NH*d] dq<f32[B*N*NH*d] dk<f32[B*N*NH*d] dv<f32[B*N*NH*d] {PERMUTED}", along("B*N*NH*d", *SHAPES))
add("attention_backward", "unpermute_kernel_backward", f"dinp=f32[B*N*NH*d] dout<f32[B*N*NH*d] {PERMUTED}", along("B*N*NH*d", *SHAPES))
BACKWARD = f"dpreatt=f32[B*NH*T*T] datt<f32[B*NH*T*T] att<f32[B*NH*T*T] {SPACES}"
add("attention_backward", "softmax_autoregressive_backward_kernel1", BACKWARD, along("T", *HEADS), {"att": SHARES})
add("attention_backward", "softmax_autoregressive_backward_kernel2", BACKWARD,
    [{**one, "threads": ["T", "B*NH"]} for one in HEADS], {"att": SHARES})
add("attention_backward", "softmax_autoregressive_backward_kernel3", BACKWARD,
    [{**one, "threads": ["T*32", "B*NH"]} for one in HEADS], {"att": SHARES}, groups=True)
add("attention_forward", "softmax_forward_kernel5", "out=f32[N*T*T] inv_temperature:f32 inp<f32[N*T*T] N:i32 T:i32",
    along("N*T*32", {"N": 3, "T": 44, "inv_temperature": 0.5, "block": 256}, {"N": 2, "T": 64, "inv_temperature": 0.25, "block": 128}), groups=True)

# ---- rows ----

ROWS = ({"N": 130, "C": 77, "block": 128}, {"N": 64, "C": 256, "block": 64})
SOFTMAX = "out>f32[N*C] inp<f32[N*C] N:i32 C:i32"
for kernel in "softmax_forward_kernel1", "softmax_forward_online_kernel1":
    add("softmax_forward", kernel, SOFTMAX, along("N", *ROWS))
add("softmax_forward", "softmax_forward_kernel2", SOFTMAX, blocks("N", *ROWS), more={"shared_bytes": 512})
add("softmax_forward", "softmax_forward_kernel3", SOFTMAX, blocks("N", *({**one, "block": 32} for one in ROWS)), more={"shared_bytes": 128})
add("softmax_forward", "softmax_forward_kernel4", SOFTMAX, blocks("N", *ROWS), more={"shared_bytes": 128})
add("softmax_forward", "softmax_forward_online_kernel2", SOFTMAX, along("N*32", *ROWS), groups=True)
add("softmax_forward", "softmax_forward_online_kernel8", SOFTMAX, along("N*32", *ROWS))
NORM = "out>f32[N*C] mean>f32[N] rstd>f32[N] inp<f32[N*C] weight<f32[C] bias<f32[C] N:i32 C:i32"
add("layernorm_forward", "layernorm_forward_kernel1", NORM, along("N", *ROWS))
add("layernorm_forward", "layernorm_forward_kernel3", NORM, along("N*32", *ROWS), groups=True)
add("layernorm_forward", "layernorm_forward_kernel4", NORM, along("N*32", *ROWS), groups=True)
add("layernorm_forward", "layernorm_forward_kernel5", NORM, blocks("N", *ROWS), groups=True)
SUMMED = [{**one, "block_size": one["block"], "shared_bytes": 4 * one["block"]} for one in ROWS]
add("layernorm_forward", "mean_kernel", "mean>f32[N] inp<f32[N*C] N:i32 C:i32 block_size:i32", blocks("N", *SUMMED))
add("layernorm_forward", "rstd_kernel", "rstd>f32[N] inp<f32[N*C] mean<f32[N] N:i32 C:i32 block_size:i32", blocks("N", *SUMMED))
add("layernorm_forward", "normalization_kernel",
    "out>f32[B*T*C] inp<f32[B*T*C] mean<f32[B*T] rstd<f32[B*T] weight<f32[C] bias<f32[C] B:i32 T:i32 C:i32",
    [{"B": 2, "T": 64, "C": 96, "block": 128, "grid": 96}, {"B": 3, "T": 32, "C": 80, "block": 256, "grid": 30}])
add("layernorm_backward", "layernorm_backward_kernel1",
    "dinp=f32[B*T*C] dweight=f32[C] dbias=f32[C] dout<f32[B*T*C] inp<f32[B*T*C] weight<f32[C] mean<f32[B*T] rstd<f32[B*T] B:i32 T:i32 C:i32",
    along("B*T", {"B": 2, "T": 70, "C": 33, "block": 64}, {"B": 4, "T": 64, "C": 48, "block": 128}))

# ---- what is done to each element ----

MANY = ({"N": 30011, "block": 256}, {"N": 16384, "block": 128})
EIGHTH = ({"N": 30008, "block": 256}, {"N": 16384, "block": 128})
add("gelu_forward", "gelu_forward_kernel1", "out>bf16[N] inp<bf16[N] N:i32", along("N", *MANY))
add("gelu_forward", "gelu_forward_kernel2", "out>bf16[N] inp<bf16[N] N:i32", along("N/8", *EIGHTH))
add("gelu_backward", "gelu_backward1", "dinp>bf16[N] inp<bf16[N] dout<bf16[N] N:i32", along("N", *MANY))
add("residual_forward", "residual_forward_kernel1", "out>bf16[N] inp1<bf16[N] inp2<bf16[N] N:i32", along("N", *MANY))
add("residual_forward", "residual_forward_kernel2", "out>bf16[N] inp1<bf16[N] inp2<bf16[N] N:i32", along("N/8", *EIGHTH))
RATES = {"learning_rate": 0.001, "beta1": 0.9, "beta2": 0.999, "beta1_correction": 0.1, "beta2_correction": 0.001, "eps": 1e-8, "weight_decay": 0.01}
for kernel in 1, 2:
    add("adamw", f"adamw_kernel{kernel}", "params_memory=f32[num_parameters] grads_memory<f32[num_parameters] m_memory=f32[num_parameters] "
        "v_memory=f32[num_parameters] num_parameters:i64 " + " ".join(f"{name}:f32" for name in RATES),
        along("num_parameters", {"num_parameters": 20011, "block": 256, **RATES}, {"num_parameters": 8192, "block": 512, **RATES}),
        {"params_memory": SMALL, "m_memory": SMALL, "v_memory": SHARES})
TOKENS = {"inp": {"hash": 50}}
EMBEDDED = "inp<i32[B*T] wte<bf16[50*C] wpe<bf16[T*C] B:i32 T:i32 C:i32"
PLACES = ({"B": 2, "T": 37, "C": 96, "block": 256}, {"B": 3, "T": 64, "C": 128, "block": 128})
add("encoder_forward", "encoder_forward_kernel1", f"out>bf16[B*T*C] {EMBEDDED}", along("B*T", *PLACES), TOKENS)
add("encoder_forward", "encoder_forward_kernel2", f"out>bf16[B*T*C] {EMBEDDED}", along("B*T*C", *PLACES), TOKENS)
add("encoder_forward", "encoder_forward_kernel3", f"out>bf16[B*T*C] {EMBEDDED}", along("B*T*C/8", *PLACES), TOKENS)
GRADIENTS = "dwte=f32[50*C] dwpe=f32[T*C] dout<f32[B*T*C] inp<i32[B*T] B:i32 T:i32 C:i32"
add("encoder_backward", "encoder_backward_kernel1", GRADIENTS, along("B*T*C", *PLACES), TOKENS)
add("encoder_backward", "encoder_backward_kernel2", GRADIENTS, along("C", *PLACES), TOKENS)
LOST = ({"B": 3, "T": 50, "V": 131, "block": 256}, {"B": 4, "T": 64, "V": 64, "block": 128})
TARGETS = {"targets": {"hash": 64}}
add("crossentropy_forward", "crossentropy_forward_kernel1", "losses>f32[B*T] probs<f32[B*T*V] targets<i32[B*T] B:i32 T:i32 V:i32",
    along("B*T", *LOST), {**TARGETS, "probs": SHARES})
add("crossentropy_softmax_backward", "crossentropy_softmax_backward_kernel1",
    "dlogits=f32[B*T*V] dlosses<f32[B*T] probs<f32[B*T*V] targets<i32[B*T] B:i32 T:i32 V:i32", along("B*T*V", *LOST), {**TARGETS, "probs": SHARES})
add("permute", "permute_kernel", "matrix<f32[dim1*dim2*dim3*dim4] out_matrix>f32[dim1*dim2*dim3*dim4] dim1:i32 dim2:i32 dim3:i32 dim4:i32",
    along("dim1*dim2*dim3*dim4", {"dim1": 5, "dim2": 24, "dim3": 42, "dim4": 3, "block": 256}, {"dim1": 8, "dim2": 16, "dim3": 16, "dim4": 8, "block": 128}))

# ---- sums and products ----

COLUMNS = ({"B": 3, "T": 47, "OC": 96, "block": 128}, {"B": 2, "T": 64, "OC": 64, "block": 256})
BIAS = "dbias=f32[OC] dout<f32[B*T*OC] B:i32 T:i32 OC:i32"
LOW = BIAS.replace("f32", "bf16")
add("matmul_backward", "matmul_backward_bias_kernel_naive", BIAS, along("OC", *COLUMNS))
add("matmul_backward", "matmul_backward_bias_kernel_faster", BIAS, blocks("OC", *COLUMNS), more={"shared_bytes": 1024})
add("matmul_backward_bias", "matmul_backward_bias_kernel1", LOW, blocks("OC", *COLUMNS), more={"shared_bytes": 1024})
add("matmul_backward_bias", "matmul_backward_bias_kernel2", LOW, along("OC*32", *COLUMNS), groups=True)
add("matmul_backward_bias", "matmul_backward_bias_kernel4", LOW,
    [{**one, "grid": one["OC"] // 32} for one in COLUMNS], more={"shared_bytes": 1024})
add("matmul_forward", "matmul_forward_kernel1", "out>f32[BT*OC] inp<f32[BT*C] weight<f32[OC*C] bias<f32[OC] BT:i32 C:i32 OC:i32",
    [{"BT": 50, "C": 33, "OC": 70, "threads": ["BT", "OC"], "block": [16, 16]}, {"BT": 64, "C": 48, "OC": 96, "threads": ["BT", "OC"], "block": [32, 4]}])
add("matmul_forward", "add_bias", "out=f32[B*T*OC] bias<f32[OC] B:i32 T:i32 OC:i32",
    [{**one, "grid": 20} for one in COLUMNS])
for kernel in 1, 2:
    add("global_norm", f"norm_kernel{kernel}", "out=f32[1] data<f32[count] count:u64",
        [{"count": 20011, "block": 256, "grid": 12}, {"count": 8192, "block": 512, "grid": 16}], groups=True,
        instance=f"norm_kernel{kernel}<float>", types="float *, const float *, size_t")
