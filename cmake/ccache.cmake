# ccache is used where it is installed; -DCMAKE_C_COMPILER_LAUNCHER= and so on go without, or with another.
find_program(COALESCED_CCACHE ccache)
if(COALESCED_CCACHE)
  foreach(language C CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${COALESCED_CCACHE})
    endif()
  endforeach()
endif()
