# embed(<file> <symbol> <out.c>): the file's bytes as `const char symbol[]`, ended by a NUL; made anew when it changes.
function(embed file symbol output)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "0x([89a-f].)," "'\\\\x\\1'," bytes "${bytes}") # a char may be signed
  write_if_different(${output} "extern const char ${symbol}[];\nconst char ${symbol}[] = {\n${bytes}0};\n")
endfunction()

# So that what did not change is not compiled again.
function(write_if_different output text)
  if(EXISTS ${output})
    file(READ ${output} old)
    if("${old}" STREQUAL "${text}")
      return()
    endif()
  endif()
  file(WRITE ${output} "${text}")
endfunction()
