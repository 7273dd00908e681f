"""cuda-samples."""
CG = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
INTRO, CONCEPTS, DOMAINS = "0_Introduction", "2_Concepts_and_Techniques", "5_Domain_Specific"
SMALL = {"values": [-1.5, 0.25, 0.75, -0.125, 2, 1.25, -0.5, 0.0625, -2.25, 0.875, 1.0, -0.3125, 0.5]}
TABLE = []


def add(part, file, entry, arguments, launches, fills=None, **more):
    if "." not in file:
        file += ".cu"
    before = CG if more.pop("groups", False) else ""
    TABLE.append({"file": f"Samples/{part}/{file}", "entry": entry, "arguments": arguments, "launches": launches, "fills": fills or {},
                  "before": before, "folders": ["Common"], **more})


def along(threads, *launches):
    return [{"threads": threads, **one} for one in launches]


COUNTS = ({"N": 30011, "block": 256}, {"N": 8192, "block": 128})
add(INTRO, "vectorAdd/vectorAdd", "vectorAdd", "A<f32[numElements] B<f32[numElements] C>f32[numElements] numElements:i32",
    along("numElements", {"numElements": 50000, "block": 256}, {"numElements": 7777, "block": 96}))
add(INTRO, "simpleZeroCopy/simpleZeroCopy", "vectorAddGPU", "a<f32[N] b<f32[N] c>f32[N] N:i32", along("N", *COUNTS))
add(INTRO, "simpleMultiCopy/simpleMultiCopy", "incKernel", "g_out>i32[N] g_in<i32[N] N:i32 inner_reps:i32",
    along("N", *({**one, "inner_reps": 3} for one in COUNTS)))
add(INTRO, "simpleCallback/simpleCallback", "incKernel", "data=i32[N] N:i32", along("N", *COUNTS))
add(INTRO, "simpleStreams/simpleStreams", "init_array", "g_data=i32[8192] factor<i32[1] num_iterations:i32",
    [{"num_iterations": 5, "block": 256, "grid": 32}, {"num_iterations": 2, "block": 512, "grid": 16}], {"factor": {"values": [3]}})
add(INTRO, "simpleMultiGPU/simpleMultiGPU", "reduceKernel", "d_Result>f32[2048] d_Input<f32[N] N:i32",
    [{"N": 30011, "block": 256, "grid": 8}, {"N": 16384, "block": 128, "grid": 16}])
add(INTRO, "template/template", "testKernel", "g_idata<f32[256] g_odata>f32[256]", [{"block": 256, "grid": 1}, {"block": 96, "grid": 1}],
    more={"shared_bytes": 1024})
add(INTRO, "matrixMul/matrixMul", "MatrixMulCUDA", "C>f32[wA*wB] A<f32[wA*wA] B<f32[wA*wB] wA:i32 wB:i32",
    [{"wA": 64, "wB": 96, "block": [16, 16], "grid": [6, 4]}], {"A": SMALL, "B": SMALL}, instance="MatrixMulCUDA<16>",
    types="float *, float *, float *, int, int")
add(INTRO, "matrixMul/matrixMul", "MatrixMulCUDA", "C>f32[wA*wB] A<f32[wA*wA] B<f32[wA*wB] wA:i32 wB:i32",
    [{"wA": 64, "wB": 128, "block": [32, 32], "grid": [4, 2]}], {"A": SMALL, "B": SMALL}, instance="MatrixMulCUDA<32>",
    types="float *, float *, float *, int, int")
KEYS = {"d_SrcKey": {"hash": 100000}, "d_SrcVal": "index"}
SORTED = "d_DstKey>u32[4096] d_DstVal>u32[4096] d_SrcKey<u32[4096] d_SrcVal<u32[4096]"
add(INTRO, "mergeSort/mergeSort", "mergeSortSharedKernel", f"{SORTED} arrayLength:u32",
    [{"arrayLength": 1024, "block": 512, "grid": 4}], KEYS, groups=True, instance="mergeSortSharedKernel<1>",
    types="uint *, uint *, uint *, uint *, uint")
