"""Rodinia."""
TABLE = []
FRACTIONS = {"values": [0.125, 0.5, 0.25, 0.0625, 0.75, 0.375, 0.875, 0.9375, 0.3125, 0.6875, 0.1875]}
POSITIVE = {"values": [900, 3, 5, 7, 11, 13, 2]}


def add(path, entry, arguments, launches, fills=None, **more):
    TABLE.append({"file": f"cuda/{path}", "entry": entry, "arguments": arguments, "launches": launches, "fills": fills or {}, **more})


def along(threads, *launches):
    return [{"threads": threads, **one} for one in launches]


LAYERS = [{"in": 512, "hid": 16, "block": [16, 16], "grid": [1, 32]}, {"in": 208, "hid": 16, "block": [16, 16], "grid": [1, 13]}]
add("backprop/backprop_cuda_kernel.cu", "bpnn_layerforward_CUDA",
    "input_cuda<f32[in+1] output_hidden_cuda<f32[hid+1] input_hidden_cuda=f32[(in+1)*(hid+1)] hidden_partial_sum>f32[in/16*hid] in:i32 hid:i32",
    LAYERS, {"input_cuda": FRACTIONS, "input_hidden_cuda": FRACTIONS})
add("backprop/backprop_cuda_kernel.cu", "bpnn_adjust_weights_cuda",
    "delta<f32[hid+1] hid:i32 ly<f32[in+1] in:i32 w=f32[(in+1)*(hid+1)] oldw=f32[(in+1)*(hid+1)]", LAYERS,
    {"delta": FRACTIONS, "ly": FRACTIONS, "w": FRACTIONS, "oldw": FRACTIONS})
NODES = [{"no_of_nodes": 1000, "block": 512, "grid": 2}, {"no_of_nodes": 1536, "block": 512, "grid": 3}]
add("bfs/kernel2.cu", "Kernel2", "g_graph_mask=u8[no_of_nodes] g_updating_graph_mask=u8[no_of_nodes] g_graph_visited=u8[no_of_nodes] g_over=u8[1] no_of_nodes:i32",
    NODES, {"g_graph_mask": "zero", "g_updating_graph_mask": {"values": [0, 1, 1, 0, 0]}, "g_graph_visited": "zero", "g_over": "zero"},
    defines=["MAX_THREADS_PER_BLOCK=512"])
add("bfs/kernel.cu", "Kernel",
    "g_graph_nodes<i32x2[2000] g_graph_edges<i32[4000] g_graph_mask=u8[2000] g_updating_graph_mask=u8[2000] g_graph_visited<u8[2000] "
    "g_cost=i32[2000] no_of_nodes:i32",
    [{"no_of_nodes": 1000, "block": 512, "grid": 2}],
    {"g_graph_nodes": {"values": [number for node in range(2000) for number in (2 * node, 2)]}, "g_graph_edges": {"hash": 1000},
     "g_graph_mask": {"values": [1] + [0] * 1999}, "g_updating_graph_mask": "zero", "g_graph_visited": {"values": [1] + [0] * 1999}, "g_cost": "zero"},
    before="#define MAX_THREADS_PER_BLOCK 512\nstruct Node { int starting; int no_of_edges; };\n")
GAUSS = [{"Size": 100, "t": 3, "block": 256, "grid": 1}, {"Size": 77, "t": 10, "block": 64, "grid": 2}]
add("gaussian/gaussian.cu", "Fan1", "m_cuda=f32[Size*Size] a_cuda<f32[Size*Size] Size:i32 t:i32", GAUSS, {"a_cuda": POSITIVE})
add("gaussian/gaussian.cu", "Fan2", "m_cuda<f32[Size*Size] a_cuda=f32[Size*Size] b_cuda=f32[Size] Size:i32 j1:i32 t:i32",
    [{"Size": 100, "t": 3, "j1": 97, "block": [16, 16], "grid": [7, 7]}, {"Size": 65, "t": 0, "j1": 65, "block": [4, 4], "grid": [17, 17]}],
    {"m_cuda": FRACTIONS, "a_cuda": POSITIVE})
HEAT = {"sdc": 0.25, "ce": 0.125, "cw": 0.125, "cn": 0.0625, "cs": 0.0625, "ct": 0.25, "cb": 0.25, "cc": 0.125}
add("hotspot3D/opt1.cu", "hotspotOpt1",
    "p<f32[nx*ny*nz] tIn<f32[nx*ny*nz] tOut>f32[nx*ny*nz] sdc:f32 nx:i32 ny:i32 nz:i32 ce:f32 cw:f32 cn:f32 cs:f32 ct:f32 cb:f32 cc:f32",
    [{"nx": 64, "ny": 32, "nz": 8, "block": [64, 4], "grid": [1, 8], **HEAT}, {"nx": 96, "ny": 20, "nz": 5, "block": [32, 4], "grid": [3, 5], **HEAT}])
