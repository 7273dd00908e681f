"""PolyBench-ACC. Its arrays have rows of a length that is a macro, and its loops end at arguments."""
STRIDE = 101
ALGEBRA, SOLVERS, STENCILS, MINING = "linear-algebra/kernels/", "linear-algebra/solvers/", "stencils/", "datamining/"
SQUARE = f"{STRIDE}*{STRIDE}"
DEFINES = [f"{name}={STRIDE}" for name in ("M", "N", "NI", "NJ", "NK", "NL", "NM", "NX", "NY", "NP", "NQ", "NR")]
# The reference implementation divides by these; what a stencil makes of small whole numbers needs no more.
TABLE = []


def add(path, entry, text, launches, fills=None, defines=None):
    arguments = text.replace("[2]", f"[{SQUARE}]").replace("[1]", f"[{STRIDE}]")
    TABLE.append({"file": f"CUDA/{path}", "entry": entry, "arguments": arguments, "launches": launches, "fills": fills or {},
                  "defines": defines or DEFINES, "folders": ["CUDA/utilities"]})


def over(x, y=None, **values):
    """Launches with a thread for each of x, or of y rows of x, which are names of arguments."""
    shapes = [(256, None), (96, None)] if y is None else [([32, 8], None), ([16, 16], None)]
    sizes = (STRIDE, 77)
    threads = [x] if y is None else [x, y]
    return [{"threads": threads, "block": block, **{name: size for name in values.get("sizes", [])}, **values.get("scalars", {})}
            for (block, _), size in zip(shapes, sizes)]


def lines(*names, **scalars):
    return over(names[0], sizes=names, scalars=scalars)


def plane(x, y, *more, **scalars):
    return over(x, y, sizes=dict.fromkeys([x, y, *more]), scalars=scalars)


for name in "correlation", "covariance":
    path = f"{MINING}{name}/{name}.cu"
    add(path, "mean_kernel", "m:i32 n:i32 mean>f32[1] data<f32[2]", lines("m", "n"))
add(f"{MINING}correlation/correlation.cu", "std_kernel", "m:i32 n:i32 mean<f32[1] std>f32[1] data<f32[2]", lines("m", "n"))
add(f"{MINING}correlation/correlation.cu", "reduce_kernel", "m:i32 n:i32 mean<f32[1] std<f32[1] data=f32[2]", plane("m", "n"),
    {"std": {"values": [1, 2, 4, 3]}})
add(f"{MINING}correlation/correlation.cu", "corr_kernel", "m:i32 n:i32 symmat>f32[2] data<f32[2]", lines("m", "n"))
add(f"{MINING}covariance/covariance.cu", "reduce_kernel", "m:i32 n:i32 mean<f32[1] data=f32[2]", plane("m", "n"))
add(f"{MINING}covariance/covariance.cu", "covar_kernel", "m:i32 n:i32 symmat>f32[2] data<f32[2]", lines("m", "n"))

FACTORS = {"alpha": 1.5, "beta": 0.25}
MATRIX = "ni:i32 nj:i32 nk:i32 nl:i32"
add(f"{ALGEBRA}2mm/2mm.cu", "mm2_kernel1", f"{MATRIX} alpha:f32 beta:f32 tmp>f32[2] A<f32[2] B<f32[2]",
    plane("nj", "ni", "nk", "nl", **FACTORS))
add(f"{ALGEBRA}2mm/2mm.cu", "mm2_kernel2", f"{MATRIX} alpha:f32 beta:f32 tmp<f32[2] C<f32[2] D=f32[2]",
    plane("nl", "ni", "nj", "nk", **FACTORS))
for kernel, (x, y), names in (1, ("nj", "ni"), "ABE"), (2, ("nl", "nj"), "CDF"), (3, ("nl", "ni"), "EFG"):
    add(f"{ALGEBRA}3mm/3mm.cu", f"mm3_kernel{kernel}",
        f"{MATRIX} nm:i32 {names[0]}<f32[2] {names[1]}<f32[2] {names[2]}>f32[2]", plane(x, y, "ni", "nj", "nk", "nl", "nm"))
