# The contract, embedded; and the list of endpoints: one file in a folder of server/routes/, but for answers/,
# which is what they share, defines one `route_<file's name>`.
embed(${CMAKE_SOURCE_DIR}/api/openapi.yaml api_openapi_yaml ${generated}/openapi.c)
file(GLOB route_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/server/routes/*/*.c)
list(FILTER route_files EXCLUDE REGEX "/routes/answers/")
list(SORT route_files)
set(declarations "")
set(list "")
foreach(file ${route_files})
  get_filename_component(name ${file} NAME_WE)
  string(APPEND declarations "extern const struct route route_${name};\n")
  string(APPEND list "    &route_${name},\n")
endforeach()
write_if_different(${generated}/routes.c
  "#include \"server/http/route.h\"\n${declarations}\nconst struct route *const routes[] = {\n${list}    0};\n")