add(INTRO, "mergeSort/bitonic", "bitonicSortSharedKernel", f"{SORTED} arrayLength:u32 sortDir:u32",
    [{"arrayLength": 1024, "sortDir": 1, "block": 512, "grid": 4}, {"arrayLength": 256, "sortDir": 0, "block": 512, "grid": 4}], KEYS, groups=True)
SORT = f"{CONCEPTS}/sortingNetworks"
add(SORT, "bitonicSort", "bitonicSortShared", f"{SORTED} arrayLength:u32 dir:u32",
    [{"arrayLength": 1024, "dir": 1, "block": 512, "grid": 4}, {"arrayLength": 512, "dir": 0, "block": 512, "grid": 3}], KEYS, groups=True)
add(SORT, "bitonicSort", "bitonicSortShared1", SORTED, [{"block": 512, "grid": 4}], KEYS, groups=True)
add(SORT, "bitonicSort", "bitonicMergeGlobal", f"{SORTED} arrayLength:u32 size_:u32 stride:u32 dir:u32",
    [{"arrayLength": 4096, "size_": 4096, "stride": 1024, "dir": 1, "block": 256, "grid": 8},
     {"arrayLength": 4096, "size_": 2048, "stride": 8, "dir": 0, "block": 512, "grid": 4}], KEYS)
add(SORT, "oddEvenMergeSort", "oddEvenMergeSortShared", f"{SORTED} arrayLength:u32 dir:u32",
    [{"arrayLength": 1024, "dir": 1, "block": 512, "grid": 4}, {"arrayLength": 256, "dir": 0, "block": 512, "grid": 2}], KEYS, groups=True)
add(SORT, "oddEvenMergeSort", "oddEvenMergeGlobal", f"{SORTED.replace('>', '=')} arrayLength:u32 size_:u32 stride:u32 dir:u32",
    [{"arrayLength": 4096, "size_": 4096, "stride": 512, "dir": 1, "block": 256, "grid": 8}], KEYS)
add(CONCEPTS, "scan/scan", "scanExclusiveShared", "d_Dst>u32x4[2048] d_Src<u32x4[2048] size_:u32",
    [{"size_": 1024, "block": 256, "grid": 8}, {"size_": 256, "block": 256, "grid": 5}], groups=True)
add(CONCEPTS, "scan/scan", "uniformUpdate", "d_Data=u32x4[2048] d_Buffer<u32[64]", [{"block": 256, "grid": 8}, {"block": 128, "grid": 13}], groups=True)
add(CONCEPTS, "scalarProd/scalarProd_kernel.cuh", "scalarProdGPU", "d_C>f32[vectorN] d_A<f32[vectorN*elementN] d_B<f32[vectorN*elementN] vectorN:i32 elementN:i32",
    [{"vectorN": 13, "elementN": 1100, "block": 256, "grid": 8}, {"vectorN": 8, "elementN": 2048, "block": 128, "grid": 8}],
    {"d_A": SMALL, "d_B": SMALL}, groups=True)
for kernel in range(4):
    add(CONCEPTS, "reduction/reduction_kernel", f"reduce{kernel}", "g_idata<f32[n] g_odata>f32[128] n:u32",
        [{"n": 20011, "block": 256, "grid": 79 if kernel < 3 else 40}, {"n": 16384, "block": 128, "grid": 128 if kernel < 3 else 64}], groups=True,
        instance=f"reduce{kernel}<float>", types="float *, float *, unsigned", more={"shared_bytes": 1024})
for kernel, values in (4, "float, 256"), (5, "int, 256"), (6, "float, 256, false"):
    kind, c_type = ("i32", "int") if values.startswith("int") else ("f32", "float")
    add(CONCEPTS, "reduction/reduction_kernel", f"reduce{kernel}", f"g_idata<{kind}[n] g_odata>{kind}[128] n:u32",
        [{"n": 20011, "block": 256, "grid": 40}, {"n": 16384, "block": 256, "grid": 32}], groups=True,
        instance=f"reduce{kernel}<{values}>", types=f"{c_type} *, {c_type} *, unsigned", more={"shared_bytes": 1024})
