# A recipe is one file in api/recipes/, embedded under its name.
file(GLOB recipe_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/api/recipes/*.json)
list(SORT recipe_files)
set(RECIPE_SOURCES "")
set(declarations "")
set(list "")
foreach(file ${recipe_files})
  get_filename_component(name ${file} NAME_WE)
  embed(${file} recipe_text_${name} ${generated}/recipes/${name}.c)
  list(APPEND RECIPE_SOURCES ${generated}/recipes/${name}.c)
  string(APPEND declarations "extern const char recipe_text_${name}[];\n")
  string(APPEND list "    recipe_text_${name},\n")
endforeach()
write_if_different(${generated}/recipes.c
  "${declarations}\nextern const char *const recipe_texts[];\nconst char *const recipe_texts[] = {\n${list}    0};\n")
list(APPEND RECIPE_SOURCES ${generated}/recipes.c)
# The experiments that calibrate a device.
embed(${CMAKE_SOURCE_DIR}/kernels/calibrations/plan.json calibration_plan_json ${generated}/calibration_plan.c)
list(APPEND RECIPE_SOURCES ${generated}/calibration_plan.c)