add(f"{ALGEBRA}atax/atax.cu", "atax_kernel1", "nx:i32 ny:i32 A<f32[2] x<f32[1] tmp>f32[1]", lines("nx", "ny"))
add(f"{ALGEBRA}atax/atax.cu", "atax_kernel2", "nx:i32 ny:i32 A<f32[2] y>f32[1] tmp<f32[1]", lines("ny", "nx"))
add(f"{ALGEBRA}bicg/bicg.cu", "bicg_kernel1", "nx:i32 ny:i32 A<f32[2] r<f32[1] s>f32[1]", lines("ny", "nx"))
add(f"{ALGEBRA}bicg/bicg.cu", "bicg_kernel2", "nx:i32 ny:i32 A<f32[2] p<f32[1] q>f32[1]", lines("nx", "ny"))
CUBE = [{"threads": ["np", "nq"], "block": [32, 8], "nr": 3, "nq": 45, "np": 61, "r": 1},
        {"threads": ["np", "nq"], "block": [16, 16], "nr": 2, "nq": 64, "np": 32, "r": 0}]
SPACES = "nr:i32 nq:i32 np:i32"
add(f"{ALGEBRA}doitgen/doitgen.cu", "doitgen_kernel1",
    f"{SPACES} sum>f32[nr*nq*np] A<f32[nr*nq*np] C4<f32[np*np] r:i32", CUBE)
add(f"{ALGEBRA}doitgen/doitgen.cu", "doitgen_kernel2",
    f"{SPACES} sum<f32[nr*nq*np] A=f32[nr*nq*np] C4<f32[np*np] r:i32", CUBE)
add(f"{ALGEBRA}gemm/gemm.cu", "gemm_kernel", "ni:i32 nj:i32 nk:i32 alpha:f32 beta:f32 a<f32[2] b<f32[2] c=f32[2]",
    plane("nj", "ni", "nk", **FACTORS))
add(f"{ALGEBRA}gemver/gemver.cu", "gemver_kernel1",
    "n:i32 alpha:f32 beta:f32 a=f32[2] v1<f32[1] v2<f32[1] u1<f32[1] u2<f32[1]", plane("n", "n", **FACTORS))
add(f"{ALGEBRA}gemver/gemver.cu", "gemver_kernel2", "n:i32 alpha:f32 beta:f32 a<f32[2] x=f32[1] y<f32[1] z<f32[1]", lines("n", **FACTORS))
add(f"{ALGEBRA}gemver/gemver.cu", "gemver_kernel3", "n:i32 alpha:f32 beta:f32 a<f32[2] x<f32[1] w=f32[1]", lines("n", **FACTORS))
add(f"{ALGEBRA}gesummv/gesummv.cu", "gesummv_kernel",
    "n:i32 alpha:f32 beta:f32 A<f32[2] B<f32[2] tmp=f32[1] x<f32[1] y=f32[1]", lines("n", **FACTORS))
add(f"{ALGEBRA}mvt/mvt.cu", "mvt_kernel1", "n:i32 a<f32[2] x1=f32[1] y_1<f32[1]", lines("n"))
add(f"{ALGEBRA}mvt/mvt.cu", "mvt_kernel2", "n:i32 a<f32[2] x2=f32[1] y_2<f32[1]", lines("n"))
add(f"{ALGEBRA}syr2k/syr2k.cu", "syr2k_kernel", "ni:i32 nj:i32 alpha:f32 beta:f32 a<f32[2] b<f32[2] c=f32[2]",
    plane("nj", "ni", **FACTORS))
add(f"{ALGEBRA}syrk/syrk.cu", "syrk_kernel", "ni:i32 nj:i32 alpha:f32 beta:f32 a<f32[2] c=f32[2]", plane("nj", "ni", **FACTORS))