TREE = "segmentationTreeThrust/kernels.cuh"
add(CONCEPTS, TREE, "addScalar", "array=u32[count] scalar:i32 count:u32",
    along("count", {"count": 20011, "scalar": 7, "block": 256}, {"count": 8192, "scalar": -3, "block": 128}))
add(CONCEPTS, TREE, "getVerticesMapping", "clusteredVerticesIDs<u32[verticesCount] newVerticesIDs<u32[verticesCount] verticesMapping>u32[verticesCount] verticesCount:u32",
    along("verticesCount", {"verticesCount": 9001, "block": 256}), {"clusteredVerticesIDs": "index", "newVerticesIDs": {"hash": 500}})
add(CONCEPTS, TREE, "getSuccessors", "verticesOffsets<u32[verticesCount] minScannedEdges<u32[edgesCount] successors>u32[verticesCount] verticesCount:u32 edgesCount:u32",
    along("verticesCount", {"verticesCount": 5003, "edgesCount": 6000, "block": 256}), {"verticesOffsets": "index", "minScannedEdges": {"hash": 5003}})
DCT = [{"ImgStride": 128, "block": [8, 4, 2], "grid": [4, 6]}, {"ImgStride": 160, "block": [8, 4, 2], "grid": [5, 3]}]
for entry in "CUDAkernel2DCT", "CUDAkernel2IDCT":
    add(CONCEPTS, "dct8x8/dct8x8_kernel2.cuh", entry, "dst=f32[ImgStride*96] src<f32[ImgStride*96] ImgStride:i32", DCT, {"src": SMALL, "dst": "zero"}, groups=True)
add(CONCEPTS, "inlinePTX/inlinePTX", "sequence_gpu", "d_ptr>i32[length] length:i32",
    along("length", {"length": 10007, "block": 256}, {"length": 4096, "block": 96}))
IMAGE = [{"width": 96, "height": 64, "block": [32, 16], "grid": [3, 2]}, {"width": 160, "height": 96, "block": [32, 16], "grid": [5, 3]}]
SQUARE = [{"width": side, "height": side, "block": [32, 16], "grid": [side // 32, side // 32]} for side in (64, 96)]
for entry in "copy", "copySharedMem", "transposeNaive", "transposeCoalesced", "transposeNoBankConflicts", "transposeDiagonal", "transposeFineGrained", "transposeCoarseGrained":
    add("6_Performance", "transpose/transpose", entry, "odata>f32[width*height] idata<f32[width*height] width:i32 height:i32",
        SQUARE if entry.endswith("Grained") else IMAGE, groups=True)
for dim in 0, 1:
    add(CONCEPTS, "boxFilter/boxFilter_kernel", ("d_boxfilter_x_global", "d_boxfilter_y_global")[dim],
        "id<f32[w*h] od>f32[w*h] w:i32 h:i32 r:i32", [{"w": 96, "h": 64, "r": 3, "block": 32, "grid": (2, 3)[dim]}])
BOUGHT = {"Riskfree": 0.02, "Volatility": 0.3}
add(DOMAINS, "BlackScholes/BlackScholes_kernel.cuh", "BlackScholesGPU",
    "d_CallResult>f32x2[optN/2] d_PutResult>f32x2[optN/2] d_StockPrice<f32x2[optN/2] d_OptionStrike<f32x2[optN/2] d_OptionYears<f32x2[optN/2] "
    "Riskfree:f32 Volatility:f32 optN:i32",
    along("optN/2", {"optN": 10010, "block": 128, **BOUGHT}, {"optN": 8192, "block": 128, **BOUGHT}),
    {"d_StockPrice": {"values": [5, 10.5, 20, 29, 15.25]}, "d_OptionStrike": {"values": [1, 50, 99, 20, 30, 15, 80.5]},
     "d_OptionYears": {"values": [0.25, 1, 5, 10, 2.5, 7]}})
