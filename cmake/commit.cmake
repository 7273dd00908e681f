# Included: makes generated/version.h, and generated/commit.c at each build, in COMMIT_SOURCES; commit_told is the
# target to depend on. Run as a script by that target: SOURCE, OUTPUT, and FALLBACK for a source that is no checkout.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(COALESCED_COMMIT "unknown" CACHE STRING "The commit to tell when the source is no git checkout")
  configure_file(${CMAKE_SOURCE_DIR}/cmake/version.h.in ${CMAKE_BINARY_DIR}/generated/version.h @ONLY)
  set(COMMIT_SOURCES ${CMAKE_BINARY_DIR}/generated/commit.c)
  add_custom_target(commit_told
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${COMMIT_SOURCES} -DFALLBACK=${COALESCED_COMMIT}
      -P ${CMAKE_CURRENT_LIST_FILE}
    BYPRODUCTS ${COMMIT_SOURCES} COMMENT "" VERBATIM)
  set_source_files_properties(${COMMIT_SOURCES} PROPERTIES GENERATED TRUE)
  return()
endif()

cmake_minimum_required(VERSION 3.22)

# git(<out-variable> <arguments>): what it prints, or NOTFOUND when it fails.
function(git out)
  execute_process(COMMAND git -c safe.directory=${SOURCE} -C ${SOURCE} ${ARGN}
    OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(said NOTFOUND)
  endif()
  set(${out} "${said}" PARENT_SCOPE)
endfunction()

# A hook of git's runs with these set, for a repository that need not be this one.
foreach(name GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX)
  unset(ENV{${name}})
endforeach()
set(ENV{GIT_OPTIONAL_LOCKS} 0)
get_filename_component(SOURCE "${SOURCE}" REALPATH)
set(commit "${FALLBACK}")
git(top rev-parse --show-toplevel)
if(top STREQUAL SOURCE) # a copy without .git may lie in somebody else's checkout
  git(head rev-parse --short=12 HEAD)
  # A file that git does not know counts where it would be compiled: a kernel is one new file.
  git(changed status --porcelain --untracked-files=no)
  git(new ls-files --others --exclude-standard -- api base client cmake executor kernels server)
  if(head)
    set(commit "${head}")
    if(NOT "${changed}${new}" STREQUAL "")
      string(APPEND commit "-dirty")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#include \"version.h\"\n\nconst char coalesced_commit[] = \"${commit}\";\n")