GRAM = f"{SOLVERS}gramschmidt/gramschmidt.cu"
POSITIVE = {"values": [1, 2, 3, 5, 7, 11, 13]}
add(GRAM, "gramschmidt_kernel1", "ni:i32 nj:i32 a<f32[2] r=f32[2] q<f32[2] k:i32", lines("ni", "nj", k=5))
add(GRAM, "gramschmidt_kernel2", "ni:i32 nj:i32 a<f32[2] r<f32[2] q=f32[2] k:i32", lines("ni", "nj", k=5), {"r": POSITIVE})
add(GRAM, "gramschmidt_kernel3", "ni:i32 nj:i32 a=f32[2] r=f32[2] q<f32[2] k:i32", lines("nj", "ni", k=5))
add(f"{SOLVERS}lu/lu.cu", "lu_kernel1", "n:i32 A=f32[2] k:i32", lines("n", k=3), {"A": POSITIVE})
add(f"{SOLVERS}lu/lu.cu", "lu_kernel2", "n:i32 A=f32[2] k:i32", plane("n", "n", k=3), {"A": POSITIVE})

for kernel, roles, scalars in ((1, "A<f32[2] B=f32[2] X=f32[2]", {}), (2, "A<f32[2] B<f32[2] X=f32[2]", {}),
                               (3, "A<f32[2] B<f32[2] X=f32[2]", {}), (4, "A<f32[2] B=f32[2] X=f32[2] i1:i32", {"i1": 7}),
                               (5, "A<f32[2] B<f32[2] X=f32[2]", {}), (6, "A<f32[2] B<f32[2] X=f32[2] i1:i32", {"i1": 7})):
    add(f"{STENCILS}adi/adi.cu", f"adi_kernel{kernel}", f"n:i32 {roles}", lines("n", **scalars), {"B": {"values": [900, 1000, 1100, 1300]}})
add(f"{STENCILS}convolution-2d/2DConvolution.cu", "convolution2D_kernel", "ni:i32 nj:i32 A<f32[2] B=f32[2]", plane("nj", "ni"))
CONVOLUTION = [{"threads": ["nk", "nj"], "block": [32, 8], "ni": 4, "nj": 43, "nk": 43, "i": 1},
               {"threads": ["nk", "nj"], "block": [64, 4], "ni": 4, "nj": 43, "nk": 40, "i": 2}]
add(f"{STENCILS}convolution-3d/3DConvolution.cu", "convolution3D_kernel",
    "ni:i32 nj:i32 nk:i32 A<f32[4*43*43] B=f32[4*43*43] i:i32", CONVOLUTION, defines=["NI=4", "NJ=43", "NK=43"])
add(f"{STENCILS}fdtd-2d/fdtd2d.cu", "fdtd_step1_kernel", "nx:i32 ny:i32 _fict_<f32[1] ex<f32[2] ey=f32[2] hz<f32[2] t:i32",
    plane("ny", "nx", t=2))
add(f"{STENCILS}fdtd-2d/fdtd2d.cu", "fdtd_step2_kernel", "nx:i32 ny:i32 ex=f32[2] ey<f32[2] hz<f32[2] t:i32", plane("ny", "nx", t=2))
add(f"{STENCILS}fdtd-2d/fdtd2d.cu", "fdtd_step3_kernel", "nx:i32 ny:i32 ex<f32[2] ey<f32[2] hz=f32[2] t:i32", plane("ny", "nx", t=2))
for path, shape, many in (f"{STENCILS}jacobi-1d-imper/jacobi1D.cu", lines("n"), "[1]"), (f"{STENCILS}jacobi-2d-imper/jacobi2D.cu", plane("n", "n"), "[2]"):
    add(path, "runJacobiCUDA_kernel1", f"n:i32 A<f32{many} B=f32{many}", shape)
    add(path, "runJacobiCUDA_kernel2", f"n:i32 A=f32{many} B<f32{many}", shape)
