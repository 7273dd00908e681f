# ccache is used where it is installed, so that a copy of this tree compiles nothing again;
# -DCMAKE_C_COMPILER_LAUNCHER= and so on go without, or with another.
find_program(COALESCED_CCACHE ccache)
if(COALESCED_CCACHE)
  foreach(language C CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${COALESCED_CCACHE})
    endif()
  endforeach()
endif()
