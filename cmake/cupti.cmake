# CUPTI reads a GPU's counters. Its headers are wanted here; its library is opened at run time, so that one program starts
# on machines with and without it.
find_path(COALESCED_CUPTI_INCLUDE cupti_range_profiler.h
  HINTS ${CUDAToolkit_INCLUDE_DIRS} PATHS /usr/local/cuda /opt/cuda PATH_SUFFIXES include extras/CUPTI/include)
find_path(COALESCED_CUDA_INCLUDE cuda.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ${COALESCED_CUPTI_INCLUDE}
  PATHS /usr/local/cuda /opt/cuda PATH_SUFFIXES include)
add_library(cupti_headers INTERFACE)
if(COALESCED_CUPTI_INCLUDE AND COALESCED_CUDA_INCLUDE)
  set(COALESCED_HAVE_CUPTI TRUE)
  target_include_directories(cupti_headers SYSTEM INTERFACE ${COALESCED_CUPTI_INCLUDE} ${COALESCED_CUDA_INCLUDE})
  target_compile_definitions(cupti_headers INTERFACE COALESCED_HAVE_CUPTI)
  message(STATUS "Counters: with the CUPTI of ${COALESCED_CUPTI_INCLUDE}")
else()
  set(COALESCED_HAVE_CUPTI FALSE)
  message(STATUS "Counters: none; cupti_range_profiler.h was not found")
endif()