CHIP = {"Cap": 0.5, "Rx": 1.5, "Ry": 1.25, "Rz": 4.0, "step": 0.001, "time_elapsed": 0.001}
add("hotspot/hotspot.cu", "calculate_temp",
    "iteration:i32 power<f32[grid_cols*grid_rows] temp_src<f32[grid_cols*grid_rows] temp_dst=f32[grid_cols*grid_rows] grid_cols:i32 grid_rows:i32 "
    "border_cols:i32 border_rows:i32 Cap:f32 Rx:f32 Ry:f32 Rz:f32 step:f32 time_elapsed:f32",
    [{"iteration": 2, "grid_cols": 96, "grid_rows": 84, "border_cols": 2, "border_rows": 2, "block": [16, 16], "grid": [8, 7], **CHIP},
     {"iteration": 1, "grid_cols": 70, "grid_rows": 56, "border_cols": 1, "border_rows": 1, "block": [16, 16], "grid": [5, 4], **CHIP}], {"power": FRACTIONS})
add("huffman/hist.cu", "histo_kernel", "buffer<u8[bytes] bytes:i64 histo=u32[256]",
    [{"bytes": 30011, "block": 256, "grid": 8}, {"bytes": 16384, "block": 256, "grid": 16}], {"histo": "zero"})
add("kmeans/kmeans_cuda_kernel.cu", "invert_mapping", "input<f32[npoints*nfeatures] output>f32[npoints*nfeatures] npoints:i32 nfeatures:i32",
    along("npoints", {"npoints": 3001, "nfeatures": 34, "block": 256}, {"npoints": 1024, "nfeatures": 9, "block": 128}))
MATRIX = "m=f32[matrix_dim*matrix_dim] matrix_dim:i32 offset:i32"
DOMINANT = {"m": {"values": [400 + i % 7 if i % 97 == 0 else (i * 7) % 11 for i in range(97 * 7)]}}
add("lud/cuda/lud_kernel.cu", "lud_diagonal", MATRIX, [{"matrix_dim": 96, "offset": 16, "block": 16, "grid": 1}], DOMINANT)
add("lud/cuda/lud_kernel.cu", "lud_perimeter", MATRIX, [{"matrix_dim": 96, "offset": 16, "block": 32, "grid": 4}], DOMINANT)
add("lud/cuda/lud_kernel.cu", "lud_internal", MATRIX, [{"matrix_dim": 96, "offset": 16, "block": [16, 16], "grid": [4, 4]},
                                                       {"matrix_dim": 64, "offset": 0, "block": [16, 16], "grid": [3, 3]}], DOMINANT)
add("nn/nn_cuda.cu", "euclid", "d_locations<f32x2[numRecords] d_distances>f32[numRecords] numRecords:i32 lat:f32 lng:f32",
    along("numRecords", {"numRecords": 10691, "lat": 30.5, "lng": 90.25, "block": 256}, {"numRecords": 4096, "lat": 0.5, "lng": 1.5, "block": 128}))
ALIGNED = "referrence<i32[cols*cols] matrix_cuda=i32[cols*cols] cols:i32 penalty:i32 i:i32 block_width:i32"
for kernel in 1, 2:
    add("nw/needle_kernel.cu", f"needle_cuda_shared_{kernel}", ALIGNED,
        [{"cols": 129, "penalty": 10, "i": 4, "block_width": 8, "block": 16, "grid": 4}, {"cols": 81, "penalty": 3, "i": 5, "block_width": 5, "block": 16, "grid": 5}],
        {"referrence": {"values": [-4, 3, 5, -1, 0, 2, 7, -3]}})
add("pathfinder/pathfinder.cu", "dynproc_kernel",
    "iteration:i32 gpuWall<i32[cols*rows] gpuSrc<i32[cols] gpuResults=i32[cols] cols:i32 rows:i32 startStep:i32 border:i32",
    [{"iteration": 3, "cols": 1000, "rows": 8, "startStep": 0, "border": 3, "block": 256, "grid": 4},
     {"iteration": 5, "cols": 2048, "rows": 12, "startStep": 4, "border": 5, "block": 256, "grid": 9}], {"gpuWall": {"hash": 10}})
PARTICLES = [{"Nparticles": 1000, "block": 128, "grid": 8}, {"Nparticles": 512, "block": 512, "grid": 1}]
SUMMED = {"CDF": {"values": [i / 1024 for i in range(1024)]}, "u": {"values": [(i * 37 % 1021) / 1024 for i in range(1021)]}}
add("particlefilter/ex_particle_CUDA_naive_seq.cu", "kernel",
    "arrayX<f64[Nparticles] arrayY<f64[Nparticles] CDF<f64[Nparticles] u<f64[Nparticles] xj>f64[Nparticles] yj>f64[Nparticles] Nparticles:i32", PARTICLES, SUMMED)
