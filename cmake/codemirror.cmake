# CodeMirror 5, the editor of /ui/source, as one module and one stylesheet: from the distribution's package those files of
# its source that a text area as input takes (an editable element as input, text areas that are replaced, and names that
# older versions had are left out: a tenth), and of its mode for C-like languages the tokenizer without the word lists of
# twelve languages. The files stand in the order in which a browser would evaluate them as modules.
set(codemirror_folder /usr/share/nodejs/codemirror CACHE PATH "Where CodeMirror 5 is installed")
set(codemirror_parts
  util/browser util/dom util/misc util/bidi util/event util/feature_detection modes util/StringStream line/utils_line
  line/pos line/highlight line/saw_special_spans line/spans line/line_data util/operation_group display/update_line
  measurement/widgets measurement/position_measurement display/view_tracking display/selection display/focus
  display/update_lines display/scrolling display/scrollbars display/operations display/highlight_worker
  display/update_display display/line_numbers display/gutters display/Display display/scroll_events model/selection
  model/change_measurement display/mode_state model/document_data model/history model/selection_updates model/changes
  model/chunk model/line_widget model/mark_text model/Doc edit/drop_events edit/global_events input/keynames input/keymap
  edit/deleteNearSelection input/movement edit/commands edit/key_events edit/mouse_events edit/utils edit/options
  edit/CodeMirror input/indent input/input edit/methods input/TextareaInput edit/main)

# codemirror_read(<variable> <file>): its text without comments on lines of their own, indentation, imports and exports. One
# function has no name but where it is imported.
function(codemirror_read variable name)
  set(file ${codemirror_folder}/${name})
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "${file} is not there: install the package libjs-codemirror (apt-get install libjs-codemirror)")
  endif()
  file(READ ${file} text)
  string(REGEX REPLACE "\n[ \t]*//[^\n]*" "" text "\n${text}")
  string(REGEX REPLACE "\n[ \t]*/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
  string(REGEX REPLACE "[ \t]+// [^\n\"'`]*\n" "\n" text "${text}")
  string(REGEX REPLACE "\n(import|export {)[^\n]*" "" text "${text}")
  string(REPLACE "\nexport default function(" "\nfunction addEditorMethods(" text "${text}")
  string(REGEX REPLACE "\nexport (default )?" "\n" text "${text}")
  string(REGEX REPLACE "\n[ \t\n]+" "\n" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

file(READ ${CMAKE_SOURCE_DIR}/cmake/codemirror_head.js codemirror_script)
foreach(part ${codemirror_parts})
  codemirror_read(codemirror_text src/${part}.js)
  # What it names of the files that are left out.
  string(REPLACE ", \"contenteditable\": ContentEditableInput" "" codemirror_text "${codemirror_text}")
  string(REGEX REPLACE "\nCodeMirror.fromTextArea = [^\n]*|\naddLegacyProps[^\n]*" "" codemirror_text "${codemirror_text}")
  # What an export default leaves behind where the name was declared before.
  string(REGEX REPLACE "\n(CodeMirror|Doc|StringStream)\n" "\n" codemirror_text "${codemirror_text}")
  string(APPEND codemirror_script "${codemirror_text}")
endforeach()
codemirror_read(codemirror_text mode/clike/clike.js)
string(FIND "${codemirror_text}" "\nfunction Context(" codemirror_begin)
string(FIND "${codemirror_text}" "\ndef([" codemirror_end)
if(codemirror_begin LESS 0 OR codemirror_end LESS codemirror_begin)
  message(FATAL_ERROR "${codemirror_folder}/mode/clike/clike.js is not that of CodeMirror 5")
endif()
math(EXPR codemirror_length "${codemirror_end} - ${codemirror_begin}")
string(SUBSTRING "${codemirror_text}" ${codemirror_begin} ${codemirror_length} codemirror_text)
string(APPEND codemirror_script ";(() => {${codemirror_text}\n})();\nreturn Object.assign(CodeMirror, {Pos});\n})();\n")
write_if_different(${generated}/web/codemirror.js "${codemirror_script}")

codemirror_read(codemirror_text lib/codemirror.css)
write_if_different(${generated}/web/codemirror.css "${codemirror_text}")
