# Run as a script by cmake/package.cmake: makes coalesced(8) from the table that --help prints.
# PROGRAM, SOURCE (the repository), OUTPUT, PROJECT_VERSION.
execute_process(COMMAND ${PROGRAM} --help OUTPUT_FILE ${OUTPUT}.help COMMAND_ERROR_IS_FATAL ANY)
foreach(part options commands)
  string(TOUPPER ${part} name)
  execute_process(COMMAND awk -v part=${part} -f ${SOURCE}/packages/manual/options.awk ${OUTPUT}.help
    OUTPUT_VARIABLE ${name} OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  if(NOT ${name})
    message(FATAL_ERROR "--help has no ${part} that packages/manual/options.awk knows")
  endif()
endforeach()
configure_file(${SOURCE}/packages/manual/coalesced.8.in ${OUTPUT} @ONLY)
