# The page, embedded: each file of web/ under its name, and from the distribution those parts of D3 that charts use as one
# script, and CodeMirror (codemirror.cmake). Comments that begin or end a line, and what lines are indented by, stay here: a browser would fetch a tenth more. A
# file's tag follows from its bytes.
set(d3_folder /usr/share/nodejs CACHE PATH "Where node-d3's packages are installed")
# Charts take two scales, linear and logarithmic, between two numbers: the files of D3's sources that those are made of, in
# one function. What these files name of others, for dates, colours, more than two numbers and the writing of ticks, is not
# there and not to be used; of d3-interpolate it is one line for numbers, which cmake/d3_head.js has.
set(d3_parts array/src/ticks array/src/range scale/src/array scale/src/constant scale/src/number scale/src/init
  scale/src/continuous scale/src/nice scale/src/linear scale/src/log)
file(READ ${CMAKE_SOURCE_DIR}/cmake/d3_head.js d3_script)
foreach(part ${d3_parts})
  set(d3_file ${d3_folder}/d3-${part}.js)
  if(NOT EXISTS ${d3_file})
    message(FATAL_ERROR "${d3_file} is not there: install the package node-d3 (apt-get install node-d3)")
  endif()
  file(READ ${d3_file} d3_text)
  get_filename_component(stem ${part} NAME)
  string(REGEX REPLACE "\n(import|//)[^\n]*" "" d3_text "\n${d3_text}")
  string(REPLACE "export default function(" "function ${stem}(" d3_text "${d3_text}")
  string(REGEX REPLACE "\nexport (default )?" "\n" d3_text "${d3_text}")
  string(REGEX REPLACE "\n[ \t\n]+" "\n" d3_text "${d3_text}")
  string(APPEND d3_script "${d3_text}")
endforeach()
string(APPEND d3_script "return {range, scaleLinear: linear, scaleLog: log};\n})();\n")
write_if_different(${generated}/web/d3.js "${d3_script}")

include(cmake/codemirror.cmake)

file(GLOB_RECURSE web_files RELATIVE ${CMAKE_SOURCE_DIR}/web CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/web/*.html ${CMAKE_SOURCE_DIR}/web/*.css ${CMAKE_SOURCE_DIR}/web/*.js)
list(SORT web_files)
set(WEB_SOURCES "")
set(declarations "")
set(list "")
set(web_made d3.js codemirror.js codemirror.css)
foreach(name ${web_files} ${web_made})
  set(file ${generated}/web/${name})
  if(NOT name IN_LIST web_made)
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/${name})
    file(READ ${CMAKE_SOURCE_DIR}/web/${name} text)
    string(REGEX REPLACE "\n[ \t]*/\\*([^*]|\\*+[^*/])*\\*+/" "" text "\n${text}")
    string(REGEX REPLACE "[ \t]+/\\*[^*\n]*\\*/\n" "\n" text "${text}")
    string(REGEX REPLACE "\n[ \t\n]+" "\n" text "${text}")
    string(REGEX REPLACE "^\n" "" text "${text}")
    write_if_different(${file} "${text}")
  endif()
  string(MAKE_C_IDENTIFIER ${name} symbol)
  file(SHA256 ${file} tag)
  string(SUBSTRING ${tag} 0 16 tag)
  embed(${file} web_text_${symbol} ${generated}/web/${symbol}.c)
  list(APPEND WEB_SOURCES ${generated}/web/${symbol}.c)
  string(APPEND declarations "extern const char web_text_${symbol}[];\n")
  string(APPEND list "    {\"${name}\", web_text_${symbol}, \"ui-${tag}\"},\n")
endforeach()
write_if_different(${generated}/web.c
  "#include \"server/http/site.h\"\n${declarations}\nconst struct site_file site_files[] = {\n${list}    {0}};\n")
list(APPEND WEB_SOURCES ${generated}/web.c)