add("particlefilter/ex_particle_CUDA_float_seq.cu", "find_index_kernel",
    "arrayX<f64[Nparticles] arrayY<f64[Nparticles] CDF<f64[Nparticles] u<f64[Nparticles] xj>f64[Nparticles] yj>f64[Nparticles] weights<f64[Nparticles] Nparticles:i32",
    PARTICLES, SUMMED)
add("hybridsort/bucketsort_kernel.cu", "bucketprefixoffset", "d_prefixoffsets=u32[blocks*1024] d_offsets>u32[1024] blocks:i32",
    [{"blocks": 5, "block": 128, "grid": 8}, {"blocks": 8, "block": 64, "grid": 16}], defines=["DIVISIONS=1024"])
PLANE = "E_C{0}f32[cols*rows] W_C{0}f32[cols*rows] N_C{0}f32[cols*rows] S_C{0}f32[cols*rows]"
SPECKLE = [{"cols": 64, "rows": 48, "q0sqr": 0.05, "block": [16, 16], "grid": [4, 3]}]
BRIGHT = {"values": [1.5, 2, 1.25, 1.75, 3, 2.5, 1.125]}
add("srad/srad_v2/srad_kernel.cu", "srad_cuda_1", PLANE.format(">") + " J_cuda<f32[cols*rows] C_cuda>f32[cols*rows] cols:i32 rows:i32 q0sqr:f32", SPECKLE,
    {"J_cuda": BRIGHT})
add("srad/srad_v2/srad_kernel.cu", "srad_cuda_2", PLANE.format("<") + " J_cuda=f32[cols*rows] C_cuda<f32[cols*rows] cols:i32 rows:i32 lambda:f32 q0sqr:f32",
    [{**one, "lambda": 0.5} for one in SPECKLE], {"J_cuda": BRIGHT, "C_cuda": FRACTIONS})
SRAD = {"before": "typedef float fp;\n#define NUMBER_THREADS 512\n"}
ALL = [{"d_Ne": 3000, "block": 512, "grid": 6}, {"d_Ne": 4096, "block": 512, "grid": 8}]
add("srad/srad_v1/compress_kernel.cu", "compress", "d_Ne:i64 d_I=f32[d_Ne]", ALL, {"d_I": BRIGHT}, **SRAD)
add("srad/srad_v1/extract_kernel.cu", "extract", "d_Ne:i64 d_I=f32[d_Ne]", ALL, **SRAD)
add("srad/srad_v1/prepare_kernel.cu", "prepare", "d_Ne:i64 d_I<f32[d_Ne] d_sums>f32[d_Ne] d_sums2>f32[d_Ne]", ALL, **SRAD)
add("srad/srad_v1/reduce_kernel.cu", "reduce", "d_Ne:i64 d_no:i32 d_mul:i32 d_sums=f32[d_Ne] d_sums2=f32[d_Ne]",
    [{"d_Ne": 4096, "d_no": 4096, "d_mul": 1, "block": 512, "grid": 8}, {"d_Ne": 3000, "d_no": 3000, "d_mul": 1, "block": 512, "grid": 6}], **SRAD)
GRID = "d_lambda:f32 d_Nr:i32 d_Nc:i32 d_Ne:i64 d_iN<i32[d_Nr] d_iS<i32[d_Nr] d_jE<i32[d_Nc] d_jW<i32[d_Nc]"
EDGES = {"d_iN": {"values": [0] + list(range(49))}, "d_iS": {"values": list(range(1, 50)) + [49]}, "d_jE": {"values": list(range(1, 60)) + [59]},
         "d_jW": {"values": [0] + list(range(59))}}
PICTURE = {"d_lambda": 0.5, "d_Nr": 50, "d_Nc": 60, "d_Ne": 3000, "block": 512, "grid": 6}
add("srad/srad_v1/srad_kernel.cu", "srad", f"{GRID} d_dN>f32[d_Ne] d_dS>f32[d_Ne] d_dE>f32[d_Ne] d_dW>f32[d_Ne] d_q0sqr:f32 d_c>f32[d_Ne] d_I<f32[d_Ne]",
    [{**PICTURE, "d_q0sqr": 0.05}], {**EDGES, "d_I": BRIGHT}, **SRAD)
add("srad/srad_v1/srad2_kernel.cu", "srad2", f"{GRID} d_dN<f32[d_Ne] d_dS<f32[d_Ne] d_dE<f32[d_Ne] d_dW<f32[d_Ne] d_c<f32[d_Ne] d_I=f32[d_Ne]",
    [PICTURE], {**EDGES, "d_I": BRIGHT, "d_c": FRACTIONS}, **SRAD)
